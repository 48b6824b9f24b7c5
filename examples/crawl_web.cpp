// crawl_web URL FOLDER: crawls the host of URL into FOLDER, a line a page, with the C++ interface.
// Ctrl-C stops it in order; run it again with the same folder and it goes on.

#include <atomic>
#include <crawler/crawler.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: crawl_web URL FOLDER\n");
    return 2;
  }
  crawler::CrawlOptions options;
  options.seeds = {argv[1]};
  options.folder = argv[2];
  // Only public addresses are connected to unless one says otherwise; this one is for trying it out
  // with a server of one's own.
  options.network.allow_nets = {"127.0.0.0/8"};
  options.delay = std::chrono::milliseconds(50);
  options.max_pages = 1000;

  std::mutex printing;  // Pages come from several threads.
  crawler::CrawlCallbacks callbacks;
  callbacks.on_page = [&](const crawler::CrawledPage& page) {
    const std::lock_guard lock(printing);
    std::printf("depth %d  %.*s  \"%.*s\"\n", page.depth, static_cast<int>(page.url.size()),
                page.url.data(), static_cast<int>(page.title.size()), page.title.data());
  };

  const bool begun = std::filesystem::exists(options.folder + "/crawl.db");
  crawler::Crawl crawl(options, callbacks);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::atomic<bool> over = false;
  std::thread watch([&] {
    while (!over && interrupted == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    crawl.Stop();
  });
  const crawler::CrawlResult result = begun ? crawl.Resume() : crawl.Run();
  over = true;
  watch.join();

  if (!result.message.empty()) std::fprintf(stderr, "%s\n", result.message.c_str());
  std::printf("%llu pages, %llu links\n", static_cast<unsigned long long>(result.statistics.pages),
              static_cast<unsigned long long>(result.statistics.links));
  using Outcome = crawler::CrawlResult::Outcome;
  const bool good = result.outcome == Outcome::kFinished || result.outcome == Outcome::kBudget ||
                    result.outcome == Outcome::kStopped;
  return good ? 0 : 1;
}

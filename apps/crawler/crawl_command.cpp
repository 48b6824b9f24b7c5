#include "crawl_command.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <crawler/crawler.hpp>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <thread>

#include "crawl_options.hpp"
#include "exit_codes.hpp"
#include "progress.hpp"
#include "report_text.hpp"

namespace {

using crawler::Crawl;
using crawler::CrawlResult;

constexpr const char* kCrawlFooter = R"(Examples:
  crawler crawl https://example.org/ --out example --contact https://example.org/about-our-bot
  crawler crawl https://example.org/docs/ --out docs --scope prefix --max-pages 1000
  crawler crawl http://127.0.0.1:8080/ --out mine --allow-net 127.0.0.0/8 --delay 0 --per-host 16

Ctrl-C ends a crawl cleanly, a second one at once; `crawler resume DIR` goes on, also after a crash.

Exit codes: 0 finished, stopped on request, or a budget is spent; 1 no page could be had; 2 the
command line makes no sense; 4 the disk or the database failed, what was committed is kept;
5 another process works on the folder.)";

constexpr const char* kResumeFooter = R"(Examples:
  crawler resume example
  crawler resume example --max-pages 5000

Options given here replace those the crawl was begun with; with --no-robots, what robots.txt had
refused is asked for as well. Exit codes are those of `crawl`.)";

constexpr const char* kRecrawlFooter = R"(Examples:
  crawler recrawl example
  crawler recrawl example --max-pages 5000

Visits everything once more that the crawl reaches from its seeds now, and then the pages it has that
nothing links to any more. Servers are asked for what has changed since (ETag, Last-Modified); pages
that are unchanged stay as they are, changed ones are replaced, those that are gone (404, a redirect,
refused by robots.txt, ...) leave the catalogue and the index; what merely fails this time stays.
The WARC keeps everything. Budgets count afresh. If it is stopped or killed, `crawler resume` goes
on with it.

Options given here replace those the crawl was begun with. Exit codes are those of `crawl`.)";

struct CrawlArguments {
  std::vector<std::string> seeds;
  std::string folder;
  bool log_pages = false;
  bool quiet = false;
  bool json = false;
  enum class Kind { kCrawl, kResume, kRecrawl };
  Kind kind = Kind::kCrawl;
  std::shared_ptr<OptionChanges> changes = std::make_shared<OptionChanges>();
};

/// A line a page: time, priority, depth, size, status, URL.
void LogPage(const crawler::CrawledPage& page) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts);
  std::printf("%s %8.2f %3d %8llu %3d %.*s\n", time, page.score, page.depth,
              static_cast<unsigned long long>(page.size), page.status,
              static_cast<int>(page.url.size()), page.url.data());
}

/// Tells Watch() that the crawl is over; whoever else sends it does no harm.
constexpr int kOverSignal = SIGUSR2;

/// Waits for the crawl to end; meanwhile shows progress and passes signals on.
CrawlResult Watch(Crawl& crawl, const CrawlArguments& arguments, const sigset_t& signals,
                  std::thread& runner, const std::atomic<bool>& over, const CrawlResult& result) {
  Progress progress(arguments.quiet);
  int signals_seen = 0;
  while (!over.load()) {
    const timespec wait{0, 100'000'000};
    const int signal = sigtimedwait(&signals, nullptr, &wait);
    if (signal == SIGINT || signal == SIGTERM) {
      if (++signals_seen == 1) {
        progress.Say("stopping: waiting for what is under way; once more to stop at once");
        crawl.Stop();
      } else {
        crawl.StopNow();
      }
    }
    progress.Show(crawl.statistics());
  }
  runner.join();
  progress.Clear();
  return result;
}

int ExitCodeOf(const CrawlResult& result) {
  switch (result.outcome) {
    case CrawlResult::Outcome::kFinished:
      return result.statistics.pages > 0 ? kExitOk : kExitFailed;
    case CrawlResult::Outcome::kBudget:
    case CrawlResult::Outcome::kStopped:
      return kExitOk;
    case CrawlResult::Outcome::kBadOption:
      return kExitUsage;
    case CrawlResult::Outcome::kFolderBusy:
      return kExitBusy;
    case CrawlResult::Outcome::kStorage:
      return kExitStorage;
  }
  return kExitFailed;
}

CrawlResult Run(Crawl& crawl, const CrawlArguments& arguments) {
  const auto changes = [&](crawler::CrawlOptions& stored) {
    for (const auto& change : *arguments.changes) change(stored);
  };
  switch (arguments.kind) {
    case CrawlArguments::Kind::kCrawl:
      break;
    case CrawlArguments::Kind::kResume:
      return crawl.Resume(changes);
    case CrawlArguments::Kind::kRecrawl:
      return crawl.Recrawl(changes);
  }
  return crawl.Run();
}

int RunCrawl(const CrawlArguments& arguments) {
  crawler::CrawlOptions options;
  options.seeds = arguments.seeds;
  options.folder = arguments.folder;
  if (arguments.kind == CrawlArguments::Kind::kCrawl) {
    for (const auto& change : *arguments.changes) change(options);
  }
  crawler::CrawlCallbacks callbacks;
  if (arguments.log_pages) callbacks.on_page = LogPage;
  if (!arguments.quiet && isatty(STDERR_FILENO) == 0) {
    callbacks.on_log = [](std::string_view line) {
      std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
    };
  }
  callbacks.on_warning = [](std::string_view sentence) {
    // Over the live line, if there is one: it comes back by itself.
    std::fprintf(stderr, "%scrawler: %s\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "",
                 Printable(sentence).c_str());
  };
  // Before the first thread: all of them leave these signals to Watch().
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, kOverSignal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A file that may not grow is a failure to report, not a reason to die.
  signal(SIGXFSZ, SIG_IGN);
  // Connections are files.
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }

  Crawl crawl(options, std::move(callbacks));
  CrawlResult result;
  std::atomic<bool> over{false};
  const pthread_t watcher = pthread_self();
  std::thread runner([&] {
    result = Run(crawl, arguments);
    over.store(true);
    pthread_kill(watcher, kOverSignal);
  });
  Watch(crawl, arguments, signals, runner, over, result);

  const int exit_code = ExitCodeOf(result);
  if (exit_code == kExitUsage || exit_code == kExitBusy) {
    std::fprintf(stderr, "crawler: %s\n", Printable(result.message).c_str());
    return exit_code;
  }
  std::fputs(arguments.json ? TotalsJson(result, arguments.folder).c_str()
                            : Totals(result, arguments.folder).c_str(),
             stdout);
  return exit_code;
}

void AddOutput(CLI::App& command, const std::shared_ptr<CrawlArguments>& arguments) {
  command.add_flag("--log-pages", arguments->log_pages,
                   "Print a line a page: time, priority, depth, size, status, URL");
  command.add_flag("-q,--quiet", arguments->quiet, "No progress, no log; warnings remain");
  command.add_flag("--json", arguments->json, "Print the totals as JSON");
}

// A command for a crawl that there is already.
void AddStored(CLI::App& command, CrawlArguments::Kind kind, int* exit_code) {
  auto arguments = std::make_shared<CrawlArguments>();
  arguments->kind = kind;
  command.add_option("dir", arguments->folder, "The folder of the crawl")->required();
  AddOutput(command, arguments);
  AddCrawlOptions(command, arguments->changes, true);
  command.callback([arguments, exit_code] { *exit_code = RunCrawl(*arguments); });
}

}  // namespace

void AddCrawlCommands(CLI::App& app, int* exit_code) {
  CLI::App* crawl = app.add_subcommand(
      "crawl", "Crawl the web from one or more URLs into a folder: politely, and safe to kill");
  auto arguments = std::make_shared<CrawlArguments>();
  crawl->add_option("url", arguments->seeds, "Where to begin: http or https URLs")->required();
  crawl->add_option("--out", arguments->folder, "The folder of the crawl; made if need be")
      ->required();
  AddOutput(*crawl, arguments);
  AddCrawlOptions(*crawl, arguments->changes, false);
  crawl->footer(kCrawlFooter);
  crawl->callback([arguments, exit_code] { *exit_code = RunCrawl(*arguments); });

  CLI::App* resume = app.add_subcommand("resume", "Go on with a crawl that was stopped or killed");
  AddStored(*resume, CrawlArguments::Kind::kResume, exit_code);
  resume->footer(kResumeFooter);
  CLI::App* recrawl =
      app.add_subcommand("recrawl", "Do a crawl once more: only what has changed is stored anew");
  AddStored(*recrawl, CrawlArguments::Kind::kRecrawl, exit_code);
  recrawl->footer(kRecrawlFooter);
}

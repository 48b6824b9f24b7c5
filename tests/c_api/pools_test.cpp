// The two pools and the queues between them: who waits for whom, who works beside whom.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "c_api/graph_site.hpp"

namespace crawler_test {
namespace {

/// What the kernel says of the other threads of this process: whether they sleep, and how often
/// they have been taken off a processor.
std::map<std::string, std::string> OtherThreads() {
  std::map<std::string, std::string> threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string id = task.path().filename();
    if (id == std::to_string(gettid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:") || line.find("ctxt_switches:") != std::string::npos) {
        threads[id] += line + "\n";
      }
    }
  }
  return threads;
}

/// Whether, sooner or later, no other thread runs for a while, or would like to. Unlike CPU time it
/// tells spinning from waiting on a busy machine too, where who spins gets nearly nothing.
bool FallsAsleep() {
  return Eventually([] {
    const auto before = OtherThreads();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    const auto after = OtherThreads();
    std::size_t awake = 0;
    for (const auto& [id, status] : after) {
      const auto was = before.find(id);
      const bool slept = status.find("(sleeping)") != std::string::npos;
      awake += slept && was != before.end() && was->second == status ? 0 : 1;
    }
    return awake <= (kSanitized ? 1 : 0);  // A sanitizer may have a thread that looks around.
  });
}

/// A crawl whose downloaders get stuck on everything but page 0, a star with more leaves than the
/// downloaders and the queue can hold, until Release().
struct Stall {
  Stall(int downloaders, int parsers, int queue_size) : site(Star(downloaders + queue_size + 20)) {
    site.on_fetch = [this](const std::string& address) {
      if (address != "p0") {
        EXPECT_TRUE(gate.Wait());
      }
    };
    crawl_options options = site.Options("p0");
    options.download_workers = downloaders;
    options.parse_workers = parsers;
    options.queue_size = queue_size;
    job = crawl_open(&options);
    runner = std::thread([this] { EXPECT_EQ(crawl_run(job), CRAWL_DONE); });
  }
  void Release() {
    gate.Open();
    runner.join();
  }
  ~Stall() { crawl_close(job); }

  GraphSite site;
  Gate gate;
  crawl_job* job = nullptr;
  std::thread runner;
};

// "The links queue holds exactly `queue_size` and a parser waits when it is full … Edges are
// reported as the links are pushed, one after the other": with every downloader busy and the queue
// full, the one link more that the parser may have announced is the one it waits to push.
TEST(LinksQueue, ParserWaitsWhenItIsFull) {
  for (const auto& [downloaders, queue_size] :
       std::vector<std::pair<int, int>>{{1, 1}, {5, 1}, {1, 2}, {2, 7}, {3, 100}}) {
    SCOPED_TRACE(testing::Message() << downloaders << " downloaders, queue of " << queue_size);
    Stall stall(downloaders, 1, queue_size);
    const auto held = static_cast<std::size_t>(downloaders + queue_size);
    EXPECT_TRUE(Eventually([&] { return stall.site.EdgeCount() >= held; }));
    std::this_thread::sleep_for(kGlimpse);
    EXPECT_GE(stall.site.EdgeCount(), held);
    EXPECT_LE(stall.site.EdgeCount(), held + 1);
    EXPECT_EQ(stall.site.FetchCount(), 1u + static_cast<std::size_t>(downloaders));
    EXPECT_EQ(StatsOf(stall.job).links_queue_high, static_cast<std::uint64_t>(queue_size));
    stall.Release();
    EXPECT_EQ(StatsOf(stall.job).links_queue_high, static_cast<std::uint64_t>(queue_size));
    stall.site.ExpectReported(Oracle(stall.site.pages, "p0"));
  }
}

// The same seen from a parser of the caller's: crawl_emit() comes back once the link has room.
TEST(LinksQueue, EmitReturnsWhenThereIsRoom) {
  struct World {
    Gate gate;
    std::atomic<int> emitted{0};
  } world;
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "0";
  options.user = &world;
  options.download_workers = 3;
  options.parse_workers = 1;
  options.queue_size = 5;
  options.fetch = [](void* user, crawl_address address, std::size_t*) -> char* {
    if (*address.data == '0') return static_cast<char*>(std::calloc(1, 1));
    EXPECT_TRUE(static_cast<World*>(user)->gate.Wait());
    return nullptr;
  };
  options.parse = [](void* user, const crawl_page*, crawl_links* links) {
    for (char address = 'a'; address <= 'z'; ++address) {
      EXPECT_EQ(crawl_emit(links, &address, 1), 0);
      static_cast<World*>(user)->emitted += 1;
    }
  };
  crawl_job* const job = crawl_open(&options);
  std::thread runner([&] { EXPECT_EQ(crawl_run(job), CRAWL_DONE); });
  EXPECT_TRUE(Eventually([&] { return world.emitted == 8; }));
  std::this_thread::sleep_for(kGlimpse);
  EXPECT_EQ(world.emitted, 8);  // Three being fetched, five waiting.
  world.gate.Open();
  runner.join();
  EXPECT_EQ(world.emitted, 26);
  crawl_close(job);
}

TEST(LinksQueue, HoldsNoMoreWithManyParsers) {
  // Pages 1 … 20 all hand out new links at once.
  const Pages pages = MakePages(
      500, [](int i) { return i <= 20 ? 20 : 0; }, [](int i, int k) { return i * 20 + k + 1; });
  for (const int queue_size : {1, 3, 19}) {
    GraphSite site(pages);
    site.on_fetch = [](const std::string&) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    };
    crawl_options options = site.Options("p0");
    options.download_workers = 2;
    options.parse_workers = 8;
    options.queue_size = queue_size;
    ASSERT_EQ(RunJob(options,
                     [&](crawl_job* job) {
                       EXPECT_EQ(StatsOf(job).links_queue_high,
                                 static_cast<std::uint64_t>(queue_size));
                     }),
              CRAWL_DONE);
    site.ExpectReported(Oracle(pages, "p0"));
  }
}

// "the pages queue is unbounded, so downloaders never wait for parsers"
TEST(PagesQueue, DownloadersNeverWaitForParsers) {
  Pages pages = Star(500);
  for (auto& [address, content] : pages) content += " link:p1";
  GraphSite site(pages);
  Gate gate;
  site.on_edge = [&](const std::string& from, const std::string&) {
    if (from != "p0") {
      EXPECT_TRUE(gate.Wait());
    }
  };
  std::thread runner([&] { EXPECT_EQ(site.Crawl("p0", 3, 2, 1000), 0); });
  EXPECT_TRUE(Eventually([&] { return site.FetchCount() == 501; }))
      << "only " << site.FetchCount() << " of 501 fetched while both parsers were held up";
  EXPECT_TRUE(Eventually([&] { return gate.waiting() == 2; }));
  gate.Open();
  runner.join();
  site.ExpectReported(Oracle(pages, "p0"));
}

// -- Working side by side -------------------------------------------------------------------------

// "No lock is held in a callback. All workers take part when there is work for them": every worker
// of both pools is inside a callback at the same moment.
TEST(Pools, AllWorkersWorkAtOnce) {
  constexpr int kDownloaders = 7;
  constexpr int kParsers = 5;
  Pages pages{{"start", ""}};
  for (int i = 0; i < kParsers; ++i) {
    pages["start"] += " link:parse" + std::to_string(i);
    pages["parse" + std::to_string(i)] = "link:start";
  }
  for (int i = 0; i < kDownloaders; ++i) pages["start"] += " link:fetch" + std::to_string(i);
  GraphSite site(pages);
  Rendezvous all(kDownloaders + kParsers);
  site.on_fetch = [&](const std::string& address) {
    if (address.starts_with("fetch")) all.Arrive();
  };
  site.on_edge = [&](const std::string& from, const std::string&) {
    if (from.starts_with("parse")) all.Arrive();
  };
  ASSERT_EQ(site.Crawl("start", kDownloaders, kParsers, 15), 0);
  EXPECT_TRUE(all.met());
  EXPECT_EQ(site.FetchThreads(), static_cast<std::size_t>(kDownloaders));
  EXPECT_EQ(site.EdgeThreads(), static_cast<std::size_t>(kParsers));
  site.ExpectReported(Oracle(pages, "start"));
}

// Parser and free callbacks too are called by several threads at a time.
TEST(Pools, ParseAndFreeRunSideBySide) {
  struct World {
    Rendezvous parsing{3};
    Rendezvous freeing{3};
  } world;
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "0";
  options.user = &world;
  options.download_workers = 3;
  options.parse_workers = 3;
  options.fetch = [](void*, crawl_address address, std::size_t* length) {
    *length = address.data[0] == '0' ? 0 : 1;
    return static_cast<char*>(std::calloc(1, 1));
  };
  options.parse = [](void* user, const crawl_page* page, crawl_links* links) {
    if (page->depth == 0) {
      for (const char* address : {"a", "b", "c"}) crawl_emit(links, address, 1);
    } else {
      static_cast<World*>(user)->parsing.Arrive();
    }
  };
  options.free_content = [](void* user, char* content, std::size_t length) {
    std::free(content);
    if (length == 1) static_cast<World*>(user)->freeing.Arrive();
  };
  ASSERT_EQ(RunJob(options), CRAWL_DONE);
  EXPECT_TRUE(world.parsing.met());
  EXPECT_TRUE(world.freeing.met());
}

// "No spinning: an idle crawl costs no CPU." Three ways to be idle, each with many workers.
TEST(Idle, WithoutWork) {
  GraphSite site(Star(1));
  Gate gate;
  site.on_fetch = [&](const std::string&) { EXPECT_TRUE(gate.Wait()); };
  std::thread runner([&] { EXPECT_EQ(site.Crawl("p0", 20, 20, 10), 0); });
  EXPECT_TRUE(Eventually([&] { return gate.waiting() == 1; }));
  EXPECT_TRUE(FallsAsleep());
  gate.Open();
  runner.join();
}

TEST(Idle, WithoutRoom) {
  Stall stall(2, 20, 3);
  EXPECT_TRUE(Eventually([&] { return stall.site.EdgeCount() >= 5; }));
  EXPECT_TRUE(FallsAsleep());
  stall.Release();
}

TEST(Idle, WithAPageInAParser) {
  GraphSite site(Star(2));
  Gate gate;
  site.on_edge = [&](const std::string&, const std::string&) { EXPECT_TRUE(gate.Wait()); };
  std::thread runner([&] { EXPECT_EQ(site.Crawl("p0", 20, 20, 10), 0); });
  EXPECT_TRUE(Eventually([&] { return gate.waiting() == 1; }));
  EXPECT_TRUE(FallsAsleep());
  gate.Open();
  runner.join();
}

// -- Several crawls -------------------------------------------------------------------------------

TEST(Pools, TwoCrawlsAtOnceDoNotMix) {
  Pages pages = Complete(30, "left");
  pages.merge(Complete(30, "right"));
  GraphSite site(pages);
  // Each crawl is under way when the other one begins its first fetch.
  Rendezvous both(2);
  site.on_fetch = [&](const std::string& address) {
    if (address == "left0" || address == "right0") both.Arrive();
  };
  site.MakeCurrent();
  const auto run = [](std::string start) {
    EXPECT_EQ(crawl(start.data(), 3, 3, 2, GraphSite::PlainFetch, GraphSite::PlainEdge), 0);
  };
  std::thread left(run, "left0");
  std::thread right(run, "right0");
  left.join();
  right.join();
  EXPECT_TRUE(both.met());
  Truth truth = Oracle(pages, "left0");
  Truth other = Oracle(pages, "right0");
  truth.depth.merge(other.depth);
  truth.edges.merge(other.edges);
  site.ExpectReported(truth);
}

/// Crawls a small site of its own, as a callback may.
void CrawlInside() {
  GraphSite site(Complete(5));
  crawl_options options = site.Options("p0");
  options.queue_size = 1;
  ASSERT_EQ(RunJob(options), CRAWL_DONE);
  site.ExpectReported(Oracle(site.pages, "p0"));
}

// "a crawl started inside a callback, work[s]"
TEST(Pools, EveryCallbackMayCrawl) {
  GraphSite site(Complete(6));
  site.on_fetch = [](const std::string&) { CrawlInside(); };
  site.on_edge = [](const std::string&, const std::string&) { CrawlInside(); };
  ASSERT_EQ(site.Crawl("p0", 2, 2, 1), 0);
  site.ExpectReported(Oracle(site.pages, "p0"));

  std::atomic<int> inside{0};
  crawl_options options = site.Options("p0");
  options.user = &inside;
  options.edge = nullptr;
  options.fetch = [](void*, crawl_address, std::size_t*) {
    return static_cast<char*>(std::calloc(1, 1));
  };
  options.free_content = [](void* user, char* content, std::size_t) {
    CrawlInside();
    *static_cast<std::atomic<int>*>(user) += 1;
    std::free(content);
  };
  options.parse = [](void* user, const crawl_page*, crawl_links* links) {
    CrawlInside();
    *static_cast<std::atomic<int>*>(user) += 1;
    crawl_emit(links, "b", 1);
  };
  options.log = [](void* user, int, const char*) {
    CrawlInside();
    *static_cast<std::atomic<int>*>(user) += 1;
  };
  ASSERT_EQ(RunJob(options), CRAWL_DONE);
  EXPECT_GT(inside, 4);  // Two pages parsed and freed, and what was logged.
}

}  // namespace
}  // namespace crawler_test

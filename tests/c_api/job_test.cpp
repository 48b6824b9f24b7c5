// A job's life: run once, stopped or not, its statistics and its log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

#include "c_api/graph_site.hpp"
#include "c_api/random_pages.hpp"

namespace crawler_test {
namespace {

TEST(Job, RunsOnce) {
  GraphSite site(Star(3));
  const crawl_options options = site.Options("p0");
  crawl_job* const job = crawl_open(&options);
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(crawl_run(job), CRAWL_DONE);
  EXPECT_EQ(crawl_run(job), CRAWL_FAILED);
  EXPECT_STRNE(crawl_error(), "");
  EXPECT_EQ(site.FetchCount(), 4u);
  EXPECT_EQ(StatsOf(job).pages_fetched, 4u);
  crawl_close(job);
}

TEST(Job, DoesNotRunInsideItself) {
  GraphSite site(Star(3));
  crawl_job* job = nullptr;
  site.on_fetch = [&](const std::string&) { EXPECT_EQ(crawl_run(job), CRAWL_FAILED); };
  const crawl_options options = site.Options("p0");
  job = crawl_open(&options);
  EXPECT_EQ(crawl_run(job), CRAWL_DONE);
  EXPECT_EQ(site.FetchCount(), 4u);
  crawl_close(job);
}

TEST(Job, MayBeClosedWithoutARun) {
  GraphSite site(Pages{});
  const crawl_options options = site.Options("p0");
  crawl_close(crawl_open(&options));
  crawl_close(nullptr);
  EXPECT_EQ(site.FetchCount(), 0u);
}

// "If a callback written in C++ throws, the crawl ends with CRAWL_FAILED and the message".
TEST(Job, ACallbackThatThrowsEndsItWithItsMessage) {
  const auto fetch = [](void*, crawl_address, size_t*) -> char* {
    throw std::runtime_error("fetch broke");
  };
  const auto parse = [](void*, const crawl_page*, crawl_links*) {
    throw std::runtime_error("parse broke");
  };
  const auto edge = [](void*, crawl_address, crawl_address) {
    throw std::runtime_error("edge broke");
  };
  const auto emit = [](void*, const crawl_page*, crawl_links* links) {
    EXPECT_EQ(crawl_emit(links, "p1", 2), -1);  // `edge` throws; that is no business of a parser.
  };
  const auto log = [](void*, int, const char*) { throw std::runtime_error("log broke"); };
  const auto error_of = [](const std::function<void(crawl_options&)>& change) {
    GraphSite site(Star(3));
    crawl_options options = site.Options("p0");
    change(options);
    EXPECT_EQ(RunJob(options), CRAWL_FAILED);
    return std::string(crawl_error());
  };
  EXPECT_EQ(error_of([&](crawl_options& options) { options.fetch = fetch; }), "fetch broke");
  EXPECT_EQ(error_of([&](crawl_options& options) { options.parse = parse; }), "parse broke");
  EXPECT_EQ(error_of([&](crawl_options& options) { options.edge = edge; }), "edge broke");
  EXPECT_EQ(error_of([&](crawl_options& options) {
              options.edge = edge;
              options.parse = emit;
            }),
            "edge broke");
  EXPECT_EQ(error_of([&](crawl_options& options) { options.log = log; }), "log broke");
}

// -- Stopping -------------------------------------------------------------------------------------

TEST(Stop, BeforeTheRunFetchesNothing) {
  GraphSite site(Star(3));
  const crawl_options options = site.Options("p0");
  crawl_job* const job = crawl_open(&options);
  crawl_stop(job);
  crawl_stop(job);  // "Idempotent; no-op on NULL."
  crawl_stop(nullptr);
  EXPECT_EQ(crawl_run(job), CRAWL_STOPPED);
  EXPECT_EQ(site.FetchCount(), 0u);
  EXPECT_STREQ(crawl_error(), "");
  crawl_close(job);
}

TEST(Stop, AfterTheRunChangesNothing) {
  GraphSite site(Star(3));
  EXPECT_EQ(RunJob(site.Options("p0"),
                   [](crawl_job* job) {
                     crawl_stop(job);
                     EXPECT_EQ(StatsOf(job).pages_fetched, 4u);
                   }),
            CRAWL_DONE);
}

/// A job on a graph that would take long, and where in it crawl_stop() is called.
struct StopAt {
  explicit StopAt(Pages pages, int workers = 4, int queue_size = 3) : site(std::move(pages)) {
    options = site.Options("p0");
    options.download_workers = options.parse_workers = workers;
    options.queue_size = queue_size;
  }
  /// Runs, and checks what always holds: it says that it was stopped, content was freed, the
  /// statistics agree, and no thread is left.
  void Run() {
    const std::size_t before = IdleTaskCount();
    job = crawl_open(&options);
    ASSERT_NE(job, nullptr);
    EXPECT_EQ(crawl_run(job), CRAWL_STOPPED);
    const crawl_stats stats = StatsOf(job);
    EXPECT_EQ(stats.pages_fetched, site.freed);
    EXPECT_EQ(stats.pages_fetched + stats.pages_broken, site.FetchCount());
    EXPECT_EQ(stats.edges, site.EdgeCount());
    crawl_close(job);
    EXPECT_TRUE(Eventually([&] { return TaskCount() <= before; }));
  }
  GraphSite site;
  crawl_options options;
  crawl_job* job = nullptr;
};

TEST(Stop, FromFetch) {
  StopAt at(Complete(300), 1);
  at.site.on_fetch = [&](const std::string&) {
    if (at.site.FetchCount() == 10) crawl_stop(at.job);
  };
  at.Run();
  EXPECT_EQ(at.site.FetchCount(), 10u);  // "nothing new is fetched"
}

TEST(Stop, FromEdge) {
  StopAt at(Star(100000), 1, 1000000);
  at.site.on_edge = [&](const std::string&, const std::string& to) {
    if (to == "p10") crawl_stop(at.job);
  };
  at.Run();
  EXPECT_EQ(at.site.EdgeCount(), 10u) << "of a page that is no longer wanted";
}

TEST(Stop, FromParseAndEmitSaysSo) {
  static StopAt* at = nullptr;
  static std::atomic<int> refused{0};
  refused = 0;
  StopAt here(Star(5), 1);
  at = &here;
  here.options.parse = [](void*, const crawl_page*, crawl_links* links) {
    EXPECT_EQ(crawl_emit(links, "before", 6), 0);
    crawl_stop(at->job);
    if (crawl_emit(links, "after", 5) == -1) ++refused;
    if (crawl_emit(links, "after", 5) == -1) ++refused;
  };
  here.Run();
  EXPECT_EQ(refused, 2);
}

TEST(Stop, FromFreeAndLog) {
  static StopAt* at = nullptr;
  const Pages chain = MakePages(
      300, [](int i) { return i < 299 ? 1 : 0; }, [](int i, int) { return i + 1; });
  StopAt freeing(chain, 1);
  at = &freeing;
  freeing.options.free_content = [](void* user, char* content, std::size_t) {
    crawl_stop(at->job);
    static_cast<GraphSite*>(user)->freed += 1;
    std::free(content);
  };
  freeing.Run();
  EXPECT_LE(freeing.site.FetchCount(), 2u);  // The page it was, and the one it links to.

  StopAt logging(chain, 1);
  at = &logging;
  logging.options.log = [](void*, int, const char*) { crawl_stop(at->job); };
  logging.Run();
  EXPECT_LT(logging.site.FetchCount(), 300u);
}

// "callbacks under way finish", and nothing begins after them: neither the downloads that wait in
// the queue nor the pages that wait for a parser.
TEST(Stop, FromOutsideLetsOnlyCallbacksUnderWayFinish) {
  Pages pages = Star(100);
  for (auto& [address, content] : pages) content += " link:p1 link:p2";
  StopAt at(pages, 4, 1000);
  at.options.parse_workers = 2;
  Gate fetching, reporting;
  std::atomic<int> fetches{0};
  at.site.on_fetch = [&](const std::string&) {
    if (++fetches > 21) {
      EXPECT_TRUE(fetching.Wait());
    }
  };
  at.site.on_edge = [&](const std::string& from, const std::string&) {
    if (from != "p0") {
      EXPECT_TRUE(reporting.Wait());
    }
  };
  std::thread stopper([&] {
    EXPECT_TRUE(Eventually([&] { return fetching.waiting() == 4 && reporting.waiting() == 2; }));
    crawl_stop(at.job);
    std::this_thread::sleep_for(kGlimpse);
    EXPECT_EQ(fetches, 25);
    reporting.Open();
    fetching.Open();
  });
  at.Run();
  stopper.join();
  EXPECT_EQ(fetches, 25);
  std::set<std::string> parsed;
  for (const auto& [from, to] : at.site.Edges()) parsed.insert(from);
  EXPECT_EQ(parsed.size(), 3u);  // The start and the two under way.
}

TEST(Stop, WakesAParserThatWaitsForRoom) {
  StopAt at(Star(100), 1, 2);
  Gate gate;
  at.site.on_fetch = [&](const std::string& address) {
    if (address != "p0") {
      EXPECT_TRUE(gate.Wait());
    }
  };
  std::thread stopper([&] {
    EXPECT_TRUE(Eventually([&] { return gate.waiting() == 1 && at.site.EdgeCount() >= 3; }));
    crawl_stop(at.job);
    gate.Open();
  });
  at.Run();
  stopper.join();
  EXPECT_EQ(at.site.FetchCount(), 2u);
  EXPECT_LE(at.site.EdgeCount(), 4u);
}

TEST(Stop, AtAnyMoment) {
  const Pages pages = Complete(120);
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    GraphSite site(pages);
    crawl_options options = site.Options("p0");
    options.queue_size = 1 + static_cast<int>(random() % 5);
    options.max_depth = i % 2 == 0 ? CRAWL_UNLIMITED : 5;
    crawl_job* const job = crawl_open(&options);
    std::thread stopper([&, pause = random() % 3000] {
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
      crawl_stop(job);
    });
    const int result = crawl_run(job);
    stopper.join();
    crawl_close(job);
    EXPECT_EQ(site.freed, site.FetchCount());
    if (result == CRAWL_DONE) {
      site.ExpectReported(Oracle(pages, "p0"));
    } else {
      EXPECT_EQ(result, CRAWL_STOPPED);
    }
  }
}

// -- Statistics -----------------------------------------------------------------------------------

TEST(Stats, BeforeTheRunAreZero) {
  GraphSite site(Pages{});
  crawl_options options = site.Options("p0");
  options.download_workers = 7;
  options.parse_workers = 5;
  crawl_job* const job = crawl_open(&options);
  const crawl_stats stats = StatsOf(job);
  EXPECT_EQ(stats.pages_fetched + stats.pages_broken + stats.bytes_fetched + stats.edges, 0u);
  EXPECT_EQ(stats.duplicates + stats.links_queue_high + stats.parser_blocked_ns, 0u);
  EXPECT_EQ(stats.elapsed_ns, 0u);
  EXPECT_EQ(stats.download_workers, 7);
  EXPECT_EQ(stats.parse_workers, 5);
  EXPECT_EQ(crawl_worker_pages(job, 0), 0u);
  EXPECT_EQ(crawl_worker_edges(job, 0), 0u);
  crawl_close(job);
}

TEST(Stats, AreExact) {
  std::mt19937 random(21);
  for (int i = 0; i < 30; ++i) {
    const Pages pages = RandomPages(random, 150);
    const std::string start = pages.begin()->first;
    const Truth truth = Oracle(pages, start);
    GraphSite site(pages);
    crawl_options options = site.Options(start.c_str());
    options.download_workers = 1 + static_cast<int>(random() % 6);
    options.parse_workers = 1 + static_cast<int>(random() % 6);
    options.queue_size = 1 + static_cast<int>(random() % 30);
    const auto check = [&](crawl_job* job) {
      const crawl_stats stats = StatsOf(job);
      EXPECT_EQ(stats.pages_fetched, truth.fetched);
      EXPECT_EQ(stats.pages_broken, truth.broken);
      EXPECT_EQ(stats.bytes_fetched, truth.bytes);
      EXPECT_EQ(stats.edges, truth.edge_count);
      EXPECT_EQ(stats.duplicates, truth.edge_count - (truth.known.size() - 1));
      EXPECT_GE(stats.links_queue_high, 1u);
      EXPECT_LE(stats.links_queue_high, static_cast<std::uint64_t>(options.queue_size));
      EXPECT_EQ(stats.download_workers, options.download_workers);
      EXPECT_EQ(stats.parse_workers, options.parse_workers);
      std::uint64_t pages_of_workers = 0, edges_of_workers = 0;
      for (int w = 0; w < stats.download_workers; ++w)
        pages_of_workers += crawl_worker_pages(job, w);
      for (int w = 0; w < stats.parse_workers; ++w) edges_of_workers += crawl_worker_edges(job, w);
      EXPECT_EQ(pages_of_workers, truth.fetched + truth.broken);
      EXPECT_EQ(edges_of_workers, truth.edge_count);
      for (const int none : {-1, options.download_workers, 1 << 30}) {
        EXPECT_EQ(crawl_worker_pages(job, none), 0u) << none;
      }
      for (const int none : {-1, options.parse_workers, 1 << 30}) {
        EXPECT_EQ(crawl_worker_edges(job, none), 0u) << none;
      }
    };
    ASSERT_EQ(RunJob(options, check), CRAWL_DONE);
  }
}

TEST(Stats, CountPerWorker) {
  GraphSite site(Star(3));
  Rendezvous all(3);
  site.on_fetch = [&](const std::string& address) {
    if (address != "p0") all.Arrive();
  };
  crawl_options options = site.Options("p0");
  options.download_workers = 3;
  const auto check = [](crawl_job* job) {
    for (int w = 0; w < 3; ++w) {
      EXPECT_GE(crawl_worker_pages(job, w), 1u);
      EXPECT_LE(crawl_worker_pages(job, w), 2u);
    }
  };
  EXPECT_EQ(RunJob(options, check), CRAWL_DONE);
  EXPECT_TRUE(all.met());
}

// Readable at any time, from any callback; no lock of the crawl is held there.
TEST(Stats, GrowWhileItRuns) {
  GraphSite site(Complete(40));
  crawl_job* job = nullptr;
  std::atomic<std::uint64_t> edges_before{0};
  site.on_fetch = [&](const std::string&) {
    const crawl_stats stats = StatsOf(job);
    EXPECT_LE(stats.pages_fetched + stats.pages_broken, site.FetchCount());
    EXPECT_LE(crawl_worker_pages(job, 0), site.FetchCount());
    EXPECT_GT(stats.elapsed_ns, 0u);
  };
  site.on_edge = [&](const std::string&, const std::string&) {
    const std::uint64_t now = StatsOf(job).edges;
    EXPECT_LE(now, 1600u);
    edges_before = now;
    EXPECT_LE(crawl_worker_edges(job, 1), 1600u);
  };
  const crawl_options options = site.Options("p0");
  job = crawl_open(&options);
  EXPECT_EQ(crawl_run(job), CRAWL_DONE);
  EXPECT_GT(edges_before, 1000u);
  EXPECT_EQ(StatsOf(job).edges, 1600u);
  crawl_close(job);
}

TEST(Stats, ClockStopsWithTheRun) {
  GraphSite site(Star(1));
  constexpr std::chrono::nanoseconds kPause = std::chrono::milliseconds(30);
  site.on_fetch = [&](const std::string&) { std::this_thread::sleep_for(kPause); };
  const auto begin = std::chrono::steady_clock::now();
  const auto check = [&](crawl_job* job) {
    const auto elapsed = std::chrono::nanoseconds(StatsOf(job).elapsed_ns);
    EXPECT_GE(elapsed, 2 * kPause);
    EXPECT_LE(elapsed, std::chrono::steady_clock::now() - begin);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(std::chrono::nanoseconds(StatsOf(job).elapsed_ns), elapsed);
  };
  EXPECT_EQ(RunJob(site.Options("p0"), check), CRAWL_DONE);
}

TEST(Stats, TimeParsersWereBlocked) {
  const auto blocked = [&](int queue_size) {
    GraphSite site(Star(3));
    site.on_fetch = [&](const std::string& address) {
      if (address != "p1") return;
      // The last link is announced: now the parser pushes it, and waits if there is no room.
      EXPECT_TRUE(Eventually([&] { return site.EdgeCount() == 3; }));
      std::this_thread::sleep_for(2 * kGlimpse);
    };
    crawl_options options = site.Options("p0");
    options.download_workers = options.parse_workers = 1;
    options.queue_size = queue_size;
    std::chrono::nanoseconds time{};
    EXPECT_EQ(RunJob(options,
                     [&](crawl_job* job) {
                       time = std::chrono::nanoseconds(StatsOf(job).parser_blocked_ns);
                       EXPECT_LE(StatsOf(job).parser_blocked_ns, StatsOf(job).elapsed_ns);
                     }),
              CRAWL_DONE);
    return time;
  };
  EXPECT_GE(blocked(1), kGlimpse / 2);
  EXPECT_EQ(blocked(10).count(), 0);
}

// "Nanoseconds that download worker `worker` has spent in finished calls of `fetch`", and its like.
TEST(Stats, TimeInCallbacksPerWorker) {
  constexpr std::chrono::nanoseconds kPause = std::chrono::milliseconds(20);
  GraphSite site(Star(3));
  site.on_fetch = [&](const std::string&) { std::this_thread::sleep_for(kPause); };
  site.on_edge = [&](const std::string&, const std::string&) {
    std::this_thread::sleep_for(2 * kPause);
  };
  crawl_options options = site.Options("p0");
  options.download_workers = 2;
  options.parse_workers = 3;
  const auto check = [&](crawl_job* job) {
    const crawl_stats stats = StatsOf(job);
    std::uint64_t fetching = 0, parsing = 0;
    for (int i = 0; i < 2; ++i) fetching += crawl_worker_fetch_ns(job, i);
    for (int i = 0; i < 3; ++i) parsing += crawl_worker_parse_ns(job, i);
    EXPECT_EQ(fetching, stats.fetch_ns);
    EXPECT_EQ(parsing, stats.parse_ns);
    EXPECT_GE(std::chrono::nanoseconds(fetching), 4 * kPause);
    EXPECT_GE(std::chrono::nanoseconds(parsing), 3 * 2 * kPause);
    EXPECT_LE(fetching, 2 * stats.elapsed_ns);
    EXPECT_LE(parsing, 3 * stats.elapsed_ns);
    for (int i = 0; i < 2; ++i) {  // A worker that fetched n pages slept n times.
      EXPECT_GE(std::chrono::nanoseconds(crawl_worker_fetch_ns(job, i)),
                crawl_worker_pages(job, i) * kPause);
    }
    EXPECT_GE(stats.pages_queue_high, 1u);
    EXPECT_LE(stats.pages_queue_high, 3u);
    for (const int none : {-1, 3, 1000}) {
      EXPECT_EQ(crawl_worker_fetch_ns(job, none), 0u);
      EXPECT_EQ(crawl_worker_parse_ns(job, none), 0u);
    }
  };
  EXPECT_EQ(RunJob(options, check), CRAWL_DONE);
  EXPECT_EQ(crawl_worker_fetch_ns(nullptr, 0), 0u);
  EXPECT_EQ(crawl_worker_parse_ns(nullptr, 0), 0u);
}

// "without the time it waited for room in the links queue"
TEST(Stats, BlockedParserIsNotParsing) {
  GraphSite site(Star(3));
  site.on_fetch = [&](const std::string& address) {
    if (address == "p1") std::this_thread::sleep_for(4 * kGlimpse);
  };
  crawl_options options = site.Options("p0");
  options.download_workers = options.parse_workers = options.queue_size = 1;
  const auto check = [&](crawl_job* job) {
    const crawl_stats stats = StatsOf(job);
    EXPECT_GE(std::chrono::nanoseconds(stats.parser_blocked_ns), 2 * kGlimpse);
    EXPECT_LT(stats.parse_ns, stats.parser_blocked_ns);
  };
  EXPECT_EQ(RunJob(options, check), CRAWL_DONE);
}

TEST(Stats, OlderProgramGetsWhatItKnows) {
  GraphSite site(Star(3));
  const auto check = [](crawl_job* job) {
    crawl_stats stats;
    std::memset(&stats, 0xa5, sizeof stats);
    crawl_get_stats(job, &stats, offsetof(crawl_stats, fetch_ns));
    EXPECT_EQ(stats.pages_fetched, 4u);
    EXPECT_EQ(stats.fetch_ns, 0xa5a5a5a5a5a5a5a5u) << "beyond what the program knows";
  };
  EXPECT_EQ(RunJob(site.Options("p0"), check), CRAWL_DONE);
}

// -- Log ------------------------------------------------------------------------------------------

// "The library never prints, exits or aborts. It is silent unless a log callback is set."
TEST(Log, SilentWithoutCallback) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  GraphSite site(Star(3));
  EXPECT_EQ(site.Crawl("p0", 2, 2, 2), 0);
  EXPECT_EQ(site.Crawl("p0", 0, 2, 2), -1);
  EXPECT_EQ(RunJob(site.Options("p0")), CRAWL_DONE);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Log, LinesLookAsDocumented) {
  struct World {
    std::mutex mutex;
    std::vector<std::pair<int, std::string>> lines;
  } world;
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "start\npage";
  options.user = &world;
  options.fetch = [](void*, crawl_address, std::size_t*) {
    return static_cast<char*>(std::calloc(1, 1));
  };
  options.log = [](void* user, int level, const char* line) {
    World& w = *static_cast<World*>(user);
    const std::lock_guard lock(w.mutex);
    w.lines.emplace_back(level, line);
  };
  ASSERT_EQ(RunJob(options), CRAWL_DONE);
  ASSERT_FALSE(world.lines.empty());
  const char* const names[] = {"DEBUG", "INFO ", "WARN ", "ERROR"};
  for (const auto& [level, line] : world.lines) {
    EXPECT_THAT(line, testing::MatchesRegex(
                          "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3} " +
                          std::string(names[level]) +
                          " \\[[a-z0-9-]+\\] [A-Za-z]+ - [^{}]+( \\{[a-z_]+=.*\\})?"));
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

/// The log of a crawl whose parser is blocked, at `level`.
std::string LogOfBlockedCrawl(int level) {
  static std::mutex mutex;
  static std::string log;
  log.clear();
  GraphSite site(Star(5));
  site.on_fetch = [&](const std::string& address) {
    if (address == "p1") std::this_thread::sleep_for(kGlimpse);
  };
  crawl_options options = site.Options("p0");
  options.download_workers = options.parse_workers = options.queue_size = 1;
  options.log_level = level;
  options.log = [](void*, int line_level, const char* line) {
    const std::lock_guard lock(mutex);
    log.append(std::to_string(line_level)).append(" ").append(line).append("\n");
  };
  EXPECT_EQ(RunJob(options), CRAWL_DONE);
  return log;
}

// "Debug lines tell of queue sizes, blocked parsers and workers."
TEST(Log, DebugLinesTellOfWorkersAndQueues) {
  using testing::ContainsRegex;
  const std::string log = LogOfBlockedCrawl(0);
  for (const char* thread : {"downloader-0", "parser-0"}) {
    for (const char* event : {"started", "ended"}) {
      EXPECT_THAT(log, ContainsRegex("0 [^\n]*DEBUG \\[" + std::string(thread) +
                                     "\\] GraphCrawl - Worker " + event +
                                     " \\{links=[0-9]+, pages=[0-9]+\\}"));
    }
  }
  EXPECT_THAT(log, ContainsRegex("\\[parser-0\\] GraphCrawl - Links queue full, parser blocked "
                                 "\\{links=1, pages=[0-9]+\\}"));
  EXPECT_THAT(log, ContainsRegex("\\[parser-0\\] GraphCrawl - Parser unblocked "
                                 "\\{waited_us=[0-9]+, links=[0-9]+, pages=[0-9]+\\}"));
  EXPECT_THAT(log, ContainsRegex("1 [^\n]*GraphCrawl - Ended \\{pages=6, broken=0, edges=5, "));
}

TEST(Log, GrowthOfThePagesQueueIsLogged) {
  static std::mutex mutex;
  static std::string log;
  log.clear();
  GraphSite site(MakePages(
      200, [](int i) { return i == 0 ? 199 : 0; }, [](int, int link) { return link + 1; }));
  crawl_options options = site.Options("p0");
  options.download_workers = options.parse_workers = 1;
  options.log_level = 0;
  // The parser is slow with the second page: the rest gather behind it.
  options.parse = [](void* user, const crawl_page* page, crawl_links* links) {
    auto& all = *static_cast<GraphSite*>(user);
    for (const std::string& link : NaiveLinks(page->content)) {
      crawl_emit(links, link.data(), link.size());
    }
    if (page->depth == 1) {
      EXPECT_TRUE(Eventually([&] { return all.FetchCount() == 200; }));
    }
  };
  options.log = [](void*, int, const char* line) {
    const std::lock_guard lock(mutex);
    log.append(line).append("\n");
  };
  ASSERT_EQ(RunJob(options), CRAWL_DONE);
  for (const char* pages : {"64", "128"}) {
    EXPECT_THAT(log, testing::ContainsRegex("\\[downloader-0\\] GraphCrawl - Pages queue grows "
                                            "\\{links=[0-9]+, pages=" +
                                            std::string(pages) + "\\}"));
  }
}

TEST(Log, LevelIsTheLeastOne) {
  EXPECT_THAT(LogOfBlockedCrawl(1), testing::Not(testing::HasSubstr("DEBUG")));
  EXPECT_THAT(LogOfBlockedCrawl(1), testing::HasSubstr("Started"));
  EXPECT_EQ(LogOfBlockedCrawl(2), "");
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  EXPECT_EQ(options.log_level, 1);
  GraphSite site(Star(1));
  for (const int bad : {-1, 4}) {
    options = site.Options("p0");
    options.log_level = bad;
    EXPECT_EQ(crawl_open(&options), nullptr);
    EXPECT_THAT(crawl_error(), testing::HasSubstr("log_level"));
  }
}

}  // namespace
}  // namespace crawler_test

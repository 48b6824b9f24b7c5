// max_pages and max_depth: exact, also with many workers.
#include <gtest/gtest.h>

#include <charconv>

#include "c_api/graph_site.hpp"
#include "c_api/random_pages.hpp"

namespace crawler_test {
namespace {

/// "At most this many calls of `fetch`, exactly; links beyond are reported, not followed."
void ExpectPageLimit(const Pages& pages, const std::string& start, std::uint64_t max_pages,
                     int workers, int queue_size) {
  SCOPED_TRACE(testing::Message() << max_pages << " pages, " << workers << " workers, queue of "
                                  << queue_size);
  const Truth truth = Oracle(pages, start);
  GraphSite site(pages);
  crawl_options options = site.Options(start.c_str());
  options.download_workers = options.parse_workers = workers;
  options.queue_size = queue_size;
  options.max_pages = max_pages;
  crawl_stats stats{};
  ASSERT_EQ(RunJob(options, [&](crawl_job* job) { stats = StatsOf(job); }), CRAWL_DONE);

  const std::vector<std::string> fetches = site.Fetches();
  ASSERT_EQ(fetches.size(), std::min<std::uint64_t>(max_pages, truth.depth.size()));
  const std::set<std::string> distinct(fetches.begin(), fetches.end());
  ASSERT_EQ(distinct.size(), fetches.size());
  ASSERT_EQ(stats.pages_fetched + stats.pages_broken, fetches.size());
  // Every page that was fetched tells all its links.
  std::map<std::string, std::vector<std::string>> reported, expected;
  for (const auto& [from, to] : site.Edges()) reported[from].push_back(to);
  for (const auto& [from, to] : truth.edges) {
    if (distinct.contains(from)) expected[from] = to;
  }
  ASSERT_EQ(reported, expected);
}

TEST(MaxPages, IsExact) {
  const Pages pages = Complete(60);
  for (const std::uint64_t limit : {0, 1, 2, 3, 10, 59, 60, 61, 1000}) {
    for (const int workers : {1, 8}) {
      ExpectPageLimit(pages, "p0", limit, workers, 1);
      ExpectPageLimit(pages, "p0", limit, workers, 100);
    }
  }
}

TEST(MaxPages, BrokenOnesCount) {
  Pages pages = Star(50);
  for (int i = 1; i <= 50; i += 2) pages.erase("p" + std::to_string(i));
  for (const std::uint64_t limit : {1, 2, 25, 51, 52}) ExpectPageLimit(pages, "p0", limit, 4, 3);
}

TEST(MaxPages, IsExactOnRandomGraphs) {
  std::mt19937 random(11);
  for (int i = 0; i < (kSanitized ? 30 : 150); ++i) {
    const Pages pages = RandomPages(random, 200);
    ExpectPageLimit(pages, pages.begin()->first, random() % 150, 1 + static_cast<int>(random() % 8),
                    1 + static_cast<int>(random() % 20));
  }
}

// Parsers that do nothing but find new pages, side by side, as fast as they can.
TEST(MaxPages, IsExactUnderContention) {
  constexpr int kParsers = 4;
  constexpr int kLinks = kSanitized ? 5000 : 100000;
  static std::atomic<std::uint64_t> fetches;
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "start";
  options.parse_workers = kParsers;
  options.queue_size = kParsers * kLinks;
  options.fetch = [](void*, crawl_address address, std::size_t*) -> char* {
    ++fetches;
    const bool is_page = *address.data == 's' || address.length == 1;
    return is_page ? static_cast<char*>(std::calloc(1, 1)) : nullptr;
  };
  options.parse = [](void*, const crawl_page* page, crawl_links* links) {
    if (page->depth == 0) {
      for (char parser = 'a'; parser < 'a' + kParsers; ++parser) crawl_emit(links, &parser, 1);
      return;
    }
    char address[16] = {*page->address.data};
    for (int i = 0; i < kLinks; ++i) {
      const auto [end, error] = std::to_chars(address + 1, std::end(address), i);
      crawl_emit(links, address, static_cast<std::size_t>(end - address));
    }
  };
  for (const std::uint64_t limit : {kLinks * kParsers / 2, kLinks * kParsers}) {
    fetches = 0;
    options.max_pages = limit;
    ASSERT_EQ(RunJob(options), CRAWL_DONE);
    EXPECT_EQ(fetches, limit);
  }
}

/// "Pages further than this many links from the start are not fetched; links to them are still
/// reported. Exact": a page is as deep as its shortest path, in whatever order the workers come.
void ExpectDepthLimit(const Pages& pages, std::uint64_t max_depth, int downloaders, int parsers,
                      int queue_size) {
  SCOPED_TRACE(testing::Message() << "depth " << max_depth << ", workers " << downloaders << " "
                                  << parsers << ", queue of " << queue_size);
  const std::string start = pages.begin()->first;
  GraphSite site(pages);
  crawl_options options = site.Options(start.c_str());
  options.parse = GraphSite::Parse;
  options.download_workers = downloaders;
  options.parse_workers = parsers;
  options.queue_size = queue_size;
  options.max_depth = max_depth;
  ASSERT_EQ(RunJob(options), CRAWL_DONE);
  const Truth truth = Oracle(pages, start, max_depth);
  site.ExpectReported(truth);
  for (const auto& [address, depth] : site.Depths()) {
    ASSERT_EQ(depth, truth.depth.at(address)) << address;
  }
}

TEST(MaxDepth, IsExact) {
  const Pages chain = MakePages(
      20, [](int i) { return i < 19 ? 1 : 0; }, [](int i, int) { return i + 1; });
  const Pages complete = Complete(30);
  for (const std::uint64_t limit : {0, 1, 2, 7, 18, 19, 20, 100}) {
    for (const int workers : {1, 6}) {
      ExpectDepthLimit(chain, limit, workers, workers, 1);
      ExpectDepthLimit(complete, limit, workers, workers, 2);
    }
  }
}

// The long way round is quick and the short cut slow: who counted the first path found would take
// the page for deeper than it is, and not go on from there.
TEST(MaxDepth, SlowShortCutCounts) {
  const Pages pages{{"a", "link:slow link:b"}, {"slow", "link:goal"}, {"b", "link:c"},
                    {"c", "link:goal"},        {"goal", "link:end"},  {"end", ""}};
  for (const int workers : {1, 4}) {
    GraphSite site(pages);
    site.on_fetch = [](const std::string& address) {
      if (address == "slow") std::this_thread::sleep_for(kGlimpse);
    };
    crawl_options options = site.Options("a");
    options.download_workers = options.parse_workers = workers;
    options.max_depth = 3;
    ASSERT_EQ(RunJob(options), CRAWL_DONE);
    site.ExpectReported(Oracle(pages, "a", 3));
    EXPECT_EQ(site.FetchCount(), 6u);
  }
}

// A level may end with a page, with a broken link, or with a page without links; the next one may
// be far larger than the queue.
TEST(MaxDepth, LevelsLargerThanTheQueue) {
  Pages pages = MakePages(
      400, [](int) { return 6; }, [](int i, int k) { return i * 6 + k + 1; });  // Most broken.
  for (const std::uint64_t limit : {1, 2, 3, 4, 50}) {
    ExpectDepthLimit(pages, limit, 1, 1, 1);
    ExpectDepthLimit(pages, limit, 1, 5, 1);
    ExpectDepthLimit(pages, limit, 5, 1, 1);
    ExpectDepthLimit(pages, limit, 5, 5, 3);
  }
  ExpectDepthLimit(Star(1000), 1, 1, 1, 1);
}

TEST(MaxDepth, IsExactOnRandomGraphs) {
  std::mt19937 random(12);
  const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % most); };
  for (int i = 0; i < (kSanitized ? 60 : 300); ++i) {
    const Pages pages = RandomPages(random, up_to(300));
    ExpectDepthLimit(pages, random() % 8, up_to(8), up_to(8), up_to(20));
  }
}

TEST(MaxDepth, TogetherWithMaxPages) {
  std::mt19937 random(13);
  for (int i = 0; i < 50; ++i) {
    const Pages pages = RandomPages(random, 100);
    const std::string start = pages.begin()->first;
    const std::uint64_t max_depth = random() % 5;
    const std::uint64_t max_pages = random() % 60;
    GraphSite site(pages);
    crawl_options options = site.Options(start.c_str());
    options.queue_size = 1 + static_cast<int>(random() % 5);
    options.max_depth = max_depth;
    options.max_pages = max_pages;
    ASSERT_EQ(RunJob(options), CRAWL_DONE);
    const Truth truth = Oracle(pages, start, max_depth);
    ASSERT_EQ(site.FetchCount(), std::min<std::uint64_t>(max_pages, truth.depth.size()));
    for (const std::string& address : site.Fetches()) ASSERT_TRUE(truth.depth.contains(address));
  }
}

// Without a limit the depth is that of a path that was found: never below the shortest.
TEST(MaxDepth, UnlimitedDepthIsThatOfSomePath) {
  const Pages pages = Complete(20);
  GraphSite site(pages);
  crawl_options options = site.Options("p0");
  options.parse = GraphSite::Parse;
  ASSERT_EQ(RunJob(options), CRAWL_DONE);
  const Truth truth = Oracle(pages, "p0");
  for (const auto& [address, depth] : site.Depths()) {
    EXPECT_GE(depth, truth.depth.at(address));
    EXPECT_LT(depth, 20u);
  }
  EXPECT_EQ(site.Depths().at("p0"), 0u);
}

}  // namespace
}  // namespace crawler_test

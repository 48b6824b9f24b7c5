// What the C interface cannot show: a Site that throws. The rest is tested in tests/c_api.
#include "graph/graph_crawl.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

namespace crawler {
namespace {

/// Page n links to pages 2n and 2n+1, without end.
class EndlessSite : public GraphCrawl::Site {
 public:
  std::function<void(std::string_view)> on_fetch, on_parse, on_edge;
  std::atomic<int> fetched{0}, freed{0};

  GraphCrawl::Content Fetch(Address address) override {
    if (on_fetch) on_fetch(address.view());
    ++fetched;
    return {static_cast<char*>(std::malloc(1)), 1};
  }
  void Free(GraphCrawl::Content content) noexcept override {
    ++freed;
    std::free(content.data);
  }
  void Parse(const GraphCrawl::Page& page, GraphCrawl::Links& links) override {
    if (on_parse) on_parse(page.address.view());
    const unsigned long n = std::strtoul(page.address.data(), nullptr, 10);
    links.Emit(std::to_string(2 * n));
    links.Emit(std::to_string(2 * n + 1));
  }
  void Edge(Address, Address to) override {
    if (on_edge) on_edge(to.view());
  }
};

GraphCrawl::Options Options() {
  GraphCrawl::Options options;
  options.start = "1";
  options.download_workers = 3;
  options.parse_workers = 3;
  options.queue_size = 2;
  return options;
}

/// An endless crawl ends only because something throws: with what status?
Status StatusOf(EndlessSite& site) {
  GraphCrawl crawl(Options(), site, Logger());
  const auto outcome = crawl.Run();
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(site.freed, site.fetched);
  EXPECT_EQ(crawl.stats().pages_fetched, static_cast<std::uint64_t>(site.fetched));
  return outcome.status();
}

TEST(GraphCrawl, SiteThatThrowsEndsItAsAFailure) {
  const auto boom = [](std::string_view address) {
    if (address == "100") throw std::runtime_error("boom");
  };
  EndlessSite fetch, parse, edge;
  fetch.on_fetch = boom;
  parse.on_parse = boom;
  edge.on_edge = boom;
  for (EndlessSite* site : {&fetch, &parse, &edge}) {
    const Status status = StatusOf(*site);
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_EQ(status.message(), "boom");
  }
}

TEST(GraphCrawl, EveryThreadMayThrowAtOnce) {
  EndlessSite site;
  site.on_parse = [](std::string_view address) {
    if (address != "1") throw std::runtime_error("boom");
  };
  site.on_fetch = [](std::string_view address) {
    if (address.size() > 1) throw std::runtime_error("boom");
  };
  EXPECT_EQ(StatusOf(site).message(), "boom");
}

TEST(GraphCrawl, OutOfMemoryIsTold) {
  EndlessSite site;
  site.on_edge = [](std::string_view) { throw std::bad_alloc(); };
  EXPECT_EQ(StatusOf(site).code(), StatusCode::kResourceExhausted);
}

TEST(GraphCrawl, AnythingMayBeThrown) {
  EndlessSite site;
  site.on_fetch = [](std::string_view) { throw 42; };
  EXPECT_EQ(StatusOf(site).code(), StatusCode::kInternal);
}

TEST(GraphCrawl, StopEndsAnEndlessCrawl) {
  EndlessSite site;
  GraphCrawl crawl(Options(), site, Logger());
  site.on_fetch = [&](std::string_view address) {
    if (address == "100") crawl.Stop();
  };
  const auto outcome = crawl.Run();
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(*outcome, GraphCrawl::Outcome::kStopped);
  EXPECT_EQ(site.freed, site.fetched);
}

TEST(GraphCrawl, RunsOnce) {
  EndlessSite site;
  GraphCrawl::Options options = Options();
  options.max_pages = 10;
  GraphCrawl crawl(options, site, Logger());
  EXPECT_TRUE(crawl.Run().ok());
  EXPECT_EQ(crawl.Run().status().code(), StatusCode::kInternal);
  EXPECT_EQ(site.fetched, 10);
}

}  // namespace
}  // namespace crawler

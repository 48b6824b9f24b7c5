// Sitemaps of any number and size leave room for the pages of their host, and end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/crawl_testing.hpp"

namespace crawler::sim {
namespace {

using std::chrono::seconds;
using ::testing::IsEmpty;
using Outcome = CrawlResult::Outcome;

Resource Sitemap(const std::string& root, const std::string& entry,
                 const std::vector<std::string>& urls) {
  Resource sitemap;
  sitemap.kind = Resource::Kind::kText;
  sitemap.body = "<?xml version='1.0'?><" + root + ">";
  for (const std::string& url : urls) {
    sitemap.body += "<" + entry + "><loc>" + url + "</loc></" + entry + ">";
  }
  sitemap.body += "</" + root + ">";
  return sitemap;
}

Resource Index(const std::vector<std::string>& urls) {
  return Sitemap("sitemapindex", "sitemap", urls);
}

std::vector<std::string> Urls(const std::string& prefix, int count) {
  return Paths("http://a.example" + prefix, count);
}

// /sitemap.xml names `count` indexes, each of which names `count` sitemaps of ten pages each.
SimulatedHost& AddTree(SimulatedWeb* web, int count) {
  SimulatedHost& host = AddStar(web, "a.example", 50);
  host.latency = std::chrono::milliseconds(1);
  host.Add("/sitemap.xml", Index(Urls("/index", count)));
  for (const std::string& index : Paths("/index", count)) {
    host.Add(index, Index(Urls(index + "/map", count)));
    for (const std::string& map : Paths(index + "/map", count)) {
      host.Add(map, Sitemap("urlset", "url", Urls(map + "/page", 10)));
    }
  }
  return host;
}

CrawlOptions WithSitemaps() {
  CrawlOptions options = OptionsFor("http://a.example/", seconds(1));
  options.sitemaps = true;
  return options;
}

int SitemapRequests(SimulatedCrawl& crawl) {
  int count = 0;
  for (const RecordedRequest& request : crawl.network().record()) {
    const bool is_page = request.path.find("/page") != std::string::npos;
    count += !is_page && (request.path == "/sitemap.xml" || request.path.starts_with("/index"));
  }
  return count;
}

TEST(SimulatedSitemaps, TakeTurnsWithPages) {
  SimulatedWeb web;
  AddTree(&web, 40);
  CrawlOptions options = WithSitemaps();
  options.max_pages = 5;
  SimulatedCrawl crawl(web, options);
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kBudget);
  EXPECT_EQ(crawl.Pages().size(), 5u);
  // robots.txt, then a sitemap and a page by turns, the seed first.
  const std::vector<RecordedRequest>& record = crawl.network().record();
  ASSERT_EQ(record.size(), 11u);
  EXPECT_EQ(record[1].path, "/sitemap.xml");
  EXPECT_EQ(record[2].path, "/");
  EXPECT_EQ(SitemapRequests(crawl), 5);
  EXPECT_LE(crawl.network().now(), seconds(11));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedSitemaps, ASpentDomainBudgetEndsThem) {
  SimulatedWeb web;
  AddTree(&web, 40);
  CrawlOptions options = WithSitemaps();
  options.max_per_domain = 5;
  SimulatedCrawl crawl(web, options);
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kBudget);
  EXPECT_EQ(crawl.Pages().size(), 5u);
  EXPECT_EQ(SitemapRequests(crawl), 5);
}

TEST(SimulatedSitemaps, FilesPerHostAreLimited) {
  SimulatedWeb web;
  AddTree(&web, 40);
  for (const int interrupted_at : {0, 30}) {
    CrawlOptions options = WithSitemaps();
    options.delay = seconds(0);
    options.sitemap_limits.max_files = 45;
    SimulatedCrawl crawl(web, options);
    if (interrupted_at > 0) {
      crawl.Run(SimulatedCrawl::Interruption{SimulatedCrawl::Interruption::Kind::kKill, 30});
    }
    EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM urls WHERE via = 4"), 45);
    EXPECT_EQ(crawl.Pages().size(), 51u);
    // The index that was cut says so, and an event does.
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM visits WHERE outcome = 'sitemap' AND detail LIKE "
                          "'%left out, beyond the limit of 45 sitemaps per host%'"),
              40);
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM events WHERE kind = 'sitemap limit'"), 40);
    EXPECT_THAT(crawl.Problems(), IsEmpty());
  }
}

TEST(SimulatedSitemaps, EntriesAndBytesPerHostAreLimited) {
  for (const bool by_bytes : {false, true}) {
    SimulatedWeb web;
    AddTree(&web, 5);
    CrawlOptions options = WithSitemaps();
    options.delay = seconds(0);
    if (by_bytes) {
      options.sitemap_limits.max_bytes = 2'000;
    } else {
      options.sitemap_limits.max_entries = 25;
    }
    SimulatedCrawl crawl(web, options);
    EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
    // Sitemaps that wait when the limit is reached are not asked for.
    EXPECT_LE(SitemapRequests(crawl), 9);
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM urls WHERE via = 3"), by_bytes ? 0 : 25);
    EXPECT_EQ(crawl.Value("SELECT count(*) > 10 FROM visits WHERE outcome = 'unwanted' AND detail "
                          "LIKE 'beyond the limit of % per host (--max-sitemap-%'"),
              1);
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM fates WHERE fate = 'waiting'"), 0);
  }
}

// A sitemap may be on another host, which does not bring its own into the crawl.
TEST(SimulatedSitemaps, OtherHostsLeadNoFurther) {
  SimulatedWeb web;
  for (int i = 0; i < 20; ++i) {
    SimulatedHost& host = AddStar(&web, "h" + std::to_string(i) + ".example", 1);
    RobotsRules rules;
    rules.sitemaps = {"http://h" + std::to_string(i + 1) + ".example/map"};
    host.SetRobots(rules);
    host.Add("/map", Sitemap("urlset", "url", {}));
  }
  CrawlOptions options = OptionsFor("http://h0.example/");
  options.sitemaps = true;
  SimulatedCrawl crawl(web, options);
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
  EXPECT_EQ(RequestsFor(crawl, "http://h1.example/map"), 1);
  EXPECT_EQ(RequestsFor(crawl, "http://h2.example/robots.txt"), 0);
  EXPECT_EQ(crawl.Pages().size(), 2u);
}

}  // namespace
}  // namespace crawler::sim

// Budgets hold exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/crawl_testing.hpp"
#include "sim/random_web.hpp"

namespace crawler::sim {
namespace {

using std::chrono::seconds;
using ::testing::IsEmpty;
using Outcome = CrawlResult::Outcome;

TEST(SimulatedBudget, PagesAreExactAndAResumeGoesOn) {
  const SimulatedWeb web = MixedWeb();
  for (const int per_host : {1, 4}) {
    CrawlOptions options = OptionsFor("http://a.one.example/");
    options.scope = CrawlScope::kWeb;
    options.per_host = per_host;
    options.max_pages = 1;
    SimulatedCrawl crawl(web, options);
    EXPECT_EQ(crawl.Run()->outcome, Outcome::kBudget);
    for (const std::size_t pages : {1u, 2u, 7u, 12u}) {
      const CrawlResult result =
          *crawl.Run({}, [&](CrawlOptions& changed) { changed.max_pages = pages; });
      EXPECT_EQ(result.outcome, Outcome::kBudget);
      EXPECT_EQ(result.message, "max-pages");
      EXPECT_EQ(crawl.Pages().size(), pages);
    }
    const CrawlResult result = *crawl.Run({}, [](CrawlOptions& changed) { changed.max_pages = 0; });
    EXPECT_EQ(result.outcome, Outcome::kFinished);
    EXPECT_EQ(crawl.Pages().size(), 13u);
    EXPECT_THAT(crawl.Problems(), IsEmpty());
  }
}

TEST(SimulatedBudget, FailuresCostNoPageAndHostsThatAreNotNeededNoTime) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.example", 40, 5);
  host.resources.at("/good7").faults = {Fault::Status(500)};
  AddStar(&web, "slow.example", 3).resources.at("/").faults = {Fault::Status(429, "250")};
  CrawlOptions options = OptionsFor("http://slow.example/");
  options.seeds.push_back("http://a.example/");
  options.max_pages = 41;
  SimulatedCrawl crawl(web, options);
  const CrawlResult result = *crawl.Run();
  EXPECT_EQ(result.outcome, Outcome::kBudget);
  EXPECT_EQ(crawl.Pages().size(), 41u);
  EXPECT_LE(crawl.network().now(), seconds(60));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedBudget, Depth) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const SimulatedWeb web = RandomWeb(seed, Weather::kFine);
    for (const CrawlOrder order : {CrawlOrder::kPriority, CrawlOrder::kBfs, CrawlOrder::kDfs}) {
      for (const int depth : {0, 1, 3}) {
        CrawlOptions options = RandomOptions(seed, web);
        options.order = order;
        options.max_depth = depth;
        SimulatedCrawl crawl(web, options);
        EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
        EXPECT_THAT(JudgePages(ExpectPages(web, crawl.options()), crawl.Pages()), IsEmpty())
            << seed << " depth " << depth;
      }
    }
  }
}

// Pages count: documents that were stored. Requests that led to none do not.
TEST(SimulatedBudget, PerDomainCountsPagesAndNotRequests) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.one.example", 60, 5, Fault::Status(404));
  RobotsRules rules;
  rules.disallow = {"/good0"};
  host.SetRobots(rules);
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "http://a.one.example/good1";
  host.Add("/moved", redirect);
  std::vector<SimulatedLink>& links = host.resources.at("/").links;
  links.insert(links.begin(), SimulatedLink{"/moved", "http://a.one.example/moved", false});
  CrawlOptions options = OptionsFor("http://a.one.example/");
  options.order = CrawlOrder::kBfs;
  options.scope = CrawlScope::kWeb;
  options.max_per_domain = -1;  // The default: 50.
  SimulatedCrawl crawl(web, options);
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kBudget);
  EXPECT_EQ(crawl.Pages().size(), 50u);
  EXPECT_EQ(RequestsFor(crawl, "http://a.one.example/moved"), 1);
  EXPECT_EQ(RequestsFor(crawl, "http://a.one.example/bad4"), 1);
  // robots.txt, a redirect and five pages that are not there came in addition.
  EXPECT_EQ(crawl.network().record().size(), 50u + 1 + 1 + 5);
}

TEST(SimulatedBudget, PerDomain) {
  SimulatedWeb web;
  AddStar(&web, "a.one.example", 20);
  AddStar(&web, "b.one.example", 20);
  AddStar(&web, "c.two.example", 4);
  CrawlOptions options = OptionsFor("http://a.one.example/");
  options.seeds = {"http://a.one.example/", "http://b.one.example/", "http://c.two.example/"};
  options.max_per_domain = 13;
  SimulatedCrawl crawl(web, options);
  const CrawlResult result = *crawl.Run();
  EXPECT_EQ(result.outcome, Outcome::kBudget);
  EXPECT_EQ(result.message, "max-per-domain");
  EXPECT_EQ(crawl.Value("SELECT count(*) FROM pages WHERE url LIKE '%.one.example/%'"), 13);
  EXPECT_EQ(crawl.Value("SELECT count(*) FROM pages WHERE url LIKE '%.two.example/%'"), 5);
}

TEST(SimulatedBudget, Bytes) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 50);
  CrawlOptions options = OptionsFor("http://a.example/", seconds(1));
  options.max_bytes = 20'000;
  SimulatedCrawl crawl(web, options);
  const CrawlResult result = *crawl.Run();
  EXPECT_EQ(result.outcome, Outcome::kBudget);
  EXPECT_EQ(result.message, "max-bytes");
  const std::int64_t spent = crawl.Value("SELECT sum(bytes) FROM visits WHERE outcome = 'page'");
  EXPECT_LE(spent, 20'000);
  EXPECT_GT(spent, 19'000);
}

TEST(SimulatedBudget, Time) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 500);
  CrawlOptions options = OptionsFor("http://a.example/", seconds(1));
  options.max_time = seconds(100);
  SimulatedCrawl crawl(web, options);
  const CrawlResult result = *crawl.Run();
  EXPECT_EQ(result.outcome, Outcome::kBudget);
  EXPECT_EQ(result.message, "max-time");
  // robots.txt at 0 s, then a page each second after the answer before, which takes 20 to 40 ms; no
  // request is begun at 100 s.
  EXPECT_EQ(crawl.Pages().size(), 97u);
  for (const RecordedRequest& request : crawl.network().record()) {
    EXPECT_LT(request.started, seconds(100));
  }
  EXPECT_EQ(crawl.Run({}, [](CrawlOptions& changed) { changed.max_time = seconds(0); })->outcome,
            Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 501u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

}  // namespace
}  // namespace crawler::sim

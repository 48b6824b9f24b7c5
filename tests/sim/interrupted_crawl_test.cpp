// Crawls that are stopped or killed, and resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/crawl_testing.hpp"

namespace crawler::sim {
namespace {

using std::chrono::seconds;
using ::testing::IsEmpty;
using Outcome = CrawlResult::Outcome;
using Kind = SimulatedCrawl::Interruption::Kind;

// Neither Retry-After nor delays end when a crawl is stopped and resumed.
TEST(SimulatedCrawl, ClocksOutliveTheProcess) {
  for (const std::uint64_t step : {2u, 3u, 4u, 5u, 6u}) {
    SimulatedWeb web;
    AddStar(&web, "a.example", 3).resources.at("/").faults = {Fault::Status(429, "100")};
    RobotsRules rules;
    rules.crawl_delay = seconds(30);
    AddStar(&web, "b.example", 3).SetRobots(rules);
    CrawlOptions options = OptionsFor("http://a.example/", seconds(1));
    options.seeds.push_back("http://b.example/");
    SimulatedCrawl crawl(web, options);
    EXPECT_EQ(crawl.Run(SimulatedCrawl::Interruption{Kind::kStop, step})->outcome,
              Outcome::kStopped);
    EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
    EXPECT_EQ(crawl.Pages().size(), 8u);
    EXPECT_THAT(crawl.Problems(), IsEmpty()) << step;
  }
}

// Requests that were under way at a kill are unknown, so every host counts as just asked.
TEST(SimulatedCrawl, AKillIsNoWayAroundTheDelay) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 3);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(30)));
  crawl.Run(SimulatedCrawl::Interruption{Kind::kKill, 2});
  crawl.Run();
  EXPECT_EQ(crawl.Pages().size(), 4u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

class InterruptedCrawl : public ::testing::TestWithParam<Kind> {};

TEST_P(InterruptedCrawl, AtAnyStepLosesNothingAndAsksNothingTwice) {
  const SimulatedWeb web = MixedWeb();
  CrawlOptions options = OptionsFor("http://a.one.example/", seconds(1));
  options.scope = CrawlScope::kWeb;
  options.max_per_domain = 0;
  options.warc = true;
  const Expectation expected = ExpectPages(web, options);
  ASSERT_EQ(expected.must.size(), 13u);
  for (std::uint64_t step = 0;; ++step) {
    ASSERT_LT(step, 100u);
    SimulatedCrawl crawl(web, options);
    std::optional<CrawlResult> result = crawl.Run(SimulatedCrawl::Interruption{GetParam(), step});
    const bool interrupted = !result || result->outcome == Outcome::kStopped;
    if (interrupted) result = crawl.Run();
    EXPECT_EQ(result->outcome, Outcome::kFinished) << step;
    EXPECT_THAT(JudgePages(expected, crawl.Pages()), IsEmpty()) << step;
    EXPECT_THAT(crawl.Problems(), IsEmpty()) << step;
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM dead_letters"), 1);
    if (!interrupted) {
      EXPECT_GE(step, 20u);
      break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, InterruptedCrawl,
                         ::testing::Values(Kind::kStop, Kind::kStopNow, Kind::kKill));

// A stop lets requests under way end, but not for longer than five seconds.
TEST(SimulatedCrawl, AStopWaitsOnlySoLong) {
  for (const seconds latency : {seconds(2), seconds(60)}) {
    SimulatedWeb web;
    AddStar(&web, "quick.example", 10);
    AddStar(&web, "slow.example", 3).latency = latency;
    CrawlOptions options = OptionsFor("http://quick.example/", seconds(1));
    options.seeds.push_back("http://slow.example/");
    SimulatedCrawl crawl(web, options);
    EXPECT_EQ(crawl.Run(SimulatedCrawl::Interruption{Kind::kStop, 1})->outcome, Outcome::kStopped);
    const RecordedRequest slow = crawl.network().record()[1];
    EXPECT_EQ(slow.url, "http://slow.example/robots.txt");
    if (latency < seconds(5)) {
      EXPECT_EQ(slow.status, 404);
    } else {
      EXPECT_EQ(slow.failure, FetchFailure::kCancelled);
      EXPECT_GE(crawl.network().now(), seconds(6));
      EXPECT_LE(crawl.network().now(), seconds(7));
      // A resume has to know that the host was asked.
      EXPECT_EQ(crawl.Value("SELECT count(*) FROM visits WHERE outcome = 'cancelled' AND "
                            "detail = 'http://slow.example/robots.txt' AND NOT final"),
                1);
    }
    EXPECT_EQ(crawl.Run()->outcome,
              latency < seconds(5) ? Outcome::kFinished : Outcome::kIncomplete);
    EXPECT_EQ(crawl.Pages().size(), latency < seconds(5) ? 15u : 11u);
    EXPECT_THAT(crawl.Problems(), IsEmpty());
  }
}

// Without robots.txt is for one's own servers; a crawl that is resumed so means all of it.
TEST(SimulatedCrawl, ResumedWithoutRobotsWhatItRefusedIsOfferedAgain) {
  SimulatedWeb web;
  RobotsRules rules;
  rules.disallow = {"/good3"};
  AddStar(&web, "a.example", 9).SetRobots(rules);
  AddStar(&web, "b.example", 4).SetRobots(rules);
  web.hosts().at("http://b.example").resources.at("/robots.txt").forever = Fault::Status(500);
  CrawlOptions options = OptionsFor("http://a.example/");
  options.seeds.push_back("http://b.example/");
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  EXPECT_EQ(crawl.Pages().size(), 9u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
  EXPECT_EQ(
      crawl.Run({}, [](CrawlOptions& changed) { changed.network.obey_robots = false; })->outcome,
      Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 15u);
  EXPECT_EQ(crawl.Value("SELECT count(*) FROM dead_letters"), 0);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
  ASSERT_EQ(crawl.warnings().size(), 1u);
  EXPECT_THAT(crawl.warnings()[0], ::testing::HasSubstr("left out because of robots.txt"));
  crawl.Run();  // Once is enough.
  EXPECT_EQ(crawl.warnings().size(), 1u);
}

}  // namespace
}  // namespace crawler::sim

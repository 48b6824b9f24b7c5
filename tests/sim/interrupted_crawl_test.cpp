// Crawls that are stopped or killed, and resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/crawl_testing.hpp"

namespace crawler::sim {
namespace {

using std::chrono::milliseconds;
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

// The requests that a kill forgot stay unknown to every later run, not only to the next one.
TEST(SimulatedCrawl, AKillIsNoWayAroundTheDelayAfterAShortRun) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 3);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(30)));
  crawl.Run(SimulatedCrawl::Interruption{Kind::kKill, 2});
  const auto requests = crawl.network().record().size();
  const auto end_after = [](seconds time) {
    return [time](CrawlOptions& options) { options.max_time = time; };
  };
  EXPECT_EQ(crawl.Run({}, end_after(seconds(1)))->outcome, Outcome::kBudget);
  EXPECT_EQ(crawl.network().record().size(), requests) << "the delay has not passed";
  crawl.Run({}, end_after(seconds(0)));
  EXPECT_EQ(crawl.Pages().size(), 4u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

// Pages of a.example link to b.example now and then, so at most times nothing waits for b.example.
// It has a Crawl-delay that is longer than the delay, which a resume must honour when it finds the
// next of these links, or the last one again.
TEST(SimulatedCrawl, NoInterruptionIsAWayAroundTheCrawlDelayOfAHostWithoutUrls) {
  SimulatedWeb web;
  SimulatedHost& a = web.AddHost("a.example");
  SimulatedHost& b = web.AddHost("b.example");
  a.latency = b.latency = milliseconds(20);
  a.AddPage("/", {"/0"});
  for (int i = 0; i < 30; ++i) {
    std::vector<std::string> links = {"/" + std::to_string(i + 1)};
    const std::string path = "/" + std::to_string(i);
    b.AddPage(path);
    if (i % 20 == 0 || i % 20 == 3) links.push_back(b.Url(path));
    a.AddPage(path, links);
  }
  RobotsRules rules;
  rules.crawl_delay = milliseconds(700);
  b.SetRobots(rules);
  CrawlOptions options = OptionsFor("http://a.example/", milliseconds(100));
  options.scope = CrawlScope::kWeb;
  for (const Kind kind : {Kind::kStop, Kind::kStopNow, Kind::kKill}) {
    for (std::uint64_t step = 24; step <= 34; ++step) {
      SimulatedCrawl crawl(web, options);
      crawl.Run(SimulatedCrawl::Interruption{kind, step});
      EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
      EXPECT_EQ(crawl.Pages().size(), 35u);
      EXPECT_THAT(crawl.Problems(), IsEmpty()) << static_cast<int>(kind) << " at " << step;
    }
  }
}

// Two hosts behind one address share its limit, also in the first request of a resumed crawl.
TEST(SimulatedCrawl, AddressesOfHostsOutliveTheProcess) {
  SimulatedWeb web;
  AddStar(&web, "a.one.example", 5);
  AddStar(&web, "b.two.example", 5);
  web.hosts().at("http://b.two.example").address = web.hosts().at("http://a.one.example").address;
  CrawlOptions options = OptionsFor("http://a.one.example/", seconds(2));
  options.seeds.push_back("http://b.two.example/");
  options.hosts_per_address = 1;
  SimulatedCrawl crawl(web, options);
  EXPECT_EQ(crawl.Run(SimulatedCrawl::Interruption{Kind::kStop, 5})->outcome, Outcome::kStopped);
  const std::size_t first = crawl.network().record().size();
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
  const std::vector<RecordedRequest>& record = crawl.network().record();
  ASSERT_GT(record.size(), first + 1);
  for (std::size_t i = first; i < record.size(); ++i) {
    EXPECT_GE(record[i].started - record[i - 1].started, seconds(2)) << record[i].url;
  }
  EXPECT_EQ(crawl.Pages().size(), 12u);
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

// A stop comes with the answer to robots.txt, so the redirect is followed but cut off at once.
TEST(SimulatedCrawl, ARobotsRequestCountsAlsoIfItsRedirectIsCutOff) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.example", 2);
  host.SetRobots({});
  host.Add("/rules.txt", host.resources.at("/robots.txt"));
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "http://a.example/rules.txt";
  host.Add("/robots.txt", redirect);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(30)));
  crawl.Run(SimulatedCrawl::Interruption{Kind::kStopNow, 0});
  ASSERT_EQ(crawl.network().record().size(), 2u);
  EXPECT_EQ(crawl.network().record()[1].failure, FetchFailure::kCancelled);
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 3u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
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
  const auto said =
      ::testing::ElementsAre(::testing::HasSubstr("robots.txt of its host answered 500"),
                             ::testing::HasSubstr("left out because of robots.txt"));
  EXPECT_THAT(crawl.warnings(), said);
  crawl.Run();  // Once is enough.
  EXPECT_THAT(crawl.warnings(), said);
}

}  // namespace
}  // namespace crawler::sim

// Whole crawls of simulated webs: politeness, retries, hosts that go away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/crawl_testing.hpp"

namespace crawler::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;
using Outcome = CrawlResult::Outcome;
using Kind = SimulatedCrawl::Interruption::Kind;

TEST(SimulatedCrawl, APoliteHourTakesASecond) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 3'600);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(1)));
  const CrawlResult result = *crawl.Run();
  EXPECT_EQ(result.outcome, Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 3'601u);
  EXPECT_GE(crawl.network().now(), seconds(3'601));
  EXPECT_LE(crawl.network().now(), seconds(3'602));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, BadUrlsDoNotHideGoodOnes) {
  for (const milliseconds delay : {milliseconds(0), milliseconds(1'000)}) {
    SimulatedWeb web;
    AddStar(&web, "a.example", 20, 3);
    SimulatedCrawl crawl(web, OptionsFor("http://a.example/", delay));
    crawl.Run();
    EXPECT_EQ(crawl.Pages().size(), 21u);
    EXPECT_THAT(crawl.Problems(), IsEmpty());
    for (const std::string& path : Paths("/bad", 3)) {
      EXPECT_EQ(RequestsFor(crawl, "http://a.example" + path), 4);
    }
  }
}

TEST(SimulatedCrawl, TenBadUrlsAmongTwoHundredCostNoTime) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 200, 10).latency = milliseconds(1);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  crawl.Run();
  EXPECT_EQ(crawl.Pages().size(), 201u);
  // Good pages do not wait for bad ones: all of them come before the first retry.
  Moment last_good{0};
  for (const RecordedRequest& request : crawl.network().record()) {
    if (request.status == 200) last_good = std::max(last_good, request.ended);
  }
  EXPECT_LE(last_good, seconds(1));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, AHostThatComesBackAfterAMinuteIsCrawled) {
  for (const FetchFailure failure :
       {FetchFailure::kRefused, FetchFailure::kDns, FetchFailure::kConnectTimeout,
        FetchFailure::kResponseTimeout}) {
    for (const seconds from : {seconds(0), seconds(5)}) {
      SimulatedWeb web;
      AddStar(&web, "a.example", 20).outages = {
          {from, from + seconds(60), Fault::Failure(failure)}};
      SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(1)));
      const CrawlResult result = *crawl.Run();
      EXPECT_EQ(crawl.Pages().size(), 21u) << FetchFailureName(failure) << " " << from.count();
      EXPECT_EQ(result.outcome, Outcome::kFinished);
      EXPECT_THAT(crawl.Problems(), IsEmpty());
    }
  }
}

TEST(SimulatedCrawl, AHostThatComesBackAfterAMinuteIsCrawledByAResume) {
  for (const Kind kind : {Kind::kStop, Kind::kStopNow, Kind::kKill}) {
    SimulatedWeb web;
    AddStar(&web, "a.example", 20).outages = {
        {seconds(5), seconds(65), Fault::Failure(FetchFailure::kRefused)}};
    SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(1)));
    crawl.Run(SimulatedCrawl::Interruption{kind, 7});
    crawl.network().Sleep(seconds(30));
    EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
    EXPECT_EQ(crawl.Pages().size(), 21u);
    EXPECT_THAT(crawl.Problems(), IsEmpty());
  }
}

TEST(SimulatedCrawl, RetriesAsOftenAndAsLateAsPromised) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.example", 2);
  host.latency = milliseconds(1);
  host.resources.at("/good0").faults = {Fault::Status(500), Fault::Status(502),
                                        Fault::Failure(FetchFailure::kDisconnected)};
  host.resources.at("/good1").forever = Fault::Status(500);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  crawl.Run();
  EXPECT_EQ(crawl.Pages().size(), 2u);
  EXPECT_EQ(crawl.Value("SELECT count(*) FROM dead_letters"), 1);
  std::vector<const RecordedRequest*> attempts;
  for (const RecordedRequest& request : crawl.network().record()) {
    if (request.path == "/good0") attempts.push_back(&request);
  }
  ASSERT_EQ(attempts.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    const Duration gap = attempts[i]->started - attempts[i - 1]->ended;
    EXPECT_GE(gap, milliseconds(750) * (1 << (i - 1)));
    EXPECT_LE(gap, milliseconds(1'400) * (1 << (i - 1)));
  }
  EXPECT_EQ(RequestsFor(crawl, "http://a.example/good1"), 4);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, ThrottlingCostsNoRetry) {
  SimulatedWeb web;
  Resource& page = AddStar(&web, "a.example", 5).resources.at("/good2");
  for (int i = 0; i < 12; ++i) {
    page.faults.push_back(i % 3 == 0   ? Fault::Status(429)
                          : i % 3 == 1 ? Fault::Status(429, "40")
                                       : Fault::Status(503, "7"));
  }
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(1)));
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 6u);
  EXPECT_EQ(RequestsFor(crawl, "http://a.example/good2"), 13);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, RetryAfterAsADateAndItsLimit) {
  SimulatedWeb web;
  // 200 seconds after the simulation begins; and a day, which is too long to be waited for.
  AddStar(&web, "a.example", 1).resources.at("/good0").faults = {
      Fault::Status(429, "Fri, 15 Jan 2027 08:03:20 GMT"), Fault::Status(503, "86400")};
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  crawl.Run();
  std::vector<const RecordedRequest*> attempts;
  for (const RecordedRequest& request : crawl.network().record()) {
    if (request.path == "/good0") attempts.push_back(&request);
  }
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_GE(attempts[1]->started, seconds(199));
  EXPECT_LE(attempts[1]->started, seconds(202));
  EXPECT_GE(attempts[2]->started - attempts[1]->ended, minutes(5));
  EXPECT_LE(attempts[2]->started - attempts[1]->ended, minutes(5) + seconds(1));
}

TEST(SimulatedCrawl, AHostThatNeverAnswersEndsAndDelaysNoOther) {
  SimulatedWeb web;
  AddStar(&web, "dead.example", 3).outages = {
      {seconds(0), hours(1'000), Fault::Failure(FetchFailure::kConnectTimeout)}};
  AddStar(&web, "well.example", 30);
  CrawlOptions options = OptionsFor("http://dead.example/", seconds(1));
  options.seeds.push_back("http://well.example/");
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  EXPECT_EQ(crawl.Pages().size(), 31u);
  Moment last{0};
  for (const RecordedRequest& request : crawl.network().record()) {
    if (request.origin == "http://well.example") last = std::max(last, request.ended);
  }
  EXPECT_LE(last, seconds(33));
  EXPECT_LE(crawl.network().now(), hours(2));
  EXPECT_EQ(crawl.Value("SELECT count(*) FROM dead_letters"), 1);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, RobotsThatFailTwiceAndRobotsThatNeverAnswer) {
  SimulatedWeb web;
  RobotsRules rules;
  rules.disallow = {"/good1"};
  SimulatedHost& twice = AddStar(&web, "twice.example", 3);
  twice.SetRobots(rules);
  twice.resources.at("/robots.txt").faults = {Fault::Status(500),
                                              Fault::Failure(FetchFailure::kDisconnected)};
  SimulatedHost& never = AddStar(&web, "never.example", 3);
  never.SetRobots(rules);
  never.resources.at("/robots.txt").forever = Fault::Status(503);
  CrawlOptions options = OptionsFor("http://twice.example/", seconds(1));
  options.seeds.push_back("http://never.example/");
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  EXPECT_THAT(crawl.Pages(),
              ::testing::UnorderedElementsAre("http://twice.example/", "http://twice.example/good0",
                                              "http://twice.example/good2"));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, RobotsThatAskForPatienceGetIt) {
  for (const int status : {429, 503}) {
    SimulatedWeb web;
    SimulatedHost& host = AddStar(&web, "a.example", 2);
    host.SetRobots({});
    host.resources.at("/robots.txt").faults = {Fault::Status(status, "100")};
    SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
    crawl.Run();
    EXPECT_EQ(crawl.Pages().size(), 3u);
    EXPECT_GE(crawl.network().record().at(1).started, seconds(100));
    EXPECT_THAT(crawl.Problems(), IsEmpty()) << status;
  }
}

// The answer to robots.txt is a redirect whose body is cut: its rules are not known.
TEST(SimulatedCrawl, ACutRedirectOfRobotsAllowsNothing) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.example", 3);
  RobotsRules rules;
  rules.disallow = {"/good1"};
  host.SetRobots(rules);
  host.Add("/rules.txt", host.resources.at("/robots.txt"));
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "http://a.example/rules.txt";
  redirect.faults = {Fault::Failure(FetchFailure::kDisconnected)};
  host.Add("/robots.txt", redirect);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  crawl.Run();
  EXPECT_EQ(crawl.Pages().size(), 3u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, CrawlDelayIsHonouredUpToItsLimit) {
  SimulatedWeb web;
  RobotsRules rules;
  rules.crawl_delay = minutes(1);
  AddStar(&web, "a.example", 10).SetRobots(rules);
  rules.crawl_delay = seconds(2);
  AddStar(&web, "b.example", 10).SetRobots(rules);
  CrawlOptions options = OptionsFor("http://a.example/");
  options.seeds.push_back("http://b.example/");
  options.max_crawl_delay = seconds(20);
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  EXPECT_EQ(crawl.Pages().size(), 22u);
  EXPECT_GE(crawl.network().now(), seconds(20 * 11));
  EXPECT_LE(crawl.network().now(), seconds(20 * 11 + 1));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, ByDefaultOneRequestASecond) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 1);
  CrawlOptions options = SimulatedOptions({"http://a.example/"});
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  const std::vector<RecordedRequest>& record = crawl.network().record();
  ASSERT_EQ(record.size(), 4u);  // robots.txt, sitemap.xml and two pages.
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(record[i].started - record[i - 1].started, seconds(1));
  }
}

TEST(SimulatedCrawl, TheEndComesWhenOnlyHostsAreLeftThatGiveNothing) {
  SimulatedWeb web;
  RobotsRules nothing;
  nothing.disallow = {"/"};
  AddStar(&web, "refuses.example", 3).SetRobots(nothing);
  AddStar(&web, "dead.example", 3).outages = {
      {seconds(0), hours(1'000), Fault::Failure(FetchFailure::kRefused)}};
  AddStar(&web, "unwell.example", 3).SetRobots({});
  web.hosts().at("http://unwell.example").resources.at("/robots.txt").forever = Fault::Status(503);
  AddStar(&web, "broken.example", 3).resources.at("/").forever = Fault::Status(500);
  AddStar(&web, "throttles.example", 0).resources.at("/").faults = {Fault::Status(429, "100"),
                                                                    Fault::Status(429, "100")};
  CrawlOptions options = OptionsFor("http://refuses.example/", seconds(1));
  for (const char* name : {"dead", "unwell", "broken", "throttles"}) {
    options.seeds.push_back("http://" + std::string(name) + ".example/");
  }
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  EXPECT_THAT(crawl.Pages(), ::testing::ElementsAre("http://throttles.example/"));
  EXPECT_GE(crawl.network().now(), seconds(200));
  EXPECT_EQ(crawl.Value("SELECT count(*) FROM fates WHERE fate = 'waiting'"), 0);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

}  // namespace
}  // namespace crawler::sim

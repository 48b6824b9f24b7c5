// Whole crawls of simulated webs: politeness, retries, hosts that go away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/crawl_testing.hpp"
#include "sim/random.hpp"

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
  // Each answer takes at most 40 ms.
  EXPECT_LE(crawl.network().now(), seconds(3'602) + 3'602 * milliseconds(40));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

// The paths of requests for pages, in the order they were sent.
std::vector<std::string> PathsAsked(SimulatedCrawl& crawl) {
  std::vector<std::string> paths;
  for (const RecordedRequest& request : crawl.network().record()) {
    if (!request.is_robots) paths.push_back(request.url.substr(request.url.find('/', 8)));
  }
  return paths;
}

TEST(SimulatedCrawl, DfsFollowsTheLinksOfTheLatestPageFirst) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    // Thirty pages with six links each, to themselves too, to known ones and to new ones.
    Random random(seed);
    std::map<std::string, std::vector<std::string>> links;
    for (const std::string& page : Paths("/", 30)) {
      for (int i = 0; i < 6; ++i) links[page].push_back("/" + std::to_string(random.Below(30)));
    }
    SimulatedWeb web;
    SimulatedHost& host = web.AddHost("a.example");
    for (const auto& [page, to] : links) host.AddPage(page, to);

    std::vector<std::string> expected;
    std::vector<std::vector<std::string>> found = {{"/0"}};  // By page, those to be taken.
    std::set<std::string> known = {"/0"};
    while (!found.empty()) {
      if (found.back().empty()) {
        found.pop_back();
        continue;
      }
      expected.push_back(found.back().front());
      found.back().erase(found.back().begin());
      std::vector<std::string>& next = found.emplace_back();
      for (const std::string& to : links[expected.back()]) {
        if (known.insert(to).second) next.push_back(to);
      }
    }
    CrawlOptions options = OptionsFor("http://a.example/0");
    options.order = CrawlOrder::kDfs;
    SimulatedCrawl whole(web, options), interrupted(web, options);
    whole.Run();
    EXPECT_EQ(PathsAsked(whole), expected) << seed;
    EXPECT_THAT(whole.Problems(), IsEmpty());
    for (int step = 5; step < 30; step += 5) {
      interrupted.Run(SimulatedCrawl::Interruption{Kind::kStop, static_cast<std::uint64_t>(step)});
    }
    interrupted.Run();
    EXPECT_EQ(PathsAsked(interrupted), expected) << seed;
  }
}

TEST(SimulatedCrawl, AHostKeepsItsDelayAfterAResume) {
  SimulatedWeb web;
  AddStar(&web, "www.slow.example", 4);
  AddStar(&web, "quick.example", 4);
  CrawlOptions options = OptionsFor("http://www.slow.example/", seconds(1));
  options.seeds.push_back("http://quick.example/");
  options.host_delays = {{"slow.example", seconds(7)}, {"quick.example", milliseconds(100)}};
  SimulatedCrawl crawl(web, options);
  crawl.Run(SimulatedCrawl::Interruption{Kind::kStop, 6});
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 10u);
  std::map<std::string, std::vector<Moment>> starts;
  for (const RecordedRequest& request : crawl.network().record()) {
    starts[request.origin].push_back(request.started);
  }
  const auto shortest = [&](const std::string& origin) {
    const std::vector<Moment>& times = starts[origin];
    Moment least = hours(1);
    for (std::size_t i = 1; i < times.size(); ++i) least = std::min(least, times[i] - times[i - 1]);
    return least;
  };
  EXPECT_GE(shortest("http://www.slow.example"), seconds(7));
  EXPECT_LE(shortest("http://www.slow.example"), seconds(7) + milliseconds(40));
  EXPECT_GE(shortest("http://quick.example"), milliseconds(100));
  EXPECT_LT(shortest("http://quick.example"), seconds(1));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, ADelayForNoHostIsRefused) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 1);
  CrawlOptions options = OptionsFor("http://a.example/");
  options.host_delays = {{"http://a.example/", seconds(1)}};
  SimulatedCrawl crawl(web, options);
  const CrawlResult result = *crawl.Run();
  EXPECT_EQ(result.outcome, Outcome::kBadOption);
  EXPECT_THAT(result.message, ::testing::HasSubstr("names no host"));
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
      CrawlOptions options = OptionsFor("http://a.example/", seconds(1));
      options.first_failures = 0;
      SimulatedCrawl crawl(web, options);
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
  Resource& page = AddStar(&web, "a.example", 5).resources.at("/");
  for (int i = 0; i < 9; ++i) {
    page.faults.push_back(i % 3 == 0   ? Fault::Status(429)
                          : i % 3 == 1 ? Fault::Status(429, "40")
                                       : Fault::Status(503, "7"));
  }
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(1)));
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 6u);
  EXPECT_EQ(RequestsFor(crawl, "http://a.example/"), 10);
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

// Hosts whose rules are kept on a third one share neither an address with it nor with each other.
TEST(SimulatedCrawl, ARobotsFileOfAnotherHostTellsNoAddress) {
  SimulatedWeb web;
  web.AddHost("rules.example").SetRobots({});
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "http://rules.example/robots.txt";
  CrawlOptions options = OptionsFor("http://a.test/", seconds(10));
  for (const char* name : {"a.test", "b.test"}) AddStar(&web, name, 1).Add("/robots.txt", redirect);
  options.seeds.push_back("http://b.test/");
  options.hosts_per_address = 1;
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  EXPECT_EQ(crawl.Pages().size(), 4u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
  std::map<std::string, Moment> asked;
  for (const RecordedRequest& request : crawl.network().record()) {
    asked[request.url] = request.started;
  }
  const Moment a = asked.at("http://a.test/"), b = asked.at("http://b.test/");
  EXPECT_LT(std::max(a, b) - std::min(a, b), seconds(1)) << "both wait for their own delay only";
  EXPECT_EQ(crawl.Value("SELECT count(*) FROM visits WHERE url_id IS NULL"), 2);
  EXPECT_EQ(crawl.Value("SELECT count(address) FROM visits WHERE url_id IS NULL"), 0);
  EXPECT_EQ(crawl.Value("SELECT count(address) FROM visits WHERE url_id IS NOT NULL"), 4);
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

// From the end of a request to the next, so that no log of the server shows two requests nearer
// than that, however long they were on their way.
TEST(SimulatedCrawl, ByDefaultOneRequestASecond) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 1);
  CrawlOptions options = SimulatedOptions({"http://a.example/"});
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  const std::vector<RecordedRequest>& record = crawl.network().record();
  ASSERT_EQ(record.size(), 4u);  // robots.txt, sitemap.xml and two pages.
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GT(record[i].started - record[i - 1].started, seconds(1));
    EXPECT_LE(record[i].started - record[i - 1].started, seconds(1) + milliseconds(40));
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

// A callback that throws ends the crawl cleanly, and a resume goes on behind the pages it has.
TEST(SimulatedCrawl, ACallbackThatThrowsEndsTheCrawlWithItsMessage) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 20);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  int pages = 0;
  crawl.on_page = [&pages](const CrawledPage&) {
    if (++pages == 5) throw std::runtime_error("the disk of the caller is full");
  };
  const std::optional<CrawlResult> result = crawl.Run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, CrawlResult::Outcome::kCallback);
  EXPECT_EQ(result->message, "on_page threw: the disk of the caller is full");
  const std::size_t stored = crawl.Pages().size();
  EXPECT_GE(stored, 5u) << "the page of the callback is stored as well";
  EXPECT_LT(stored, 21u);
  crawl.on_page = nullptr;
  EXPECT_EQ(crawl.Run()->outcome, CrawlResult::Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 21u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedCrawl, PhasesHaveTheirOwnCountsAndTimes) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 20);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(1)));
  const std::optional<CrawlResult> result = crawl.Run();
  ASSERT_TRUE(result);
  const std::vector<CrawlPhase>& phases = result->statistics.phases;
  ASSERT_GE(phases.size(), 3u);
  EXPECT_EQ(phases[0].name, "discovery");
  EXPECT_EQ(phases[0].pages, 1u) << "the seed";
  EXPECT_EQ(phases[0].requests, 2u) << "its robots.txt, and the seed";
  EXPECT_EQ(phases[1].name, "expansion");
  EXPECT_EQ(phases[1].pages, 20u);
  EXPECT_GE(phases[1].elapsed, seconds(18));
  EXPECT_EQ(phases.back().name, "completion");
  std::uint64_t requests = 0;
  for (const CrawlPhase& phase : phases) requests += phase.requests;
  EXPECT_EQ(requests, result->statistics.requests);
  EXPECT_EQ(result->statistics.hosts_waiting, 0u) << "no URL waits, though a delay still runs";
}

// Seeds were discovered before the stop; other URLs wait.
TEST(SimulatedCrawl, AResumeHasNoSecondDiscovery) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 20);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/", seconds(1)));
  crawl.Run(SimulatedCrawl::Interruption{SimulatedCrawl::Interruption::Kind::kStop, 8});
  const std::optional<CrawlResult> result = crawl.Run();
  std::vector<std::string> names;
  for (const CrawlPhase& phase : result->statistics.phases) names.push_back(phase.name);
  EXPECT_THAT(names, ::testing::ElementsAre("restoring", "expansion", "completion"));
}

}  // namespace
}  // namespace crawler::sim

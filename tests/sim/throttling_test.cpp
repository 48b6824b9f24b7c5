// Hosts that ask to wait, again and again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/crawl_testing.hpp"

namespace crawler::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;
using Outcome = CrawlResult::Outcome;

// Requests to the pages of the host by the time they were made.
std::vector<Moment> Starts(SimulatedCrawl& crawl) {
  std::vector<Moment> starts;
  for (const RecordedRequest& request : crawl.network().record()) {
    if (!request.is_robots) starts.push_back(request.started);
  }
  return starts;
}

CrawlOptions SixteenAtATime() {
  CrawlOptions options = OptionsFor("http://a.example/");
  options.per_host = 16;
  return options;
}

TEST(SimulatedThrottling, ForEverEndsInADocumentedTime) {
  struct Case {
    std::string retry_after;
    Duration least, most;
  };
  for (const Case& one :
       {Case{"", seconds(511), seconds(512)},   // 1 s, 2 s, …, 256 s.
        Case{"0", seconds(511), seconds(512)},  // No shorter than without it.
        Case{"86400", minutes(45), seconds(45 * 60 + 1)},
        Case{"Fri, 31 Dec 9999 23:59:59 GMT", minutes(45), seconds(45 * 60 + 1)}}) {
    SimulatedWeb web;
    SimulatedHost& host = AddStar(&web, "a.example", 0, 40, Fault::Status(429, one.retry_after));
    SimulatedCrawl crawl(web, SixteenAtATime());
    EXPECT_EQ(crawl.Run()->outcome, Outcome::kIncomplete) << one.retry_after;
    EXPECT_GE(crawl.network().now(), one.least) << one.retry_after;
    EXPECT_LE(crawl.network().now(), one.most) << one.retry_after;
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM visits WHERE given_up = 'throttled'"), 40);
    // The page, sixteen at a time, and nine probes.
    const std::vector<Moment> starts = Starts(crawl);
    EXPECT_EQ(starts.size(), 1u + 16 + 9) << one.retry_after;
    for (std::size_t i = 18; i < starts.size(); ++i) {
      EXPECT_GT(starts[i], starts[i - 1] + seconds(1)) << "one at a time, with growing pauses";
    }
    EXPECT_THAT(crawl.Problems(), IsEmpty()) << one.retry_after << host.origin;
  }
}

TEST(SimulatedThrottling, AHostThatAnswersAgainIsAskedMoreAndMoreAtATime) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.example", 60);
  for (const std::string& path : Paths("/good", 16)) {
    host.resources.at(path).faults = {Fault::Status(429)};
  }
  SimulatedCrawl crawl(web, SixteenAtATime());
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 61u);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
  const std::vector<Moment> starts = Starts(crawl);
  ASSERT_EQ(starts.size(), 1u + 16 + 60);
  const auto at_a_time = [&](std::size_t first) {
    return std::count(starts.begin() + static_cast<std::ptrdiff_t>(first), starts.end(),
                      starts[first]);
  };
  EXPECT_EQ(at_a_time(1), 16);
  EXPECT_EQ(at_a_time(17), 1) << "a probe";
  EXPECT_EQ(at_a_time(18), 2);
}

TEST(SimulatedThrottling, AUrlThatAloneThrottlesIsNotItsHostsFault) {
  for (const int per_host : {1, 16}) {
    SimulatedWeb web;
    SimulatedHost& host = AddStar(&web, "a.example", 30, 1, Fault::Status(429, "2"));
    CrawlOptions options = OptionsFor("http://a.example/");
    options.per_host = per_host;
    SimulatedCrawl crawl(web, options);
    EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
    EXPECT_EQ(crawl.Pages().size(), 31u);
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM visits WHERE given_up IS NOT NULL"), 0);
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM dead_letters"), 1);
    EXPECT_EQ(RequestsFor(crawl, host.origin + "/bad0"), 1 + 4) << "the first one is free";
    EXPECT_LE(crawl.network().now(), minutes(3));
    EXPECT_THAT(crawl.Problems(), IsEmpty());
  }
}

TEST(SimulatedThrottling, AFewUrlsThatThrottleDoNotEndTheirHost) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 30, 8, Fault::Status(429));
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kIncomplete);
  EXPECT_EQ(crawl.Pages().size(), 31u);
  EXPECT_EQ(crawl.Value("SELECT count(*) FROM dead_letters"), 8);
  EXPECT_LE(crawl.network().now(), minutes(15));
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedThrottling, AHostThatThrottlesLaterRestsLongerEachTimeAndEnds) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.example", 40);
  for (const std::string& path : Paths("/good", 40)) {
    host.resources.at(path).faults = {Fault::Status(429)};
    host.resources.at(path).forever = Fault::Status(429);
  }
  host.AddPage("/well", {});
  host.resources.at("/").links.push_back({"/well", "http://a.example/well", false});
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kIncomplete);
  // Ten in a row at most, even though one answer was good.
  EXPECT_LE(Starts(crawl).size(), 2u + 10 + 10);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

TEST(SimulatedThrottling, TheLongestCrawlDelayIsHonouredForAnyLongerOne) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.example", 3);
  Resource robots;
  robots.kind = Resource::Kind::kText;
  robots.body = "User-agent: *\nCrawl-delay: 1e9\n";
  host.Add("/robots.txt", robots);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  EXPECT_EQ(crawl.Run()->outcome, Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 4u);
  EXPECT_GE(crawl.network().now(), seconds(4 * 30));
  EXPECT_LE(crawl.network().now(), seconds(4 * 30 + 1));
}

}  // namespace
}  // namespace crawler::sim

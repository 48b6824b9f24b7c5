#include "sim/simulated_fetcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fetch/fetch_following.hpp"

namespace crawler::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

class SimulatedFetcherTest : public ::testing::Test {
 protected:
  SimulatedFetcherTest() {
    SimulatedHost& slow = web_.AddHost("slow.example");
    slow.latency = seconds(2);
    slow.AddPage("/");
    SimulatedHost& quick = web_.AddHost("quick.example");
    quick.latency = milliseconds(10);
    quick.AddPage("/").faults = {Fault::Status(500)};
  }

  void Start(std::string_view url) {
    fetcher_.Start(RequestFor(url), [this](FetchResult result) {
      answers_.push_back(std::string(result.url.host()) + " " + std::to_string(result.status));
      results_.push_back(std::move(result));
    });
  }

  SimulatedWeb web_;
  SimulatedNetwork network_{web_};
  SimulatedFetcher fetcher_{network_};
  std::vector<std::string> answers_;
  std::vector<FetchResult> results_;
};

TEST_F(SimulatedFetcherTest, AnswersComeFromPollInTheOrderOfTheirTimes) {
  const WallTime begin = network_.clock().WallNow();
  Start("http://slow.example/");
  Start("http://quick.example/");
  EXPECT_EQ(fetcher_.pending(), 2u);
  EXPECT_TRUE(answers_.empty());

  fetcher_.Poll(seconds(60));
  EXPECT_THAT(answers_, ElementsAre("quick.example 500"));
  EXPECT_GE(network_.now(), milliseconds(10));
  EXPECT_LE(network_.now(), milliseconds(20));
  fetcher_.Poll(seconds(60));
  EXPECT_THAT(answers_, ElementsAre("quick.example 500", "slow.example 200"));
  EXPECT_EQ(fetcher_.pending(), 0u);
  EXPECT_EQ(results_[1].started, begin);
  EXPECT_EQ(results_[1].timings.total, network_.clock().WallNow() - begin);
}

TEST_F(SimulatedFetcherTest, PollWaitsNoLongerThanItsTimeout) {
  fetcher_.Poll(seconds(5));
  EXPECT_EQ(network_.now(), seconds(5));
  Start("http://slow.example/");
  fetcher_.Poll(milliseconds(100));
  EXPECT_EQ(network_.now(), milliseconds(5'100));
  fetcher_.Poll(Duration::zero());
  EXPECT_EQ(network_.now(), milliseconds(5'100));
  EXPECT_EQ(fetcher_.pending(), 1u);
  fetcher_.Poll(Duration::max());
  EXPECT_EQ(fetcher_.pending(), 0u);
}

TEST_F(SimulatedFetcherTest, AWakeupEndsOneWait) {
  fetcher_.Wakeup();
  fetcher_.Poll(seconds(5));
  EXPECT_EQ(network_.now(), seconds(0));
  fetcher_.Poll(seconds(5));
  EXPECT_EQ(network_.now(), seconds(5));
}

TEST_F(SimulatedFetcherTest, CallbacksMayStartRequests) {
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "http://slow.example/";
  web_.AddHost("old.example").Add("/", redirect);
  FetchResult last;
  FetchFollowing(fetcher_, RequestFor("http://old.example/"),
                 [&last](FetchResult result) { last = std::move(result); });
  fetcher_.RunUntilIdle();
  EXPECT_EQ(last.url.href(), "http://slow.example/");
  EXPECT_EQ(last.status, 200);
  EXPECT_THAT(last.redirected_from, ElementsAre("http://old.example/"));
}

TEST_F(SimulatedFetcherTest, CancelAllEndsEverythingOnceAtTheNextPoll) {
  Start("http://slow.example/");
  Start("http://quick.example/");
  fetcher_.Poll(milliseconds(5));
  fetcher_.CancelAll();
  EXPECT_TRUE(answers_.empty());
  fetcher_.Poll(seconds(60));
  ASSERT_EQ(results_.size(), 2u);
  for (const FetchResult& result : results_) {
    EXPECT_EQ(result.failure, FetchFailure::kCancelled);
    EXPECT_EQ(result.timings.total, milliseconds(5));
  }
  EXPECT_EQ(network_.now(), milliseconds(5));
  EXPECT_EQ(fetcher_.pending(), 0u);
  EXPECT_EQ(network_.record()[0].ended, milliseconds(5));
}

TEST_F(SimulatedFetcherTest, TheRecordTellsEveryRequest) {
  Start("http://quick.example/");
  fetcher_.RunUntilIdle();
  network_.Sleep(seconds(1));
  Start("http://quick.example/");
  fetcher_.RunUntilIdle();
  Start("http://quick.example/robots.txt");
  ASSERT_EQ(network_.record().size(), 3u);
  const RecordedRequest& failed = network_.record()[0];
  EXPECT_EQ(failed.origin, "http://quick.example");
  EXPECT_EQ(failed.site, "quick.example");
  EXPECT_EQ(failed.status, 500);
  EXPECT_TRUE(failed.delivered);
  EXPECT_TRUE(failed.fault.has_value());
  const RecordedRequest& good = network_.record()[1];
  EXPECT_EQ(good.status, 200);
  EXPECT_GE(good.started, failed.ended + seconds(1));
  EXPECT_FALSE(good.fault.has_value());
  EXPECT_TRUE(network_.record()[2].is_robots);
  EXPECT_FALSE(network_.record()[2].delivered);
}

TEST_F(SimulatedFetcherTest, ANewProcessHasANewSteadyClockAndTheSameCalendar) {
  network_.Sleep(hours(3));
  const TimePoint steady = network_.clock().Now();
  const WallTime wall = network_.clock().WallNow();
  Start("http://slow.example/");
  network_.BeginProcess();
  EXPECT_LT(network_.clock().Now(), steady);
  EXPECT_EQ(network_.clock().WallNow(), wall);
  EXPECT_EQ(network_.process(), 1);
  EXPECT_EQ(network_.record()[0].ended, hours(3));
  EXPECT_FALSE(network_.record()[0].delivered);
}

TEST_F(SimulatedFetcherTest, ACopyGoesItsOwnWay) {
  network_.Sleep(seconds(3));
  SimulatedNetwork copy(network_);
  network_.Sleep(seconds(3));
  EXPECT_EQ(copy.now(), seconds(3));
  Start("http://quick.example/");
  EXPECT_TRUE(copy.record().empty());
}

TEST_F(SimulatedFetcherTest, StepsAreToldBeforeTheirAnswers) {
  std::vector<std::string> events;
  network_.on_step = [&](std::uint64_t step) { events.push_back(std::to_string(step)); };
  const auto done = [&](const FetchResult& result) { events.emplace_back(result.url.host()); };
  fetcher_.Start(RequestFor("http://quick.example/"), done);
  fetcher_.Start(RequestFor("http://slow.example/"), done);
  fetcher_.RunUntilIdle();
  EXPECT_THAT(events, ElementsAre("0", "quick.example", "1", "slow.example"));
}

TEST_F(SimulatedFetcherTest, SpinningAndEndlessCrawlsAreTold) {
  std::vector<std::string> told;
  network_.on_stuck = [&](const std::string& why) { told.push_back(why); };
  for (int i = 0; i < 200'000; ++i) fetcher_.Poll(Duration::zero());
  EXPECT_THAT(told, ElementsAre("the crawler polls without waiting for anything"));

  told.clear();
  SimulatedNetwork other(web_);
  other.longest = hours(2);
  other.on_stuck = [&](const std::string& why) { told.push_back(why); };
  SimulatedFetcher fetcher(other);
  for (int i = 0; i < 300; ++i) fetcher.Poll(std::chrono::minutes(1));
  EXPECT_THAT(told, ElementsAre("the crawl takes too long"));
}

}  // namespace
}  // namespace crawler::sim

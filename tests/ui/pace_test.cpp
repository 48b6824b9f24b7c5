#include "pace.hpp"

#include <gtest/gtest.h>

namespace {

using crawler::CrawlStatistics;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A crawl that is looked at four times per second.
class WatchedRun {
 public:
  /// `urls` and `found` per second.
  Pace Go(seconds time, double urls, double found = 0) {
    for (seconds passed{0}; passed < time; passed += seconds(1)) {
      for (int quarter = 0; quarter < 4; ++quarter) {
        now.elapsed += milliseconds(250);
        done_ += urls / 4;
        known_ += found / 4;
        now.this_run.pages = now.this_run.urls_done = now.urls_done = Whole(done_);
        now.this_run.bytes = Whole(done_ * 1'000);
        now.urls_waiting = Whole(known_) - std::min(Whole(known_), now.urls_done);
        pace_ = meter_.Update(now);
      }
    }
    return pace_;
  }

  CrawlStatistics now;

 private:
  static std::uint64_t Whole(double value) { return static_cast<std::uint64_t>(value + 1e-6); }

  PaceMeter meter_;
  Pace pace_;
  double done_ = 0;
  double known_ = 1'000;
};

TEST(PaceMeter, FindsTheRateAtOnce) {
  WatchedRun run;
  EXPECT_NEAR(run.Go(seconds(1), 40).pages_per_second, 40, 1);
  EXPECT_NEAR(run.Go(seconds(10), 40).pages_per_second, 40, 1);
  EXPECT_NEAR(run.Go(seconds(1), 40).bytes_per_second, 40'000, 1'000);
}

TEST(PaceMeter, FollowsAChangeInSeconds) {
  WatchedRun run;
  run.Go(seconds(60), 40);
  EXPECT_NEAR(run.Go(seconds(24), 10).pages_per_second, 10, 3);
  EXPECT_LT(run.Go(seconds(60), 0).pages_per_second, 0.05);
}

TEST(PaceMeter, AHostOnceASecondIsOnePagePerSecond) {
  WatchedRun run;
  for (int i = 0; i < 100; ++i) EXPECT_NEAR(run.Go(seconds(1), 1).pages_per_second, 1, 0.25);
}

TEST(PaceMeter, TheRestTakesAtLeastSoLongWhileMoreIsFound) {
  WatchedRun run;
  const Pace growing = run.Go(seconds(20), 10, 5);
  EXPECT_TRUE(growing.grows);
  ASSERT_TRUE(growing.left);
  EXPECT_TRUE(growing.at_least);
  EXPECT_NEAR(static_cast<double>(growing.left->count()), 90'000, 3'000);
  const Pace grown = run.Go(seconds(20), 10, 0);
  EXPECT_FALSE(grown.grows);
  EXPECT_FALSE(grown.at_least);
  EXPECT_NEAR(static_cast<double>(grown.left->count()), 70'000, 3'000);
}

TEST(PaceMeter, SaysNothingAboutTheEndOfACrawlThatStandsStill) {
  WatchedRun run;
  EXPECT_FALSE(run.Go(seconds(1), 10).left);  // Too early.
  EXPECT_TRUE(run.Go(seconds(10), 10).left);
  EXPECT_FALSE(run.Go(seconds(300), 0).left);
}

TEST(PaceMeter, ABudgetEndsItSooner) {
  WatchedRun run;
  run.now.eta = seconds(30);
  const Pace pace = run.Go(seconds(20), 10, 5);
  EXPECT_EQ(pace.left, seconds(30));
  EXPECT_FALSE(pace.at_least);
  run.now.eta = seconds(3'000);
  EXPECT_LT(run.Go(seconds(1), 10, 5).left, seconds(100));
}

}  // namespace

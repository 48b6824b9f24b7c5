#include "base/clock.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

using std::chrono::seconds;

TEST(ManualClock, MovesBothClocksTogether) {
  const WallTime start = WallTime(seconds(1705314225));
  ManualClock clock(start);
  const TimePoint before = clock.Now();
  clock.Advance(seconds(90));
  EXPECT_EQ(clock.Now() - before, seconds(90));
  EXPECT_EQ(clock.WallNow(), start + seconds(90));
}

TEST(SystemClock, NeverGoesBack) {
  const TimePoint first = Clock::System().Now();
  EXPECT_GE(Clock::System().Now(), first);
  EXPECT_GT(Clock::System().WallNow(), WallTime(seconds(1700000000)));
}

}  // namespace
}  // namespace crawler

#include "frontier/politeness.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <random>
#include <vector>

#include "frontier/host_state.hpp"
#include "frontier/retry_policy.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr milliseconds kNone{0};

TEST(Politeness, IntervalIsTheLongestOfDelayCrawlDelayAndAnswer) {
  FrontierOptions options;
  EXPECT_EQ(HostInterval(options, options.delay, kNone, kNone), seconds(1));
  EXPECT_EQ(HostInterval(options, options.delay, milliseconds(400), kNone), seconds(1));
  EXPECT_EQ(HostInterval(options, options.delay, seconds(5), kNone), seconds(5));
  EXPECT_EQ(HostInterval(options, options.delay, kNone, seconds(3)), seconds(3))
      << "a slow host is asked less";
}

TEST(Politeness, CrawlDelayIsCappedAndHonouredWithoutADelayOfOurs) {
  FrontierOptions options;
  EXPECT_EQ(HostInterval(options, options.delay, seconds(86400), kNone), seconds(30));
  options.max_crawl_delay = kNone;  // No limit.
  EXPECT_EQ(HostInterval(options, options.delay, seconds(86400), kNone), seconds(86400));
  options.delay = kNone;
  EXPECT_EQ(HostInterval(options, options.delay, seconds(5), kNone), seconds(5));
}

TEST(Politeness, WithoutADelayNothingHoldsAHostUp) {
  FrontierOptions options;
  options.delay = kNone;
  EXPECT_EQ(HostInterval(options, options.delay, kNone, seconds(20)), Duration::zero());
  EXPECT_EQ(GroupInterval(options.delay, 4), Duration::zero());
}

TEST(Politeness, GroupsAreAskedLikeSoManyHosts) {
  FrontierOptions options;
  options.per_host = 2;
  EXPECT_EQ(GroupInterval(options.delay, 4), milliseconds(250));
  EXPECT_EQ(GroupLimit(options, 4), 8u);
  EXPECT_EQ(GroupLimit(options, 0), 0u) << "no limit";
  EXPECT_EQ(GroupInterval(options.delay, 0), Duration::zero());
  options.per_host = 0;
  EXPECT_EQ(GroupLimit(options, 4), 0u);
}

TEST(RetryPolicy, FailuresDoubleTheRestUpToItsLimit) {
  const RetryPolicy policy;
  EXPECT_EQ(FailureRest(policy, seconds(1), 1), seconds(1));
  EXPECT_EQ(FailureRest(policy, seconds(1), 2), seconds(2));
  EXPECT_EQ(FailureRest(policy, seconds(1), 5), seconds(16));
  EXPECT_EQ(FailureRest(policy, seconds(1), 20), minutes(5));
  EXPECT_EQ(FailureRest(policy, seconds(1), 60000), minutes(5));
  EXPECT_EQ(FailureRest(policy, kNone, 1), seconds(1));
  EXPECT_EQ(FailureRest(policy, seconds(3), 2), seconds(6));
}

TEST(RetryPolicy, RetryAfterIsHonouredUpToItsLimit) {
  const RetryPolicy policy;
  EXPECT_EQ(ThrottleRest(policy, 1, seconds(90)), seconds(90));
  EXPECT_EQ(ThrottleRest(policy, 7, seconds(90)), seconds(90));
  EXPECT_EQ(ThrottleRest(policy, 1, std::chrono::hours(24)), minutes(5));
  EXPECT_EQ(ThrottleRest(policy, 1, Duration::max()), minutes(5));
  EXPECT_EQ(ThrottleRest(policy, 1, seconds(0)), seconds(1)) << "never at once";
  EXPECT_EQ(ThrottleRest(policy, 1, Duration::min()), seconds(1));
  EXPECT_EQ(ThrottleRest(policy, 1, std::nullopt), seconds(1));
  EXPECT_EQ(ThrottleRest(policy, 4, std::nullopt), seconds(8));
  EXPECT_EQ(ThrottleRest(policy, 60000, std::nullopt), minutes(5));
}

// Only failures to resolve, connect, shake hands or answer at all count against a host.
TEST(RetryPolicy, SaysWhoIsAtFault) {
  EXPECT_EQ(FaultOf(FetchFailure::kNone, 200), Fault::kNone);
  EXPECT_EQ(FaultOf(FetchFailure::kNone, 404), Fault::kNone);
  EXPECT_EQ(FaultOf(FetchFailure::kNone, 408), Fault::kUrl);
  EXPECT_EQ(FaultOf(FetchFailure::kNone, 500), Fault::kUrl);
  EXPECT_EQ(FaultOf(FetchFailure::kDisconnected, 200), Fault::kUrl);
  EXPECT_EQ(FaultOf(FetchFailure::kDisconnected, 0), Fault::kNoAnswer);
  EXPECT_EQ(FaultOf(FetchFailure::kResponseTimeout, 0), Fault::kNoAnswer);
  EXPECT_EQ(FaultOf(FetchFailure::kDns, 0), Fault::kHost);
  EXPECT_EQ(FaultOf(FetchFailure::kRefused, 0), Fault::kHost);
  EXPECT_EQ(FaultOf(FetchFailure::kConnectTimeout, 0), Fault::kHost);
  EXPECT_EQ(FaultOf(FetchFailure::kBlockedAddress, 0), Fault::kNone);
  EXPECT_EQ(FaultOf(FetchFailure::kLocal, 0), Fault::kUs);
}

TEST(Politeness, NoOptionOverflows) {
  FrontierOptions options;
  options.delay = options.max_crawl_delay = options.retry.max_backoff = milliseconds::max();
  options.retry.first_delay = milliseconds::max();
  const Duration year = std::chrono::hours(24 * 366);
  for (const Duration time :
       {HostInterval(options, options.delay, milliseconds(0xFFFFFFFF), milliseconds(0xFFFFFFFF)),
        GroupInterval(options.delay, 1), FailureRest(options.retry, options.delay, 60000),
        ThrottleRest(options.retry, 60000, Duration::max()),
        RetryDelay(options.retry, 7, 1, 15) / 2}) {
    EXPECT_GT(time, Duration::zero());
    EXPECT_LT(time, year);
  }
  options.delay = options.max_crawl_delay = options.retry.max_backoff = milliseconds::min();
  EXPECT_EQ(HostInterval(options, options.delay, kNone, kNone), Duration::zero());
  options.per_host = std::numeric_limits<int>::max();
  EXPECT_EQ(GroupLimit(options, std::numeric_limits<int>::max()), 0xFFFFFFFFu);
}

// Retries 1 s, 2 s, 4 s, give or take a quarter, not all at the same moment.
TEST(RetryPolicy, RetriesAreSpreadAroundTheirTime) {
  const RetryPolicy policy;
  Duration least = Duration::max(), most = Duration::zero();
  for (UrlId id = 1; id <= 1000; ++id) {
    for (int failures = 1; failures <= 3; ++failures) {
      const Duration delay = RetryDelay(policy, 7, id, failures) / (1 << (failures - 1));
      least = std::min(least, delay);
      most = std::max(most, delay);
    }
  }
  EXPECT_GE(least, milliseconds(750));
  EXPECT_LE(least, milliseconds(760));
  EXPECT_LE(most, milliseconds(1250));
  EXPECT_GE(most, milliseconds(1240));
  EXPECT_EQ(RetryDelay(policy, 7, 1, 1), RetryDelay(policy, 7, 1, 1));
  EXPECT_NE(RetryDelay(policy, 7, 1, 1), RetryDelay(policy, 8, 1, 1));
}

TEST(StartClock, CountsALeaseUntilTheStartIsKnown) {
  const TimePoint zero{};
  StartClock clock;
  EXPECT_EQ(clock.Next(seconds(1)), TimePoint::min());
  clock.Lease(1, zero);
  EXPECT_EQ(clock.Next(seconds(1)), zero + seconds(1));
  clock.Started(1, zero + milliseconds(300));
  EXPECT_EQ(clock.Next(seconds(1)), zero + milliseconds(1300));
}

TEST(StartClock, GivesBackOnlyTheLastLease) {
  const TimePoint zero{};
  StartClock clock;
  clock.Lease(1, zero);
  clock.Lease(2, zero + seconds(1));
  clock.GiveBack(1);
  EXPECT_EQ(clock.Next(seconds(1)), zero + seconds(2));
  clock.GiveBack(2);
  EXPECT_EQ(clock.Next(seconds(1)), zero + seconds(1));
  clock.GiveBack(2);
  EXPECT_EQ(clock.Next(seconds(1)), zero + seconds(1));
}

// Against a list of all requests: the group opens when the intervals behind all of them have
// passed.
TEST(GroupClock, OpensAfterTheIntervalsOfAllRequests) {
  struct Request {
    UrlId lease;
    TimePoint at;
    Duration own;
  };
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    std::mt19937 random(seed);
    GroupClock clock;
    std::vector<Request> requests;
    TimePoint now = TimePoint(seconds(1'000));
    const auto opens = [&requests] {
      TimePoint latest = TimePoint::min();
      for (const Request& request : requests) latest = std::max(latest, request.at + request.own);
      return latest;
    };
    for (UrlId next = 1; next <= 30; ++next) {
      now += milliseconds(random() % 3'000);
      const Duration own = milliseconds(std::vector{0, 250, 1'000, 10'000}[random() % 4]);
      const int step = static_cast<int>(random() % 4);
      if (step == 0 && opens() <= now) {
        clock.Lease(next, now, own);
        requests.push_back({next, now, own});
      } else if (step == 1) {
        const TimePoint at = now - milliseconds(random() % 2'000);
        clock.Started(0, at, own);
        requests.push_back({0, at, own});
      } else if (step >= 2 && !requests.empty()) {
        const auto ended = requests.begin() + static_cast<int>(random() % requests.size());
        if (ended->lease == 0) continue;
        if (step == 2) {
          clock.GiveBack(ended->lease);
          requests.erase(ended);
        } else {
          ended->at = std::max(ended->at, now - milliseconds(random() % 2'000));
          clock.Started(ended->lease, ended->at, ended->own);
          ended->lease = 0;
        }
      }
      ASSERT_EQ(std::max(clock.opens(), now), std::max(opens(), now)) << seed << " " << next;
    }
  }
}

}  // namespace
}  // namespace crawler

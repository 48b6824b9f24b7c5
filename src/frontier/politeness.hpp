#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "frontier/frontier.hpp"

namespace crawler {

/// Throttled answers in a row, without one good one, after which a host counts as down.
constexpr int kMaxThrottlesInARow = 30;
/// Failures of a URL, or of an introduction, after which it is given up.
constexpr int kMaxFailures = 4;
/// How long a host that counts as down is left alone.
constexpr std::chrono::minutes kDownTime{10};

/// From the start of one request to a host to the start of the next: the delay wanted, the host's
/// own Crawl-delay, and, unless no delay is wanted, how long its last answer took.
Duration HostInterval(const FrontierOptions& options, std::chrono::milliseconds crawl_delay,
                      std::chrono::milliseconds last_took);

/// The same for a group that may be asked as often as `hosts` hosts.
Duration GroupInterval(const FrontierOptions& options, int hosts);

/// Requests to such a group at a time; 0 is no limit.
std::uint32_t GroupLimit(const FrontierOptions& options, int hosts);

/// How long a host rests after the `failures`th failure in a row, from 1.
Duration FailureRest(const FrontierOptions& options, int failures);

/// How long it rests when it asks for patience for the `throttles`th time in a row, from 1.
Duration ThrottleRest(const FrontierOptions& options, int throttles,
                      std::optional<Duration> retry_after);

/// How long what has failed for the `failures`th time waits, from 1: 1 s, 2 s, 4 s, each give or
/// take a quarter. The same for the same `id` and seed.
Duration RetryDelay(std::uint64_t seed, std::uint32_t id, int failures);

/// When requests are started. A lease counts as a start until it is known better.
struct StartClock {
  TimePoint last = TimePoint::min();    ///< min(): never.
  TimePoint before = TimePoint::min();  ///< As it was before the last lease.
  UrlId by = 0;                         ///< That lease's.

  void Lease(UrlId url, TimePoint now) {
    before = last;
    last = now;
    by = url;
  }
  /// The request was started at `at`.
  void Started(UrlId url, TimePoint at) {
    if (at > last) last = at;
    if (at > before) before = at;
    if (by == url) by = 0;
  }
  /// Nothing was sent: as if the lease had not been given, unless another has been since.
  void GiveBack(UrlId url) {
    if (by != url) return;
    last = before;
    by = 0;
  }
  TimePoint Next(Duration interval) const {
    return last == TimePoint::min() ? last : last + interval;
  }
};

}  // namespace crawler

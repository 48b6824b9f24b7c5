#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "frontier/frontier.hpp"

namespace crawler {

/// No rest is longer, whatever a server or an option says, so that times stay far from overflow.
constexpr std::chrono::milliseconds kLongestRest = std::chrono::hours(24 * 365);

/// The lesser of `time` and `limit`, never negative. A limit of 0 is none.
Duration Capped(Duration time, std::chrono::milliseconds limit);

/// `time` without what no option may say: less than nothing, or longer than kLongestRest.
constexpr Duration Sane(std::chrono::milliseconds time) {
  return std::clamp(time, std::chrono::milliseconds(0), kLongestRest);
}

/// From the start of one request to a host to the start of the next: the delay wanted, the host's
/// own Crawl-delay, and, unless no delay is wanted, how long its last answer took.
Duration HostInterval(const FrontierOptions& options, std::chrono::milliseconds crawl_delay,
                      std::chrono::milliseconds last_took);

/// The same for a group that may be asked as often as `hosts` hosts.
Duration GroupInterval(const FrontierOptions& options, int hosts);

/// Requests to such a group at a time; 0 is no limit.
std::uint32_t GroupLimit(const FrontierOptions& options, int hosts);

/// When requests are started. A lease counts as a start until it is known better.
class StartClock {
 public:
  void Lease(UrlId url, TimePoint now) {
    SetLast(now, last_);
    by_ = url;
  }
  /// The request was started at `at`.
  void Started(UrlId url, TimePoint at) {
    SetLast(std::max(last_, at), std::max(before(), at));
    if (by_ == url) by_ = 0;
  }
  /// Nothing was sent: as if the lease had not been given, unless another has been since.
  void GiveBack(UrlId url) {
    if (by_ != url) return;
    SetLast(before(), before());
    by_ = 0;
  }
  /// When the next request may be started; min() if there was none.
  TimePoint Next(Duration interval) const {
    return last_ == TimePoint::min() ? last_ : last_ + interval;
  }

 private:
  // An hour and more before, it does not matter how long.
  static constexpr std::uint32_t kLongBefore = 0xFFFFFFFF;

  TimePoint before() const {
    return last_ == TimePoint::min() ? last_ : last_ - std::chrono::microseconds(gap_us_);
  }
  void SetLast(TimePoint last, TimePoint before) {
    last_ = last;
    gap_us_ = kLongBefore;
    if (before == TimePoint::min()) return;
    const auto gap = std::chrono::duration_cast<std::chrono::microseconds>(last - before).count();
    if (gap < kLongBefore) gap_us_ = static_cast<std::uint32_t>(gap);
  }

  TimePoint last_ = TimePoint::min();
  std::uint32_t gap_us_ = kLongBefore;  // From the start before to the last one.
  UrlId by_ = 0;                        // The last lease, while it may be given back.
};

}  // namespace crawler

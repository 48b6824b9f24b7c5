#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "frontier/frontier_options.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

/// The longest rest of a host. Longer times of servers or options are cut to it, so that no sum of
/// times overflows.
constexpr std::chrono::milliseconds kLongestRest = std::chrono::hours(24 * 365);

/// The lesser of `time` and `limit`, never negative. A limit of 0 is none.
Duration Capped(Duration time, std::chrono::milliseconds limit);

/// `time`, but not negative, and not longer than kLongestRest.
constexpr Duration Sane(std::chrono::milliseconds time) {
  return std::clamp(time, std::chrono::milliseconds(0), kLongestRest);
}

/// The time from one request to a host to the start of the next: the longest of its delay, its
/// Crawl-delay and, unless the delay is 0, the duration of its last response.
Duration HostInterval(const FrontierOptions& options, std::chrono::milliseconds delay,
                      std::chrono::milliseconds crawl_delay, std::chrono::milliseconds last_took);

/// The same for a group that may be asked as often as `hosts` hosts with this delay.
Duration GroupInterval(std::chrono::milliseconds delay, int hosts);

/// Requests to such a group at a time; 0 is no limit.
std::uint32_t GroupLimit(const FrontierOptions& options, int hosts);

/// How long the answers of a host usually take, the last ones more than the ones before. A host is
/// *prompt* if it has answered and its answers usually take at most kPrompt. Hosts that are not
/// prompt may be tarpits.
class AnswerTime {
 public:
  static constexpr std::chrono::milliseconds kPrompt{2'000};
  /// A request without an answer counts as one that took as long, at least.
  static constexpr std::chrono::milliseconds kNoAnswer{20'000};

  /// A request has ended after `took`, with any response or none.
  void Ended(Duration took, bool answered);
  bool prompt() const { return usual_ms_ <= kPrompt.count(); }

 private:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
  std::uint32_t usual_ms_ = kUnknown;  // Until the first answer.
};

/// How much of the slots a host may have; see FrontierOptions::slots.
enum class SlotClass : std::uint8_t {
  kPrompt,   ///< It answers, and soon.
  kSlow,     ///< It has not answered so far, or takes long.
  kFailing,  ///< Its last request was not answered.
};

/// The slots that hosts of a class, and of those behind it, may have at a time; 0 is no limit.
std::uint32_t SlotLimit(const FrontierOptions& options, SlotClass slot_class);

/// The times at which requests were started. A lease counts as a start until the real one is known.
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
  /// Returns whether anything changed.
  bool GiveBack(UrlId url) {
    if (by_ != url) return false;
    SetLast(before(), before());
    by_ = 0;
    return true;
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

#include "frontier/politeness.hpp"

#include <algorithm>

namespace crawler {

using std::chrono::milliseconds;

Duration Capped(Duration time, milliseconds limit) {
  if (limit.count() > 0 && limit < kLongestRest) time = std::min<Duration>(time, limit);
  return std::clamp<Duration>(time, Duration::zero(), kLongestRest);
}

Duration HostInterval(const FrontierOptions& options, milliseconds given_delay,
                      milliseconds crawl_delay, milliseconds last_took) {
  const Duration delay = Sane(given_delay);
  const Duration asked = Capped(crawl_delay, options.max_crawl_delay);
  const Duration interval = std::max(delay, asked);
  if (delay == Duration::zero()) return interval;
  return std::max(interval, Capped(last_took, options.retry.max_backoff));
}

Duration GroupInterval(milliseconds delay, int hosts) {
  return hosts > 0 ? Sane(delay) / hosts : Duration::zero();
}

std::uint32_t GroupLimit(const FrontierOptions& options, int hosts) {
  if (hosts <= 0 || options.per_host <= 0) return 0;
  const std::int64_t limit = std::int64_t{hosts} * options.per_host;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(limit, 0xFFFFFFFF));
}

void AnswerTime::Ended(Duration took, bool answered) {
  if (!answered && usual_ms_ == kUnknown) return;
  const Duration sample = answered ? took : std::max<Duration>(took, kNoAnswer);
  const auto ms =
      std::chrono::duration_cast<milliseconds>(std::min<Duration>(sample, kLongestRest)).count();
  const auto bounded = static_cast<std::uint32_t>(std::clamp<std::int64_t>(ms, 0, 1'000'000));
  usual_ms_ = usual_ms_ == kUnknown ? bounded : (3 * usual_ms_ + bounded) / 4;
}

std::uint32_t SlotLimit(const FrontierOptions& options, SlotClass slot_class) {
  const std::uint32_t quarters = slot_class == SlotClass::kFailing ? 1
                                 : slot_class == SlotClass::kSlow  ? 3
                                                                   : 4;
  const std::uint64_t share = std::uint64_t{options.slots} * quarters / 4;
  return options.slots == 0 ? 0 : static_cast<std::uint32_t>(std::max<std::uint64_t>(share, 1));
}

}  // namespace crawler

#include "frontier/politeness.hpp"

#include <algorithm>

namespace crawler {

using std::chrono::milliseconds;

Duration Capped(Duration time, milliseconds limit) {
  if (limit.count() > 0 && limit < kLongestRest) time = std::min<Duration>(time, limit);
  return std::clamp<Duration>(time, Duration::zero(), kLongestRest);
}

Duration HostInterval(const FrontierOptions& options, milliseconds crawl_delay,
                      milliseconds last_took) {
  const Duration delay = Sane(options.delay);
  const Duration asked = Capped(crawl_delay, options.max_crawl_delay);
  const Duration interval = std::max(delay, asked);
  if (delay == Duration::zero()) return interval;
  return std::max(interval, Capped(last_took, options.retry.max_backoff));
}

Duration GroupInterval(const FrontierOptions& options, int hosts) {
  return hosts > 0 ? Sane(options.delay) / hosts : Duration::zero();
}

std::uint32_t GroupLimit(const FrontierOptions& options, int hosts) {
  if (hosts <= 0 || options.per_host <= 0) return 0;
  const std::int64_t limit = std::int64_t{hosts} * options.per_host;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(limit, 0xFFFFFFFF));
}

}  // namespace crawler

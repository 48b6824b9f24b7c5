#include "frontier/politeness.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// No rest is longer, whatever a server or an option says: times stay far from overflow.
constexpr milliseconds kLongest = std::chrono::hours(24 * 365);

// The lesser of `time` and a limit where 0 is none.
Duration Capped(Duration time, milliseconds limit) {
  if (limit.count() > 0 && limit < kLongest) time = std::min<Duration>(time, limit);
  return std::clamp<Duration>(time, Duration::zero(), kLongest);
}

Duration Doubled(Duration time, int times, milliseconds limit) {
  for (; times > 0 && time < kLongest; --times) time *= 2;
  return Capped(time, limit);
}

// Options come from users; nothing they say may overflow.
Duration DelayOf(const FrontierOptions& options) {
  return std::clamp(options.delay, milliseconds(0), kLongest);
}

}  // namespace

Duration HostInterval(const FrontierOptions& options, milliseconds crawl_delay,
                      milliseconds last_took) {
  const Duration delay = DelayOf(options);
  const Duration asked = Capped(crawl_delay, options.max_crawl_delay);
  const Duration interval = std::max(delay, asked);
  if (delay == Duration::zero()) return interval;
  return std::max(interval, Capped(last_took, options.max_backoff));
}

Duration GroupInterval(const FrontierOptions& options, int hosts) {
  return hosts > 0 ? DelayOf(options) / hosts : Duration::zero();
}

std::uint32_t GroupLimit(const FrontierOptions& options, int hosts) {
  if (hosts <= 0 || options.per_host <= 0) return 0;
  const std::int64_t limit = std::int64_t{hosts} * options.per_host;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(limit, 0xFFFFFFFF));
}

Duration FailureRest(const FrontierOptions& options, int failures) {
  const Duration first = std::max<Duration>(DelayOf(options), seconds(1));
  return Doubled(first, failures - 1, options.max_backoff);
}

Duration ThrottleRest(const FrontierOptions& options, int throttles,
                      std::optional<Duration> retry_after) {
  if (!retry_after) return Doubled(seconds(1), throttles - 1, options.max_backoff);
  return Capped(std::max<Duration>(*retry_after, seconds(1)), options.max_backoff);
}

Duration RetryDelay(std::uint64_t seed, std::uint32_t id, int failures) {
  const char bytes[] = {static_cast<char>(id), static_cast<char>(id >> 8),
                        static_cast<char>(id >> 16), static_cast<char>(id >> 24),
                        static_cast<char>(failures)};
  const std::uint64_t random = Hash64({bytes, sizeof(bytes)}, seed);
  const Duration base = seconds(1) * (1 << (std::clamp(failures, 1, 3) - 1));
  const auto per_mille = static_cast<std::int64_t>(750 + random % 501);
  return base / 1000 * per_mille;
}

}  // namespace crawler

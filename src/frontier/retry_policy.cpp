#include "frontier/retry_policy.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "frontier/politeness.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Duration Doubled(Duration time, int times, milliseconds limit) {
  for (; times > 0 && time < kLongestRest; --times) time *= 2;
  return Capped(time, limit);
}

}  // namespace

Fault FaultOf(FetchFailure failure, int status) {
  switch (failure) {
    case FetchFailure::kDns:
    case FetchFailure::kRefused:
    case FetchFailure::kConnectTimeout:
      return Fault::kHost;
    case FetchFailure::kResponseTimeout:
      return Fault::kNoAnswer;
    case FetchFailure::kReadTimeout:
    case FetchFailure::kDisconnected:
      return status == 0 ? Fault::kNoAnswer : Fault::kUrl;
    case FetchFailure::kLocal:
    case FetchFailure::kNoRoom:
      return Fault::kUs;
    case FetchFailure::kNone:
      return IsRetriedStatus(status) ? Fault::kUrl : Fault::kNone;
    case FetchFailure::kBadUrl:
    case FetchFailure::kTls:
    case FetchFailure::kProtocol:
    case FetchFailure::kTooLarge:
    case FetchFailure::kBomb:
    case FetchFailure::kBadEncoding:
    case FetchFailure::kBlockedAddress:
    case FetchFailure::kUnwantedType:
    case FetchFailure::kCancelled:
      break;
  }
  return Fault::kNone;
}

Duration FailureRest(const RetryPolicy& policy, milliseconds delay, int failures) {
  const Duration first = std::max<Duration>(Sane(delay), seconds(1));
  return Doubled(first, failures - 1, policy.max_backoff);
}

Duration ThrottleRest(const RetryPolicy& policy, int throttles,
                      std::optional<Duration> retry_after) {
  const Duration rest = Doubled(seconds(1), throttles - 1, policy.max_backoff);
  return std::max(rest, Capped(retry_after.value_or(Duration::zero()), policy.max_backoff));
}

Duration RetryDelay(const RetryPolicy& policy, std::uint64_t hash_key, std::uint32_t id,
                    int failures, bool patient) {
  const int doublings = failures - 1 + (patient ? 4 : 0);
  const char bytes[] = {static_cast<char>(id), static_cast<char>(id >> 8),
                        static_cast<char>(id >> 16), static_cast<char>(id >> 24),
                        static_cast<char>(failures)};
  const std::uint64_t random = Hash64({bytes, sizeof(bytes)}, hash_key);
  const Duration base = Doubled(Sane(policy.first_delay), doublings, policy.max_backoff);
  const auto per_mille = static_cast<std::int64_t>(750 + random % 501);
  return base / 1000 * per_mille;
}

}  // namespace crawler

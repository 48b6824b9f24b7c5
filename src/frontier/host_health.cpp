// Hosts that fail or ask to wait: how long they rest, and when they are given up.
#include <algorithm>
#include <utility>

#include "frontier/url_scheduler.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

}  // namespace

UrlScheduler::Health UrlScheduler::NoteHealth(ActiveHost& host, const Outcome& outcome) {
  HostRecord& record = hosts_[host.id];
  answered_ |= outcome.sent() && outcome.failure == FetchFailure::kNone &&
               outcome.kind != Kind::kUnreachable;
  const bool throttled = outcome.kind == Kind::kThrottled;
  if (!throttled && outcome.kind != Kind::kUnreachable && !outcome.no_answer) {
    record.failures = 0;
    record.throttles = 0;
    if (host.extras != nullptr) {
      host.extras->down_until = TimePoint::min();
      Widen(*host.extras);
    }
    NoteErrors(host, outcome);
    return Health::kUp;
  }
  HostExtras& extras = host.MakeExtras();
  extras.window = 1;
  const Duration rest = CountTrouble(
      record, &extras.unwell_at, {throttled, outcome.started, outcome.now, outcome.retry_after});
  extras.backoff_until = std::max(extras.backoff_until, outcome.now + rest);
  return CountsAsDown(record) || host.down_until() > now_ ? Health::kDown : Health::kUp;
}

// Whether a request to wait would concern `url` alone; see Lease::throttled_alone. It does not if
// the last requests to wait were for other URLs.
bool UrlScheduler::ThrottledAlone(const ActiveHost& host, UrlId url) const {
  if (!urls_.throttled(url) || hosts_[host.id].throttles > 0) return false;
  const UrlId last = host.extras == nullptr ? 0 : host.extras->throttled_url;
  return last == 0 || last == url;
}

// The URL that asked to wait comes behind the others of its host, so that one of these shows
// whether the host still answers.
void UrlScheduler::NoteThrottled(ActiveHost& host, const Lease& lease, const Outcome& outcome) {
  if (outcome.kind == Kind::kThrottled) urls_.set_throttled(lease.id);
  if (!lease.throttled_alone || outcome.kind != Kind::kRetry || !outcome.server_error) return;
  const bool last_attempt = urls_.failures(lease.id) >= options_.retry.retries;
  host.MakeExtras().throttled_url = last_attempt ? 0 : lease.id;
}

// A host that answers again gets one more request at a time with each answer.
void UrlScheduler::Widen(HostExtras& extras) const {
  constexpr std::uint32_t kWidest = 256;
  if (extras.window == 0) return;
  const std::uint32_t most =
      options_.per_host > 0 ? static_cast<std::uint32_t>(options_.per_host) : kWidest;
  if (++extras.window >= most) extras.window = 0;
}

// A host that answers with errors is asked less often, until it answers well. A Retry-After is
// honoured whatever the status.
void UrlScheduler::NoteErrors(ActiveHost& host, const Outcome& outcome) {
  if (!outcome.server_error) {
    host.errors = 0;
    if (host.extras != nullptr) host.extras->throttled_url = 0;
    return;
  }
  HostExtras& extras = host.MakeExtras();
  if (outcome.started >= extras.error_at) {
    extras.error_at = outcome.now;
    if (host.errors != 0xFF) ++host.errors;
  }
  if (!outcome.retry_after) return;
  const Duration rest = ThrottleRest(options_.retry, 1, outcome.retry_after);
  extras.backoff_until = std::max(extras.backoff_until, outcome.now + rest);
}

// Counts a failed request, and returns how long the host rests for it. Requests that were under way
// at the same time count as one failure.
Duration UrlScheduler::CountTrouble(HostRecord& record, TimePoint* unwell_at,
                                    const Trouble& trouble) const {
  Duration rest{0};
  if (trouble.started >= *unwell_at) {
    *unwell_at = trouble.ended;
    std::uint16_t& count = trouble.throttled ? record.throttles : record.failures;
    if (count != 0xFFFF) ++count;
    rest = trouble.throttled ? ThrottleRest(options_.retry, count, trouble.retry_after)
                             : FailureRest(options_.retry, options_.delay, count);
  }
  if (trouble.retry_after) {
    rest = std::max(rest, ThrottleRest(options_.retry, 1, trouble.retry_after));
  }
  return rest;
}

bool UrlScheduler::CountsAsDown(const HostRecord& record) const {
  const RetryPolicy& policy = options_.retry;
  const int most = FailuresUntilDown(policy, answered_);
  return (most > 0 && record.failures >= most) ||
         (policy.throttles > 0 && record.throttles >= policy.throttles);
}

// Gives the host up, unless it is given up already.
void UrlScheduler::HostIsDown(std::uint32_t index, const Outcome& outcome, bool robots_check) {
  using Reason = HostDown::Reason;
  const ActiveHost& host = active_[index];
  if (host.down_until() > now_) return;
  const HostRecord& record = hosts_[host.id];
  const RetryPolicy& policy = options_.retry;
  const bool throttled = policy.throttles > 0 && record.throttles >= policy.throttles;
  const Reason reason = throttled      ? Reason::kThrottled
                        : robots_check ? Reason::kRobotsCheck
                                       : Reason::kFailures;
  GiveUpHost(index, outcome.now + policy.down_time, outcome, reason,
             throttled ? record.throttles : record.failures);
}

void UrlScheduler::GiveUpHost(std::uint32_t index, TimePoint until, const Outcome& outcome,
                              HostDown::Reason reason, int attempts) {
  ActiveHost& host = active_[index];
  HostExtras& extras = host.MakeExtras();
  extras.down =
      std::make_shared<const HostDown>(HostDown{reason, attempts, outcome.now, host.origin.get(),
                                                outcome.failure, std::string(outcome.what)});
  extras.down_told = false;
  const auto give_up = [&](UrlId url) {
    CountWaiting(host, -1);
    GiveUp(url);
  };
  while (!host.urls.empty()) give_up(host.urls.PopAny(HeapContext()));
  for (const UrlId url : extras.urgent) give_up(url);
  for (const HostExtras::Retry& retry : extras.retries) give_up(retry.url);
  extras.urgent = std::vector<UrlId>();
  extras.retries = std::vector<HostExtras::Retry>();
  extras.down_until = until;
  hosts_[host.id].failures = 0;
  hosts_[host.id].throttles = 0;
  UpdateSlotClass(host);
}

void UrlScheduler::GiveUp(UrlId url) {
  urls_.set_state(url, UrlState::kOver);
  given_up_.push_back(url);
  undiscovered_.erase(url);
}

std::size_t UrlScheduler::TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls) {
  const std::size_t count = std::min(most, given_up_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const UrlId url = given_up_.back();
    given_up_.pop_back();
    GivenUp& given_up = urls->emplace_back();
    given_up = {url, urls_.host(url), urls_.failures(url), false, nullptr};
    const std::uint32_t index = hosts_[given_up.host].active;
    if (index == 0 || active_[index].extras == nullptr) continue;
    HostExtras& extras = *active_[index].extras;
    given_up.down = extras.down;
    given_up.first = extras.down != nullptr && !std::exchange(extras.down_told, true);
  }
  if (given_up_.empty()) given_up_.shrink_to_fit();
  return count;
}

}  // namespace crawler

// Leases and what becomes of them.
#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

#include "base/hash.hpp"
#include "frontier/frontier_impl.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

// A time in milliseconds that fits: 49 days are for ever here.
std::uint32_t Milliseconds(std::chrono::milliseconds time) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(time.count(), 0, 0xFFFFFFFF));
}

}  // namespace

std::size_t Frontier::Impl::LeaseSome(TimePoint now, std::size_t most, std::vector<Lease>* leases) {
  Advance(now);
  maybe_asked_at_ = TimePoint::min();
  std::size_t given = 0;
  while (given < most && !ready_.empty()) {
    const std::uint32_t index = QueueOf(ready_.top().item).hosts.top().item;
    const QueueId stop = StoppedBy(active_[index]);
    if (stop != kNoQueue) {
      QueueHost(index, stop);  // Which is closed: each round gives a lease or a shorter `ready_`.
      continue;
    }
    leases->push_back(LeaseFrom(index));
    ++given;
  }
  return given;
}

Frontier::Lease Frontier::Impl::LeaseFrom(std::uint32_t index) {
  ActiveHost& host = active_[index];
  Lease lease;
  lease.url = HeadOf(host);
  lease.host = host.id;
  lease.urgent = urls_.urgent(lease.url);
  lease.score = ScoreOf(lease.url);
  lease.notes = host.notes;
  if (NeedsRobotsCheck(host)) {
    lease.kind = Lease::Kind::kRobotsCheck;
    host.checking_robots = true;
  } else {
    lease.failures = urls_.failures(lease.url);
    host.just_checked = false;
    CountWaiting(host, lease.url, -1);
    urls_.set_state(lease.url, UrlState::kLeased);
    if (lease.urgent) {
      std::vector<UrlId>& urgent = host.extras->urgent;
      std::pop_heap(urgent.begin(), urgent.end(), UrgentOrder());
      urgent.pop_back();
    } else {
      host.urls.Pop(HeapContext());
      ++reserved_;
      ++active_domains_[host.domain].reserved;
    }
  }
  ++leased_;
  ++host.leased;
  host.clock.Lease(lease.url, now_);
  ActiveDomain& domain = active_domains_[host.domain];
  ++domain.in_flight;
  domain.clock.Lease(lease.url, now_);
  if (host.address != 0) {
    ++addresses_[host.address].in_flight;
    addresses_[host.address].clock.Lease(lease.url, now_);
  }
  Settle(index);
  RefreshQueuesOf(host);
  return lease;
}

Frontier::Verdict Frontier::Impl::Finish(const Lease& lease, const Outcome& outcome) {
  if (lease.kind == Lease::Kind::kRobotsCheck) {
    const bool given_up = FailRobotsCheck(lease, outcome, outcome.now + options_.retry.down_time);
    return given_up ? Verdict::kGivenUp : Verdict::kWaits;
  }
  const UrlId url = lease.url;
  if (!urls_.Has(url) || urls_.state(url) != UrlState::kLeased) return Verdict::kOver;
  Advance(outcome.now);
  const std::uint32_t index = hosts_[urls_.host(url)].active;
  ActiveHost& host = active_[index];
  if (!urls_.urgent(url)) {
    --reserved_;
    --active_domains_[host.domain].reserved;
    if (outcome.kind == Kind::kPage) CountPage(host);
  }
  const Health health = EndRequest(index, url, outcome);

  Verdict verdict = Verdict::kOver;
  urls_.set_state(url, UrlState::kOver);
  switch (outcome.kind) {
    case Kind::kPage:
    case Kind::kDone:
    case Kind::kDropped:
      break;
    case Kind::kRetry:
    case Kind::kUnreachable:
    case Kind::kThrottled:
    case Kind::kReturned:
      verdict = health == Health::kDown ? Verdict::kGivenUp : WaitAgain(host, url, outcome);
      break;
  }
  if (health == Health::kDown) HostIsDown(index, outcome, false);
  RefreshQueuesOf(host);
  Settle(index);
  return verdict;
}

// Puts a URL whose lease has ended back, unless it has failed too often.
Frontier::Verdict Frontier::Impl::WaitAgain(ActiveHost& host, UrlId url, const Outcome& outcome) {
  if (outcome.kind != Kind::kRetry) {
    Wait(host, url);
    return Verdict::kWaits;
  }
  const int failures = urls_.failures(url) + 1;
  if (failures > options_.retry.retries) return Verdict::kGivenUp;
  urls_.set_failures(url, static_cast<std::uint8_t>(failures));
  urls_.set_state(url, UrlState::kRetrying);
  CountWaiting(host, url, +1);
  std::vector<HostExtras::Retry>& retries = host.MakeExtras().retries;
  retries.push_back(
      {outcome.now + RetryDelay(options_.retry, options_.hash_key, url, failures), url});
  std::push_heap(retries.begin(), retries.end(), std::greater<>());
  return Verdict::kWaits;
}

// What the end of any request means for the host and its groups. kDown if it is, by now.
Frontier::Impl::Health Frontier::Impl::EndRequest(std::uint32_t index, UrlId url,
                                                  const Outcome& outcome) {
  ActiveHost& host = active_[index];
  ActiveDomain& domain = active_domains_[host.domain];
  --leased_;
  --host.leased;
  --domain.in_flight;
  if (host.address != 0) --addresses_[host.address].in_flight;
  if (outcome.kind == Kind::kReturned || outcome.kind == Kind::kDropped) {
    host.clock.GiveBack(url);
    domain.clock.GiveBack(url);
    if (host.address != 0) addresses_[host.address].clock.GiveBack(url);
    return host.down_until() > now_ ? Health::kDown : Health::kUp;
  }
  const TimePoint started = std::min(outcome.started, outcome.now);
  host.clock.Started(url, started);
  domain.clock.Started(url, started);
  if (host.address != 0) addresses_[host.address].clock.Started(url, started);
  if (outcome.address) SetAddress(index, *outcome.address, started);
  host.last_took_ms = Milliseconds(std::chrono::ceil<std::chrono::milliseconds>(outcome.took));
  return NoteHealth(host, outcome);
}

Frontier::Impl::Health Frontier::Impl::NoteHealth(ActiveHost& host, const Outcome& outcome) {
  HostRecord& record = hosts_[host.id];
  const bool throttled = outcome.kind == Kind::kThrottled;
  if (!throttled && outcome.kind != Kind::kUnreachable && !outcome.no_answer) {
    record.failures = 0;
    record.throttles = 0;
    if (host.extras != nullptr) host.extras->down_until = TimePoint::min();
    NoteErrors(host, outcome);
    return Health::kUp;
  }
  HostExtras& extras = host.MakeExtras();
  const Duration rest = CountTrouble(
      record, &extras.unwell_at, {throttled, outcome.started, outcome.now, outcome.retry_after});
  extras.backoff_until = std::max(extras.backoff_until, outcome.now + rest);
  return CountsAsDown(record) || host.down_until() > now_ ? Health::kDown : Health::kUp;
}

// A host that answers with errors is asked less often, until it answers well. A Retry-After is
// honoured whatever the status.
void Frontier::Impl::NoteErrors(ActiveHost& host, const Outcome& outcome) {
  if (!outcome.server_error) {
    host.errors = 0;
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

// How long the host rests for it. Requests that were under way side by side tell of one and the
// same trouble, which is counted once.
Duration Frontier::Impl::CountTrouble(HostRecord& record, TimePoint* unwell_at,
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

bool Frontier::Impl::CountsAsDown(const HostRecord& record) const {
  const RetryPolicy& policy = options_.retry;
  return (policy.host_failures > 0 && record.failures >= policy.host_failures) ||
         (policy.throttles > 0 && record.throttles >= policy.throttles);
}

void Frontier::Impl::SetAddress(std::uint32_t index, const IpAddress& address, TimePoint started) {
  ActiveHost& host = active_[index];
  if (host.address != 0 && addresses_[host.address].address == address) return;
  UnqueueHost(index);  // From the old address' queue, perhaps; Settle() brings it back.
  LeaveAddress(host);
  std::uint32_t& group_index = address_index_[address];
  if (group_index == 0) {
    group_index = addresses_.Take();
    addresses_[group_index].address = address;
  }
  host.address = group_index;
  ActiveAddress& group = addresses_[group_index];
  ++group.hosts;
  group.in_flight += host.leased;
  group.clock.Started(0, started);
}

void Frontier::Impl::LeaveAddress(ActiveHost& host) {
  if (host.address == 0) return;
  const std::uint32_t group_index = host.address;
  ActiveAddress& group = addresses_[group_index];
  host.address = 0;
  group.in_flight -= host.leased;
  if (--group.hosts == 0) {
    address_index_.erase(*group.address);
    addresses_.Give(group_index);
  } else {
    RefreshQueue(IdOf(QueueKind::kAddress, group_index));
  }
}

std::size_t Frontier::Impl::HashAddress::operator()(const IpAddress& address) const {
  const auto bytes = address.bytes();
  return Hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, hash_key);
}

void Frontier::Impl::CountPage(ActiveHost& host) {
  ActiveDomain& domain = active_domains_[host.domain];
  ++pages_;
  ++hosts_[host.id].pages;
  ++domains_[domain.record].pages;
  if (domains_[domain.record].pages == options_.max_per_domain) {
    held_by_domains_ += domain.waiting_pages;
  }
}

void Frontier::Impl::PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                                     std::chrono::milliseconds crawl_delay,
                                     std::shared_ptr<const HostNotes> notes) {
  const std::uint32_t index = CheckedBy(lease);
  if (index == 0) return;
  Advance(outcome.now);
  ActiveHost& host = active_[index];
  host.checking_robots = false;
  host.just_checked = true;
  host.robots_until = until;
  host.crawl_delay_ms = Milliseconds(crawl_delay);
  host.notes = std::move(notes);
  const Health health = EndRequest(index, lease.url, outcome);
  if (health == Health::kDown) HostIsDown(index, outcome, true);
  RefreshQueuesOf(host);
  Settle(index);
}

bool Frontier::Impl::FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until) {
  const std::uint32_t index = CheckedBy(lease);
  if (index == 0) return false;
  Advance(outcome.now);
  ActiveHost& host = active_[index];
  host.checking_robots = false;
  const bool failed = outcome.kind != Kind::kReturned && outcome.kind != Kind::kDropped &&
                      outcome.kind != Kind::kThrottled;
  Outcome ended = outcome;
  ended.no_answer = ended.no_answer || failed;
  const Health health = EndRequest(index, lease.url, ended);

  const bool given_up = outcome.kind == Kind::kDropped || health == Health::kDown;
  if (outcome.kind == Kind::kDropped) {
    GiveUpHost(index, until, outcome, HostDown::Reason::kRobotsCheck, 1);
  } else if (health == Health::kDown) {
    HostIsDown(index, outcome, true);
  }
  RefreshQueuesOf(host);
  Settle(index);
  return given_up;
}

// The host whose robots.txt is checked with `lease`; 0 if that has ended.
std::uint32_t Frontier::Impl::CheckedBy(const Lease& lease) const {
  if (lease.kind != Lease::Kind::kRobotsCheck) return 0;
  if (lease.host == 0 || lease.host >= hosts_.size()) return 0;
  const std::uint32_t index = hosts_[lease.host].active;
  return active_[index].checking_robots ? index : 0;
}

// Gives the host up, unless it is given up already.
void Frontier::Impl::HostIsDown(std::uint32_t index, const Outcome& outcome, bool robots_check) {
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

void Frontier::Impl::GiveUpHost(std::uint32_t index, TimePoint until, const Outcome& outcome,
                                HostDown::Reason reason, int attempts) {
  ActiveHost& host = active_[index];
  HostExtras& extras = host.MakeExtras();
  extras.down = std::make_shared<const HostDown>(
      HostDown{reason, attempts, outcome.now, host.origin.get(), std::string(outcome.what)});
  extras.down_told = false;
  const auto give_up = [&](UrlId url) {
    CountWaiting(host, url, -1);
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
}

void Frontier::Impl::GiveUp(UrlId url) {
  urls_.set_state(url, UrlState::kOver);
  given_up_.push_back(url);
}

std::size_t Frontier::Impl::TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls) {
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

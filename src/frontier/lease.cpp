// Leases: how they are given, and how they end.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/hash.hpp"
#include "frontier/url_scheduler.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

// `time` in 32 bits; longer times are cut to 49 days.
std::uint32_t Milliseconds(std::chrono::milliseconds time) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(time.count(), 0, 0xFFFFFFFF));
}

}  // namespace

void UrlScheduler::LeaseFor(std::uint16_t worker, TimePoint now, std::size_t most,
                            std::vector<Lease>* leases) {
  Advance(now);
  if (discovering_ && discovery_until_ == kNever) {
    discovery_until_ = now_ + Sane(options_.max_discovery);
  }
  OpenWorkerQueue(worker, TimePoint::min());
  std::size_t given = 0;
  while (given < most && !ready_.empty()) {
    const std::uint32_t index = QueueOf(ready_.top().item).hosts.top().item;
    const QueueId stop = StoppedBy(active_[index]);
    if (stop != kNoQueue) {
      QueueHost(index, stop);  // A closed queue: each round gives a lease or makes ready_ shorter.
      continue;
    }
    if (LeaveToItsWorker(index, worker)) continue;
    active_[index].worker = worker;
    leases->push_back(LeaseFrom(index));
    ++given;
  }
  // Hosts may be left in it: the thread comes again for them, or cannot take as many.
  const bool empty = QueueOfWorker(worker).hosts.empty();
  OpenWorkerQueue(worker, empty ? kNever : now_ + Frontier::kPatience);
}

WorkerQueue& UrlScheduler::QueueOfWorker(std::uint16_t worker) {
  while (worker_queues_.size() <= worker) {
    worker_queues_.push_back(std::make_unique<WorkerQueue>());
  }
  return *worker_queues_[worker];
}

void UrlScheduler::OpenWorkerQueue(std::uint16_t worker, TimePoint opens) {
  QueueOfWorker(worker).opens = opens;
  RefreshQueue(IdOf(QueueKind::kWorker, worker));
}

// Moves a host whose turn it is to the queue of the thread that has a connection to it, unless that
// thread is late. A host with requests under way has no free connection there.
bool UrlScheduler::LeaveToItsWorker(std::uint32_t index, std::uint16_t worker) {
  const ActiveHost& host = active_[index];
  if (host.worker == worker || host.worker == ActiveHost::kNoWorker || host.leased > 0) {
    return false;
  }
  WorkerQueue& queue = QueueOfWorker(host.worker);
  if (queue.opens <= now_) return false;
  if (queue.hosts.empty()) queue.opens = now_ + Frontier::kPatience;
  QueueHost(index, IdOf(QueueKind::kWorker, host.worker));
  return true;
}

Frontier::Lease UrlScheduler::LeaseFrom(std::uint32_t index) {
  ActiveHost& host = active_[index];
  Lease lease;
  lease.id = HeadOf(host);
  lease.token = ++last_token_;
  outstanding_[lease.id] = lease.token;
  lease.host = host.id;
  if (urls_.urgent(lease.id)) lease.via = Via::kSitemapFile;
  lease.score = ScoreOf(lease.id);
  if (NeedsRobotsCheck(host)) {
    lease.kind = Lease::Kind::kRobotsCheck;
    host.checking_robots = true;
  } else {
    lease.failures = urls_.failures(lease.id);
    lease.throttled_alone = ThrottledAlone(host, lease.id);
    host.just_checked = false;
    host.sitemap_last = lease.is_sitemap();
    CountWaiting(host, -1);
    urls_.set_state(lease.id, UrlState::kLeased);
    if (lease.is_sitemap()) {
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
  CountSlots(host, +1);
  lease.hurried = IsCrowded() && hosts_[host.id].failures == 0;
  host.clock.Lease(lease.id, now_);
  ActiveDomain& domain = active_domains_[host.domain];
  ++domain.in_flight;
  // A request takes from the time of a group as much as the delay of its host asks for.
  domain.clock.Lease(lease.id, now_, DomainInterval(host));
  if (host.address != 0) {
    ActiveAddress& group = addresses_[host.address];
    ++group.in_flight;
    group.clock.Lease(lease.id, now_, AddressInterval(host));
  }
  Place(index);
  RefreshQueuesOf(host);
  return lease;
}

// More hosts wait for a slot than there are, or will do so soon.
bool UrlScheduler::IsCrowded() const {
  if (options_.slots == 0) return false;
  if (leased_ + ready_hosts_ + slow_queue_.hosts.size() > options_.slots) return true;
  return leased_ > options_.slots / 2 && active_.used() - idle_.size() > options_.slots;
}

// `count` more requests to the host are under way, or less.
void UrlScheduler::CountSlots(const ActiveHost& host, std::int32_t count) {
  const auto change = static_cast<std::uint32_t>(count);
  if (host.slot_class != SlotClass::kPrompt) slow_leased_ += change;
  if (host.slot_class == SlotClass::kFailing) failing_leased_ += change;
}

// All requests to the host that are under way count as what the host is now.
void UrlScheduler::UpdateSlotClass(ActiveHost& host) {
  const auto leased = static_cast<std::int32_t>(host.leased);
  CountSlots(host, -leased);
  host.slot_class = hosts_[host.id].failures > 0 ? SlotClass::kFailing
                    : host.answers.prompt()      ? SlotClass::kPrompt
                                                 : SlotClass::kSlow;
  CountSlots(host, leased);
}

Frontier::Verdict UrlScheduler::Finish(const Lease& lease, const Outcome& outcome) {
  if (!IsOutstanding(lease)) return Verdict::kOver;
  if (lease.kind == Lease::Kind::kRobotsCheck) {
    const bool given_up = FailRobotsCheck(lease, outcome, outcome.now + options_.retry.down_time);
    return given_up ? Verdict::kGivenUp : Verdict::kWaits;
  }
  EndLease(lease, outcome);
  const UrlId url = lease.id;
  Advance(outcome.now);
  const std::uint32_t index = hosts_[urls_.host(url)].active;
  ActiveHost& host = active_[index];
  if (!urls_.urgent(url)) {
    --reserved_;
    --active_domains_[host.domain].reserved;
    if (outcome.kind == Kind::kPage) CountPage(host);
  }
  const Health health = EndRequest(index, url, outcome);
  NoteThrottled(host, lease, outcome);

  Verdict verdict = Verdict::kOver;
  urls_.set_state(url, UrlState::kOver);
  switch (outcome.kind) {
    case Kind::kPage:
    case Kind::kDone:
    case Kind::kDropped:
      break;
    case Kind::kReturned:
      // No row is written for a returned lease, so TakeGivenUp() returns the URL.
      if (health == Health::kDown) {
        GiveUp(url);
        break;
      }
      verdict = WaitAgain(host, url, outcome);
      break;
    case Kind::kRetry:
    case Kind::kUnreachable:
    case Kind::kThrottled:
      verdict = health == Health::kDown ? Verdict::kGivenUp : WaitAgain(host, url, outcome);
      break;
  }
  if (health == Health::kDown) HostIsDown(index, outcome, false);
  RefreshQueuesOf(host);
  Place(index);
  if (discovering_ && outcome.kind != Kind::kReturned) {
    Discovered(url);
    if (PagesSpent() || held_by_domains_ > 0) EndDiscovery();
  }
  return verdict;
}

// Puts a URL whose lease has ended back, unless it has failed too often.
Frontier::Verdict UrlScheduler::WaitAgain(ActiveHost& host, UrlId url, const Outcome& outcome) {
  if (outcome.kind != Kind::kRetry) {
    Wait(host, url);
    return Verdict::kWaits;
  }
  const int failures = urls_.failures(url) + 1;
  if (failures > options_.retry.retries) return Verdict::kGivenUp;
  urls_.set_failures(url, static_cast<std::uint8_t>(failures));
  urls_.set_state(url, UrlState::kRetrying);
  CountWaiting(host, +1);
  std::vector<HostExtras::Retry>& retries = host.MakeExtras().retries;
  const Duration delay =
      RetryDelay(options_.retry, options_.hash_key, url, failures, outcome.patient);
  retries.push_back({outcome.now + delay, url});
  std::push_heap(retries.begin(), retries.end(), std::greater<>());
  return Verdict::kWaits;
}

// Applies the end of any request to the host and its groups. kDown if the host is down now.
UrlScheduler::Health UrlScheduler::EndRequest(std::uint32_t index, UrlId url,
                                              const Outcome& outcome) {
  ActiveHost& host = active_[index];
  ActiveDomain& domain = active_domains_[host.domain];
  --leased_;
  --host.leased;
  CountSlots(host, -1);
  --domain.in_flight;
  if (host.address != 0) --addresses_[host.address].in_flight;
  if (!outcome.sent()) {
    host.clock.GiveBack(url);
    domain.clock.GiveBack(url);
    if (host.address != 0) addresses_[host.address].clock.GiveBack(url);
    return host.down_until() > now_ ? Health::kDown : Health::kUp;
  }
  // The host has seen the request by now. If its requests come one at a time, its delay counts from
  // here: no log of a server then shows two of them nearer than the delay, however long the first
  // one was on its way.
  const TimePoint started = std::min(outcome.started, outcome.now);
  host.clock.Started(url, options_.per_host == 1 ? outcome.now : started);
  domain.clock.Started(url, started, DomainInterval(host));
  if (host.address != 0)
    addresses_[host.address].clock.Started(url, started, AddressInterval(host));
  if (outcome.address) SetAddress(index, *outcome.address, started);
  host.last_took_ms = Milliseconds(std::chrono::ceil<std::chrono::milliseconds>(outcome.took));
  host.answers.Ended(outcome.took, outcome.kind != Kind::kUnreachable && !outcome.no_answer);
  const Health health = NoteHealth(host, outcome);
  UpdateSlotClass(host);
  return health;
}

void UrlScheduler::SetAddress(std::uint32_t index, const IpAddress& address, TimePoint started) {
  ActiveHost& host = active_[index];
  if (host.address != 0 && addresses_[host.address].address == address) return;
  UnqueueHost(index);  // It may be in the queue of the old address; Place() queues it again.
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
  group.clock.Started(0, started, AddressInterval(host));
}

void UrlScheduler::LeaveAddress(ActiveHost& host) {
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

std::size_t UrlScheduler::HashAddress::operator()(const IpAddress& address) const {
  const auto bytes = address.bytes();
  return Hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, hash_key);
}

void UrlScheduler::CountPage(ActiveHost& host) {
  ActiveDomain& domain = active_domains_[host.domain];
  ++pages_;
  ++hosts_[host.id].pages;
  ++domains_[domain.record].pages;
  if (domains_[domain.record].pages == options_.max_per_domain) {
    held_by_domains_ += domain.waiting;
  }
}

void UrlScheduler::PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                                   std::chrono::milliseconds crawl_delay) {
  const std::uint32_t index = CheckedBy(lease);
  if (index == 0) return;
  EndLease(lease, outcome);
  Advance(outcome.now);
  ActiveHost& host = active_[index];
  host.checking_robots = false;
  host.just_checked = true;
  host.robots_until = until;
  host.crawl_delay_ms = Milliseconds(crawl_delay);
  const Health health = EndRequest(index, lease.id, outcome);
  if (health == Health::kDown) HostIsDown(index, outcome, true);
  RefreshQueuesOf(host);
  Place(index);
}

bool UrlScheduler::FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until) {
  const std::uint32_t index = CheckedBy(lease);
  if (index == 0) return false;
  EndLease(lease, outcome);
  Advance(outcome.now);
  ActiveHost& host = active_[index];
  host.checking_robots = false;
  const bool failed = outcome.kind != Kind::kReturned && outcome.kind != Kind::kDropped &&
                      outcome.kind != Kind::kThrottled;
  Outcome ended = outcome;
  ended.no_answer = ended.no_answer || failed;
  const Health health = EndRequest(index, lease.id, ended);

  if (outcome.kind != Kind::kReturned) Discovered(lease.id);
  const bool given_up = outcome.kind == Kind::kDropped || health == Health::kDown;
  if (outcome.kind == Kind::kDropped) {
    GiveUpHost(index, until, outcome, HostDown::Reason::kRobotsCheck, 1);
  } else if (health == Health::kDown) {
    HostIsDown(index, outcome, true);
  }
  RefreshQueuesOf(host);
  Place(index);
  return given_up;
}

void UrlScheduler::RepeatRobotsCheck(HostId host) {
  if (host == 0 || host >= hosts_.size() || hosts_[host].active == 0) return;
  ActiveHost& active = active_[hosts_[host].active];
  active.robots_until = TimePoint::min();
  active.just_checked = false;
}

void UrlScheduler::SettleLeases(const std::vector<LeaseToken>& leases) {
  for (const LeaseToken token : leases) unsettled_.erase(token);
}

bool UrlScheduler::IsOutstanding(const Lease& lease) const {
  const auto found = outstanding_.find(lease.id);
  return found != outstanding_.end() && found->second == lease.token;
}

// A returned lease has nothing to store, so it needs not be settled.
void UrlScheduler::EndLease(const Lease& lease, const Outcome& outcome) {
  outstanding_.erase(lease.id);
  if (outcome.kind != Kind::kReturned) unsettled_.insert(lease.token);
}

// The active host whose robots.txt is checked with `lease`; 0 if the lease has ended.
std::uint32_t UrlScheduler::CheckedBy(const Lease& lease) const {
  if (lease.kind != Lease::Kind::kRobotsCheck || !IsOutstanding(lease)) return 0;
  return hosts_[urls_.host(lease.id)].active;
}

// `url` has been requested, or never will be.
void UrlScheduler::Discovered(UrlId url) {
  if (discovering_ && undiscovered_.erase(url) > 0 && undiscovered_.empty()) EndDiscovery();
}

void UrlScheduler::EndDiscovery() {
  discovering_ = false;
  undiscovered_ = {};
}

}  // namespace crawler

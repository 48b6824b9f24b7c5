// Scheduling: which queue each host is in, and which queues are open.
#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

#include "frontier/url_scheduler.hpp"

namespace crawler {
namespace {

// So many hosts without URLs keep the result of their robots check, which costs a request.
constexpr std::uint32_t kMostIdle = 8192;

// The score of a lease in bfs and dfs order: novelty and importance are both 1.
constexpr std::int64_t kPlainScore = 200;

}  // namespace

void UrlScheduler::Place(std::uint32_t index) {
  ActiveHost& host = active_[index];
  MoveDueRetries(host);
  if (IsUndecided(host)) {
    undecided_.insert(index);
  } else if (!undecided_.empty()) {
    undecided_.erase(index);
  }
  const TimePoint due = ClockDue(host);
  bool ready = false;
  TimePoint wake = kNever;
  if (Blocked(host)) {
    // The end of a request will bring it back.
  } else if (due <= now_) {
    ready = host.has_head();
    wake = host.first_retry();
  } else if (host.has_head()) {
    wake = due;
  } else if (host.first_retry() != kNever) {
    wake = std::max(due, host.first_retry());
  }

  if (!ready) {
    UnqueueHost(index);
  } else if (KeepsQueue(host)) {
    QueueHost(index, host.queue);
  } else {
    QueueHost(index, IdOf(QueueKind::kDomain, host.domain));
  }
  if (host.leased == 0 && host.waiting() == 0) {
    Rest(index);
  } else {
    SetAlarm(index, wake == kNever ? ActiveHost::AlarmKind::kNone : ActiveHost::AlarmKind::kWake,
             wake);
  }
}

// Whether the host is in a queue other than its domain's for a reason that may still hold. It costs
// one move to find out, when its turn comes.
bool UrlScheduler::KeepsQueue(const ActiveHost& host) {
  if (host.queue == kNoQueue) return false;
  const QueueKind kind = KindOf(host.queue);
  return kind == QueueKind::kAddress || kind == QueueKind::kWorker ||
         (kind == QueueKind::kSlow && host.slot_class != SlotClass::kPrompt) ||
         (kind == QueueKind::kFailing && host.slot_class == SlotClass::kFailing);
}

// A host that has nothing to do is forgotten once that makes no difference.
void UrlScheduler::Rest(std::uint32_t index) {
  const ActiveHost& host = active_[index];
  const TimePoint clocks = std::max({ClockDue(host), host.down_until(), host.keep_until()});
  if (clocks > now_) {
    SetAlarm(index, ActiveHost::AlarmKind::kLinger, clocks);
  } else if (options_.robots_checks && host.robots_until > now_) {
    SetAlarm(index, ActiveHost::AlarmKind::kIdle, host.robots_until);
    if (idle_.size() > kMostIdle) Deactivate(idle_.top().item);
  } else {
    Deactivate(index);
  }
}

IndexedHeap<Alarm>& UrlScheduler::AlarmsOf(ActiveHost::AlarmKind kind) {
  switch (kind) {
    case ActiveHost::AlarmKind::kLinger:
      return lingering_;
    case ActiveHost::AlarmKind::kIdle:
      return idle_;
    default:
      return wakes_;
  }
}

void UrlScheduler::SetAlarm(std::uint32_t index, ActiveHost::AlarmKind kind, TimePoint at) {
  ActiveHost& host = active_[index];
  const auto place_of = [this](std::uint32_t item) -> std::uint32_t& {
    return active_[item].alarm_place;
  };
  if (host.alarm != kind && host.alarm != ActiveHost::AlarmKind::kNone) {
    AlarmsOf(host.alarm).Remove(index, place_of);
  }
  host.alarm = kind;
  if (kind != ActiveHost::AlarmKind::kNone) AlarmsOf(kind).Set(Alarm{at, index}, place_of);
}

// Puts the host into the queue, or to its right place in it.
void UrlScheduler::QueueHost(std::uint32_t index, QueueId id) {
  ActiveHost& host = active_[index];
  if (host.queue != id) UnqueueHost(index);
  host.queue = id;
  const UrlId head = HeadOf(host);
  QueueOf(id).hosts.Set(
      Rank{KeyOf(head), head, index},
      [this](std::uint32_t item) -> std::uint32_t& { return active_[item].queue_place; });
  RefreshQueue(id);
}

void UrlScheduler::UnqueueHost(std::uint32_t index) {
  ActiveHost& host = active_[index];
  if (host.queue == kNoQueue) return;
  const QueueId id = host.queue;
  host.queue = kNoQueue;
  QueueOf(id).hosts.Remove(
      index, [this](std::uint32_t item) -> std::uint32_t& { return active_[item].queue_place; });
  RefreshQueue(id);
}

// Opens or closes a queue, and puts it where its first host belongs.
void UrlScheduler::RefreshQueue(QueueId id) {
  HostQueue& queue = QueueOf(id);
  const TimePoint opens_at = queue.hosts.empty() ? kNever : OpensAt(id);
  const bool open = opens_at <= now_;
  const auto ready_place = [this](QueueId item) -> std::uint32_t& {
    return QueueOf(item).ready_place;
  };
  if (open) {
    const Rank& first = queue.hosts.top();
    ready_.Set(Rank{first.key, first.url, id}, ready_place);
  } else {
    ready_.Remove(id, ready_place);
  }
  const auto alarm_place = [this](QueueId item) -> std::uint32_t& {
    return QueueOf(item).alarm_place;
  };
  if (!open && opens_at != kNever) {
    openings_.Set(Alarm{opens_at, id}, alarm_place);
  } else {
    openings_.Remove(id, alarm_place);
  }
  const std::uint32_t counted = open ? queue.hosts.size() : 0;
  ready_hosts_ += counted;
  ready_hosts_ -= queue.counted;
  queue.counted = counted;
}

void UrlScheduler::RefreshQueuesOf(const ActiveHost& host) {
  RefreshQueue(IdOf(QueueKind::kDomain, host.domain));
  if (active_domains_[host.domain].pages_queue != nullptr) {
    RefreshQueue(IdOf(QueueKind::kDomainPages, host.domain));
  }
  if (host.address != 0) RefreshQueue(IdOf(QueueKind::kAddress, host.address));
  RefreshQueue(IdOf(QueueKind::kPages, 0));
  if (slow_limit_ != 0) {
    RefreshQueue(IdOf(QueueKind::kSlow, 0));
    RefreshQueue(IdOf(QueueKind::kFailing, 0));
  }
  RankUndecided(active_domains_[host.domain]);
}

// Hosts whose next URL depends on budgets get another rank when a budget opens or closes.
void UrlScheduler::RankUndecided(ActiveDomain& domain) {
  const bool open = OpensAt(IdOf(QueueKind::kPages, 0)) <= now_;
  const bool domain_open =
      !options_.max_per_domain ||
      domains_[domain.record].pages + domain.reserved < options_.max_per_domain;
  const bool changed = open != std::exchange(pages_open_, open);
  if (domain_open == std::exchange(domain.pages_open, domain_open) && !changed) return;
  const std::vector<std::uint32_t> hosts(undecided_.begin(), undecided_.end());
  for (const std::uint32_t index : hosts) Place(index);
}

void UrlScheduler::MoveDueRetries(ActiveHost& host) {
  while (host.first_retry() <= now_) {
    std::vector<HostExtras::Retry>& retries = host.extras->retries;
    const UrlId url = retries.front().url;
    std::pop_heap(retries.begin(), retries.end(), std::greater<>());
    retries.pop_back();
    CountWaiting(host, -1);
    Wait(host, url);
  }
}

// Applies all changes that the time up to `now` brings: alarms, queues that open, discovery.
void UrlScheduler::Advance(TimePoint now) {
  now_ = std::max(now_, now);
  while (!wakes_.empty() && wakes_.top().at <= now_) Place(wakes_.top().item);
  while (!openings_.empty() && openings_.top().at <= now_) RefreshQueue(openings_.top().item);
  while (!lingering_.empty() && lingering_.top().at <= now_) Place(lingering_.top().item);
  while (!idle_.empty() && idle_.top().at <= now_) Place(idle_.top().item);
  if (discovering_ && (now_ >= discovery_until_ || undiscovered_.empty())) {
    EndDiscovery();
  }
}

HostQueue& UrlScheduler::QueueOf(QueueId id) {
  switch (KindOf(id)) {
    case QueueKind::kDomain:
      return active_domains_[OwnerOf(id)].queue;
    case QueueKind::kDomainPages: {
      std::unique_ptr<HostQueue>& queue = active_domains_[OwnerOf(id)].pages_queue;
      if (queue == nullptr) queue = std::make_unique<HostQueue>();
      return *queue;
    }
    case QueueKind::kAddress:
      return addresses_[OwnerOf(id)].queue;
    case QueueKind::kSlow:
      return slow_queue_;
    case QueueKind::kFailing:
      return failing_queue_;
    case QueueKind::kWorker:
      return *worker_queues_[OwnerOf(id)];
    case QueueKind::kPages:
      break;
  }
  return pages_queue_;
}

// When the queue opens, as far as time alone can tell: kNever if something else must happen.
TimePoint UrlScheduler::OpensAt(QueueId id) const {
  const auto group_opens = [](const HostGroup& group, std::uint32_t limit) {
    if (limit != 0 && group.in_flight >= limit) return kNever;
    return group.clock.opens();
  };
  const auto budget_opens = [](std::uint64_t spent, std::uint64_t budget) {
    return budget != 0 && spent >= budget ? kNever : TimePoint::min();
  };
  switch (KindOf(id)) {
    case QueueKind::kDomain:
      return group_opens(active_domains_[OwnerOf(id)], domain_limit_);
    case QueueKind::kAddress:
      return group_opens(addresses_[OwnerOf(id)], address_limit_);
    case QueueKind::kDomainPages: {
      const ActiveDomain& domain = active_domains_[OwnerOf(id)];
      const std::uint64_t pages = domains_[domain.record].pages;
      return budget_opens(pages + domain.reserved, options_.max_per_domain);
    }
    case QueueKind::kSlow:
      return budget_opens(slow_leased_, slow_limit_);
    case QueueKind::kFailing:
      return budget_opens(failing_leased_, failing_limit_);
    case QueueKind::kWorker:
      return worker_queues_[OwnerOf(id)]->opens;
    case QueueKind::kPages:
      break;
  }
  return budget_opens(pages_ + reserved_, options_.max_pages);
}

// When the host may be asked by its own clocks.
TimePoint UrlScheduler::ClockDue(const ActiveHost& host) const {
  using std::chrono::milliseconds;
  const Duration interval =
      SlowDown(host.errors) * HostInterval(options_, host.delay, milliseconds(host.crawl_delay_ms),
                                           milliseconds(host.last_took_ms));
  return std::max(host.clock.Next(interval), host.backoff_until());
}

// Whether a request has to end before the host may be asked.
bool UrlScheduler::Blocked(const ActiveHost& host) const {
  if (host.checking_robots) return true;
  if (host.extras != nullptr && host.extras->window != 0 && host.leased >= host.extras->window) {
    return true;
  }
  return options_.per_host > 0 && host.leased >= static_cast<std::uint32_t>(options_.per_host);
}

// A robots check is good for one URL at least, however late that URL gets its turn.
bool UrlScheduler::NeedsRobotsCheck(const ActiveHost& host) const {
  return options_.robots_checks && !host.just_checked && host.robots_until <= now_;
}

// The closed queue that a host has to wait in, if there is one.
QueueId UrlScheduler::StoppedBy(const ActiveHost& host) const {
  const QueueId domain = IdOf(QueueKind::kDomain, host.domain);
  if (OpensAt(domain) > now_) return domain;
  if (host.address != 0) {
    const QueueId address = IdOf(QueueKind::kAddress, host.address);
    if (OpensAt(address) > now_) return address;
  }
  const QueueId slow = IdOf(QueueKind::kSlow, 0), failing = IdOf(QueueKind::kFailing, 0);
  if (host.slot_class == SlotClass::kFailing && OpensAt(failing) > now_) return failing;
  if (host.slot_class != SlotClass::kPrompt && OpensAt(slow) > now_) return slow;
  const QueueId pages = IdOf(QueueKind::kPages, 0);
  const QueueId domain_pages = IdOf(QueueKind::kDomainPages, host.domain);
  if (urls_.urgent(HeadOf(host))) {
    // Once no more pages are wanted, sitemaps lead nowhere either.
    if (PagesSpent()) return pages;
    return DomainSpent(active_domains_[host.domain]) ? domain_pages : kNoQueue;
  }
  if (OpensAt(pages) > now_) return pages;
  return OpensAt(domain_pages) > now_ ? domain_pages : kNoQueue;
}

// A page comes before a sitemap if the last URL was a sitemap, or if the sitemap was tried and the
// page was not; but only while there is a budget for the page.
bool UrlScheduler::IsUndecided(const ActiveHost& host) const {
  if (!host.has_urgent() || host.urls.empty()) return false;
  return host.sitemap_last ||
         (urls_.tried(host.extras->urgent.front()) && !urls_.tried(host.urls.top()));
}

// The URL whose turn it is: a sitemap and a page by turns, a sitemap that was tried after pages
// that never were. Pages for which no budget is left are in nobody's way. Requires:
// host.has_head().
UrlId UrlScheduler::HeadOf(const ActiveHost& host) const {
  if (!host.has_urgent()) return host.urls.top();
  const UrlId urgent = host.extras->urgent.front();
  if (!IsUndecided(host)) return urgent;
  const bool page_may_come = OpensAt(IdOf(QueueKind::kPages, 0)) <= now_ &&
                             OpensAt(IdOf(QueueKind::kDomainPages, host.domain)) <= now_;
  return page_may_come ? host.urls.top() : urgent;
}

std::int64_t UrlScheduler::ScoreOf(UrlId url) const {
  if (OrderIsFixed()) return kPlainScore;
  if (options_.order == FrontierOrder::kWorth) return urls_.worth(url);
  const HostRecord& host = hosts_[urls_.host(url)];
  const std::int64_t novelty = std::max<std::int64_t>(0, 1000 - 10 * std::int64_t{host.pages});
  return novelty + 100 * std::int64_t{urls_.links(url)} + host.links;
}

// The order of hosts by their first URLs.
std::int64_t UrlScheduler::KeyOf(UrlId url) const {
  return options_.order == FrontierOrder::kDfs ? urls_.first_of_offer(url) : ScoreOf(url);
}

}  // namespace crawler

// Whose turn it is: where hosts are, and which queues are open.
#include <algorithm>
#include <cassert>
#include <functional>

#include "frontier/frontier_impl.hpp"

namespace crawler {
namespace {

// A robots check costs a request, so this many hosts keep theirs a while after their last URL.
constexpr std::uint32_t kMostIdle = 8192;

// What LeaseSome() gives in bfs order: novelty and importance are both 1.
constexpr std::int64_t kBfsScore = 200;

}  // namespace

void Frontier::Impl::Settle(std::uint32_t index) {
  ActiveHost& host = active_[index];
  MoveDueRetries(host);
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
  } else if (host.queue != kNoQueue && QueueKind(host.queue & 3) == QueueKind::kAddress) {
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

// A host that has nothing to do is forgotten once that makes no difference.
void Frontier::Impl::Rest(std::uint32_t index) {
  const ActiveHost& host = active_[index];
  const TimePoint clocks = std::max(ClockDue(host), host.down_until());
  if (clocks > now_) {
    SetAlarm(index, ActiveHost::AlarmKind::kLinger, clocks);
  } else if (options_.robots_checks && host.robots_until > now_) {
    SetAlarm(index, ActiveHost::AlarmKind::kIdle, host.robots_until);
    if (idle_.size() > kMostIdle) Deactivate(idle_.top().item);
  } else {
    Deactivate(index);
  }
}

IndexedHeap<Alarm>& Frontier::Impl::AlarmsOf(ActiveHost::AlarmKind kind) {
  switch (kind) {
    case ActiveHost::AlarmKind::kLinger:
      return lingering_;
    case ActiveHost::AlarmKind::kIdle:
      return idle_;
    default:
      return wakes_;
  }
}

void Frontier::Impl::SetAlarm(std::uint32_t index, ActiveHost::AlarmKind kind, TimePoint at) {
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
void Frontier::Impl::QueueHost(std::uint32_t index, QueueId id) {
  ActiveHost& host = active_[index];
  if (host.queue != id) UnqueueHost(index);
  host.queue = id;
  const UrlId head = HeadOf(host);
  QueueOf(id).hosts.Set(
      Rank{ScoreOf(head), head, index},
      [this](std::uint32_t item) -> std::uint32_t& { return active_[item].queue_place; });
  RefreshQueue(id);
}

void Frontier::Impl::UnqueueHost(std::uint32_t index) {
  ActiveHost& host = active_[index];
  if (host.queue == kNoQueue) return;
  const QueueId id = host.queue;
  host.queue = kNoQueue;
  QueueOf(id).hosts.Remove(
      index, [this](std::uint32_t item) -> std::uint32_t& { return active_[item].queue_place; });
  RefreshQueue(id);
}

// Opens or closes a queue, and puts it where its first host belongs.
void Frontier::Impl::RefreshQueue(QueueId id) {
  HostQueue& queue = QueueOf(id);
  const TimePoint opens_at = queue.hosts.empty() ? kNever : OpensAt(id);
  const bool open = opens_at <= now_;
  const auto ready_place = [this](QueueId item) -> std::uint32_t& {
    return QueueOf(item).ready_place;
  };
  if (open) {
    const Rank& first = queue.hosts.top();
    ready_.Set(Rank{first.score, first.url, id}, ready_place);
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

void Frontier::Impl::RefreshQueuesOf(const ActiveHost& host) {
  RefreshQueue(IdOf(QueueKind::kDomain, host.domain));
  if (active_domains_[host.domain].pages_queue != nullptr) {
    RefreshQueue(IdOf(QueueKind::kDomainPages, host.domain));
  }
  if (host.address != 0) RefreshQueue(IdOf(QueueKind::kAddress, host.address));
  RefreshQueue(IdOf(QueueKind::kPages, 0));
}

void Frontier::Impl::MoveDueRetries(ActiveHost& host) {
  while (host.first_retry() <= now_) {
    std::vector<HostExtras::Retry>& retries = host.extras->retries;
    const UrlId url = retries.front().url;
    std::pop_heap(retries.begin(), retries.end(), std::greater<>());
    retries.pop_back();
    CountWaiting(host, url, -1);
    Wait(host, url);
  }
}

// Brings everything to `now` that the passing of time changes.
void Frontier::Impl::Advance(TimePoint now) {
  now_ = std::max(now_, now);
  while (!wakes_.empty() && wakes_.top().at <= now_) Settle(wakes_.top().item);
  while (!openings_.empty() && openings_.top().at <= now_) RefreshQueue(openings_.top().item);
  while (!lingering_.empty() && lingering_.top().at <= now_) Settle(lingering_.top().item);
  while (!idle_.empty() && idle_.top().at <= now_) Settle(idle_.top().item);
}

QueueId Frontier::Impl::IdOf(QueueKind kind, std::uint32_t whose) {
  return (whose << 2) | static_cast<std::uint32_t>(kind);
}

HostQueue& Frontier::Impl::QueueOf(QueueId id) {
  switch (QueueKind(id & 3)) {
    case QueueKind::kDomain:
      return active_domains_[id >> 2].queue;
    case QueueKind::kDomainPages: {
      std::unique_ptr<HostQueue>& queue = active_domains_[id >> 2].pages_queue;
      if (queue == nullptr) queue = std::make_unique<HostQueue>();
      return *queue;
    }
    case QueueKind::kAddress:
      return addresses_[id >> 2].queue;
    case QueueKind::kPages:
      break;
  }
  return pages_queue_;
}

// When the queue opens, as far as time alone can tell: kNever if something else must happen.
TimePoint Frontier::Impl::OpensAt(QueueId id) const {
  const auto group_opens = [](const HostGroup& group, std::uint32_t limit, Duration interval) {
    if (limit != 0 && group.in_flight >= limit) return kNever;
    return group.clock.Next(interval);
  };
  const auto budget_opens = [](std::uint64_t spent, std::uint64_t budget) {
    return budget != 0 && spent >= budget ? kNever : TimePoint::min();
  };
  switch (QueueKind(id & 3)) {
    case QueueKind::kDomain:
      return group_opens(active_domains_[id >> 2], domain_limit_, domain_interval_);
    case QueueKind::kAddress:
      return group_opens(addresses_[id >> 2], address_limit_, address_interval_);
    case QueueKind::kDomainPages: {
      const ActiveDomain& domain = active_domains_[id >> 2];
      const std::uint64_t pages = domains_[domain.record].pages;
      return budget_opens(pages + domain.reserved, options_.max_per_domain);
    }
    case QueueKind::kPages:
      break;
  }
  return budget_opens(pages_ + reserved_, options_.max_pages);
}

// When the host may be asked by its own clocks.
TimePoint Frontier::Impl::ClockDue(const ActiveHost& host) const {
  using std::chrono::milliseconds;
  const Duration interval =
      SlowDown(host.errors) *
      HostInterval(options_, milliseconds(host.crawl_delay_ms), milliseconds(host.last_took_ms));
  return std::max(host.clock.Next(interval), host.backoff_until());
}

// Whether a request has to end before the host may be asked.
bool Frontier::Impl::Blocked(const ActiveHost& host) const {
  if (host.checking_robots) return true;
  return options_.per_host > 0 && host.leased >= static_cast<std::uint32_t>(options_.per_host);
}

// A robots check is good for one URL at least, however late that URL gets its turn.
bool Frontier::Impl::NeedsRobotsCheck(const ActiveHost& host) const {
  return options_.robots_checks && !host.just_checked && host.robots_until <= now_;
}

// The closed queue that a host has to wait in, if there is one.
QueueId Frontier::Impl::StoppedBy(const ActiveHost& host) const {
  const QueueId domain = IdOf(QueueKind::kDomain, host.domain);
  if (OpensAt(domain) > now_) return domain;
  if (host.address != 0) {
    const QueueId address = IdOf(QueueKind::kAddress, host.address);
    if (OpensAt(address) > now_) return address;
  }
  const QueueId pages = IdOf(QueueKind::kPages, 0);
  if (urls_.urgent(HeadOf(host))) return PagesSpent() ? pages : kNoQueue;
  if (OpensAt(pages) > now_) return pages;
  const QueueId domain_pages = IdOf(QueueKind::kDomainPages, host.domain);
  return OpensAt(domain_pages) > now_ ? domain_pages : kNoQueue;
}

// The URL whose turn it is: sitemaps before pages, unless they failed and a page never did. Pages
// for which no budget is left are in nobody's way. Requires: host.has_head().
UrlId Frontier::Impl::HeadOf(const ActiveHost& host) const {
  if (!host.has_urgent()) return host.urls.top();
  const UrlId urgent = host.extras->urgent.front();
  if (host.urls.empty() || urls_.failures(urgent) == 0 || urls_.failures(host.urls.top()) > 0) {
    return urgent;
  }
  const bool page_may_come = OpensAt(IdOf(QueueKind::kPages, 0)) <= now_ &&
                             OpensAt(IdOf(QueueKind::kDomainPages, host.domain)) <= now_;
  return page_may_come ? host.urls.top() : urgent;
}

std::int64_t Frontier::Impl::ScoreOf(UrlId url) const {
  if (options_.order == FrontierOrder::kBfs) return kBfsScore;
  if (options_.order == FrontierOrder::kWorth) return urls_.worth(url);
  const HostRecord& host = hosts_[urls_.host(url)];
  const std::int64_t novelty = std::max<std::int64_t>(0, 1000 - 10 * std::int64_t{host.pages});
  return novelty + 100 * std::int64_t{urls_.links(url)} + host.links;
}

}  // namespace crawler

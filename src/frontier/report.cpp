// Numbers of the frontier, and the reasons why URLs wait.
#include <algorithm>
#include <cstring>

#include "frontier/url_scheduler.hpp"

namespace crawler {
namespace {

// The memory that malloc() takes for `bytes`: with a header, in steps of 16.
std::size_t Allocated(std::size_t bytes) {
  return bytes == 0 ? 0 : (bytes + sizeof(std::size_t) + 15) / 16 * 16;
}

}  // namespace

TimePoint UrlScheduler::NextDue() const {
  if (!ready_.empty()) return now_;
  TimePoint due = wakes_.empty() ? kNever : wakes_.top().at;
  if (!openings_.empty()) due = std::min(due, openings_.top().at);
  return due;
}

bool UrlScheduler::PagesSpent() const {
  return options_.max_pages != 0 && pages_ >= options_.max_pages;
}

bool UrlScheduler::DomainSpent(const ActiveDomain& domain) const {
  return options_.max_per_domain != 0 && domains_[domain.record].pages >= options_.max_per_domain;
}

// Once no more pages are wanted, sitemaps lead nowhere either.
std::uint64_t UrlScheduler::HeldByBudget() const {
  return PagesSpent() ? waiting_ : held_by_domains_;
}

Frontier::Counts UrlScheduler::counts() const {
  Counts counts;
  counts.known = urls_.size();
  counts.waiting = waiting_;
  counts.leased = leased_;
  counts.unsettled = unsettled_.size();
  counts.given_up_untaken = given_up_.size();
  counts.pages = pages_;
  counts.hosts = hosts_.size() - 1;
  counts.hosts_active = active_.used() - idle_.size() - lingering_.size();
  counts.hosts_ready = ready_hosts_;
  counts.held_by_budget = HeldByBudget();
  counts.pages_spent = PagesSpent();
  return counts;
}

bool UrlScheduler::Finished() const {
  return leased_ == 0 && given_up_.empty() && waiting_ == HeldByBudget();
}

void UrlScheduler::AddInterval(const ActiveHost& host, Holdup* holdup) const {
  using std::chrono::milliseconds;
  const milliseconds crawl_delay(host.crawl_delay_ms);
  holdup->interval =
      HostInterval(options_, host.delay, crawl_delay, milliseconds(host.last_took_ms));
  holdup->asked_by = host.delay == options_.delay ? "--delay" : "--delay-for";
  if (holdup->interval <= host.delay) return;
  const bool asked = holdup->interval <= Capped(crawl_delay, options_.max_crawl_delay);
  holdup->asked_by = asked ? "Crawl-delay of its robots.txt" : "its last answer took so long";
}

// Why the host's next URL (urgent or not) is not leased yet.
Frontier::Holdup UrlScheduler::Explain(const ActiveHost& host, bool urgent, TimePoint now) const {
  Holdup holdup;
  holdup.host = host.id;
  holdup.waiting = host.waiting();
  holdup.leased = host.leased;
  holdup.due = ClockDue(host);
  const auto because = [&holdup](std::string_view why) {
    holdup.why = why;
    return holdup;
  };
  if (Blocked(host) || host.waiting() == 0) return because("request under way");
  if (holdup.due > now) {
    if (holdup.due == host.backoff_until()) return because("backoff");
    if (host.errors > 0) return because("slowed down after errors");
    AddInterval(host, &holdup);
    return because("politeness");
  }
  if (!host.has_head() && host.first_retry() > now) {
    holdup.due = host.first_retry();
    return because("retry");
  }
  const auto closed = [&](QueueKind kind, std::uint32_t whose) {
    const TimePoint opens_at = OpensAt(IdOf(kind, whose));
    if (opens_at > now && opens_at != kNever) holdup.due = opens_at;
    return opens_at > now;
  };
  if (closed(QueueKind::kDomain, host.domain)) return because("domain limit");
  if (host.address != 0 && closed(QueueKind::kAddress, host.address)) {
    return because("address limit");
  }
  const bool failing = host.slot_class == SlotClass::kFailing;
  if (failing && closed(QueueKind::kFailing, 0)) return because("slots for failing hosts");
  if (host.slot_class != SlotClass::kPrompt && closed(QueueKind::kSlow, 0)) {
    return because("slots for slow hosts");
  }
  if (urgent ? PagesSpent() : closed(QueueKind::kPages, 0)) return because("page budget");
  if (urgent ? DomainSpent(active_domains_[host.domain])
             : closed(QueueKind::kDomainPages, host.domain)) {
    return because("domain budget");
  }
  return because("ready");
}

std::vector<Frontier::Holdup> UrlScheduler::Holdups(TimePoint now, std::size_t most) const {
  struct Candidate {
    Holdup holdup;
    std::uint32_t index;
  };
  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.holdup.due != b.holdup.due ? a.holdup.due > b.holdup.due
                                        : a.holdup.host < b.holdup.host;
  };
  // The first `most` so far are a heap whose top is the one to go.
  std::vector<Candidate> found;
  for (std::uint32_t index = 1; most > 0 && index < active_.end_index(); ++index) {
    const ActiveHost& host = active_[index];
    if (host.leased == 0 && host.waiting() == 0) continue;
    const bool spent = PagesSpent() || DomainSpent(active_domains_[host.domain]);
    if (host.leased == 0 && spent) continue;
    Candidate candidate{Explain(host, host.has_urgent(), now), index};
    if (found.size() == most && !later(candidate, found.front())) continue;
    if (found.size() == most) {
      std::pop_heap(found.begin(), found.end(), later);
      found.pop_back();
    }
    found.push_back(std::move(candidate));
    std::push_heap(found.begin(), found.end(), later);
  }
  std::sort_heap(found.begin(), found.end(), later);
  std::vector<Holdup> holdups;
  holdups.reserve(found.size());
  for (Candidate& candidate : found) {
    candidate.holdup.origin = active_[candidate.index].origin.get();
    holdups.push_back(std::move(candidate.holdup));
  }
  return holdups;
}

std::optional<Frontier::Holdup> UrlScheduler::WhyWaiting(UrlId url, TimePoint now) const {
  if (!urls_.Has(url)) return std::nullopt;
  const UrlState state = urls_.state(url);
  if (state != UrlState::kWaiting && state != UrlState::kRetrying) return std::nullopt;
  const ActiveHost& host = active_[hosts_[urls_.host(url)].active];
  Holdup holdup = Explain(host, urls_.urgent(url), now);
  holdup.origin = host.origin.get();
  if (state != UrlState::kRetrying) return holdup;
  for (const HostExtras::Retry& retry : host.extras->retries) {
    if (retry.url == url && retry.at >= holdup.due) {
      holdup.due = retry.at;
      holdup.why = "retry";
    }
  }
  return holdup;
}

std::size_t UrlScheduler::memory() const {
  std::size_t bytes =
      sizeof(*this) + url_table_.memory() + host_table_.memory() + domain_table_.memory() +
      urls_.memory() + url_blocks_.memory() + hosts_.memory() + domains_.memory() +
      active_.memory() + active_domains_.memory() + addresses_.memory() + ready_.memory() +
      wakes_.memory() + lingering_.memory() + idle_.memory() + openings_.memory() +
      given_up_.capacity() * sizeof(UrlId) + touched_.capacity() * sizeof(std::uint32_t) +
      pages_queue_.hosts.memory() + slow_queue_.hosts.memory() + failing_queue_.hosts.memory();
  bytes += address_index_.size() * Allocated(sizeof(IpAddress) + 24) +
           address_index_.bucket_count() * sizeof(void*);
  for (std::uint32_t index = 1; index < active_.end_index(); ++index) {
    const ActiveHost& host = active_[index];
    if (host.id == 0) continue;
    bytes += Allocated(std::strlen(host.origin.get()) + 1) + Allocated(host.urls.memory());
    if (host.extras == nullptr) continue;
    bytes += Allocated(sizeof(HostExtras)) +
             Allocated(host.extras->urgent.capacity() * sizeof(UrlId)) +
             Allocated(host.extras->retries.capacity() * sizeof(HostExtras::Retry));
  }
  for (std::uint32_t index = 1; index < active_domains_.end_index(); ++index) {
    const ActiveDomain& domain = active_domains_[index];
    bytes += Allocated(domain.queue.hosts.memory());
    if (domain.pages_queue == nullptr) continue;
    bytes += Allocated(sizeof(HostQueue)) + Allocated(domain.pages_queue->hosts.memory());
  }
  for (std::uint32_t index = 1; index < addresses_.end_index(); ++index) {
    bytes += Allocated(addresses_[index].queue.hosts.memory());
  }
  return bytes;
}

}  // namespace crawler

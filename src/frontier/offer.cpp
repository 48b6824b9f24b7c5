// What is known, and how it comes to wait.
#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>

#include "base/hash.hpp"
#include "frontier/frontier_impl.hpp"

namespace crawler {

std::uint64_t Frontier::Impl::OfferAll(const std::vector<Offer>& offers,
                                       const std::vector<Prints>& prints,
                                       std::vector<Offered>* results) {
  Prefetch(prints);
  results->clear();
  results->reserve(offers.size());
  for (std::size_t i = 0; i < offers.size(); ++i) {
    results->push_back(OfferOne(offers[i], prints[i]));
  }
  SettleTouched();
  return ++tickets_;
}

// Nearly every offer reads memory nobody has read for long. Asking for all of it first, step by
// step, lets the machine fetch it side by side.
void Frontier::Impl::Prefetch(const std::vector<Prints>& prints) {
  for (const Prints& print : prints) url_table_.Prefetch(print.url);
  likely_.clear();
  for (const Prints& print : prints) {
    const UrlId url = url_table_.Find(print.url, [](UrlId) { return true; });
    if (url == 0) continue;
    urls_.Prefetch(url);
    likely_.push_back(url);
  }
  if (options_.order == FrontierOrder::kBfs) return;
  // Those that wait may rise.
  for (const UrlId url : likely_) {
    if (const UrlHeap* const heap = HeapOf(url)) heap->PrefetchAbove(url, HeapContext());
  }
  for (const UrlId url : likely_) {
    if (const UrlHeap* const heap = HeapOf(url)) urls_.Prefetch(heap->Above(url, HeapContext()));
  }
}

const UrlHeap* Frontier::Impl::HeapOf(UrlId url) {
  if (urls_.state(url) != UrlState::kWaiting || urls_.urgent(url)) return nullptr;
  return &active_[hosts_[urls_.host(url)].active].urls;
}

Frontier::Offered Frontier::Impl::OfferOne(const Offer& offer, const Prints& prints) {
  Offered offered;
  offered.url = FindUrl(prints.url);
  if (offered.url == 0) {
    offered.host = FindHost(prints.origin);
    const bool full = urls_.size() >= UrlRecords::kMostUrls ||
                      (offered.host == 0 && hosts_.size() > UrlRecords::kMostHosts);
    if (full) {
      offered.frontier_full = true;
      return offered;
    }
    if (offered.host == 0) {
      offered.host = AddHost(prints.origin, offer.site);
      offered.host_is_new = true;
    }
    offered.url = AddUrl(prints.url, offered.host);
    offered.is_new = true;
  } else {
    offered.host = urls_.host(offered.url);
  }

  if (options_.order == FrontierOrder::kWorth) {
    RaiseWorth(offered.url, offer.worth);
  } else if (offer.is_link) {
    CountLink(offered.url);
  }
  if (offer.turned_away || !TurnedAway(offered.url)) return offered;
  if (options_.max_frontier != 0 && waiting_ >= options_.max_frontier) {
    offered.frontier_full = true;
    offered.again = urls_.state(offered.url) == UrlState::kKeptOut;
    urls_.set_state(offered.url, UrlState::kKeptOut);
    return offered;
  }
  if (offer.urgent) urls_.set_urgent(offered.url);
  Enqueue(offered.url, offer.origin);
  offered.waits = true;
  return offered;
}

UrlId Frontier::Impl::FindUrl(std::uint64_t print) const {
  const auto low = static_cast<std::uint32_t>(print);
  return url_table_.Find(print, [this, low](UrlId id) { return urls_.low(id) == low; });
}

UrlId Frontier::Impl::AddUrl(std::uint64_t print, HostId host) {
  const UrlId id = urls_.Add(static_cast<std::uint32_t>(print), host);
  url_table_.Insert(print, id);
  return id;
}

HostId Frontier::Impl::FindHost(std::uint64_t print) const {
  const auto low = static_cast<std::uint32_t>(print);
  return host_table_.Find(print, [this, low](HostId id) { return hosts_[id].low == low; });
}

HostId Frontier::Impl::AddHost(std::uint64_t print, std::string_view site) {
  HostRecord record;
  record.low = static_cast<std::uint32_t>(print);
  record.domain = DomainOf(site);
  const HostId id = hosts_.Append(record);
  host_table_.Insert(print, id);
  return id;
}

std::uint32_t Frontier::Impl::DomainOf(std::string_view site) {
  const std::uint64_t print = Hash64(site, options_.hash_key);
  const auto low = static_cast<std::uint32_t>(print);
  std::uint32_t domain =
      domain_table_.Find(print, [this, low](std::uint32_t id) { return domains_[id].low == low; });
  if (domain == 0) {
    domain = domains_.Append(DomainRecord{low, 0, 0});
    domain_table_.Insert(print, domain);
  }
  return domain;
}

void Frontier::Impl::CountLink(UrlId url) {
  urls_.AddLink(url);
  HostRecord& record = hosts_[urls_.host(url)];
  if (record.links != 0xFFFFFFFF) ++record.links;
  if (options_.order != FrontierOrder::kBfs) Rise(url, record);
}

void Frontier::Impl::RaiseWorth(UrlId url, std::uint16_t worth) {
  if (urls_.RaiseWorth(url, std::min(worth, kMostWorth))) Rise(url, hosts_[urls_.host(url)]);
}

// The score of `url`, or of its whole host, has become larger.
void Frontier::Impl::Rise(UrlId url, const HostRecord& record) {
  if (record.active == 0) return;
  ActiveHost& host = active_[record.active];
  if (urls_.state(url) == UrlState::kWaiting && !urls_.urgent(url)) {
    host.urls.Rise(url, HeapContext());
  }
  if (host.queue != kNoQueue) Touch(record.active);
}

void Frontier::Impl::Enqueue(UrlId url, std::string_view origin) {
  const std::uint32_t index = Activate(urls_.host(url), origin);
  ActiveHost& host = active_[index];
  if (host.down_until() > now_) {
    GiveUp(url);
    return;
  }
  Wait(host, url);
  Touch(index);
}

// Puts `url`, which does not wait, into the queue of its host.
void Frontier::Impl::Wait(ActiveHost& host, UrlId url) {
  urls_.set_state(url, UrlState::kWaiting);
  CountWaiting(host, url, +1);
  if (urls_.urgent(url)) {
    std::vector<UrlId>& urgent = host.MakeExtras().urgent;
    urgent.push_back(url);
    std::push_heap(urgent.begin(), urgent.end(), UrgentOrder());
  } else {
    host.urls.Push(url, HeapContext());
  }
}

void Frontier::Impl::CountWaiting(const ActiveHost& host, UrlId url, int change) {
  waiting_ += change;
  if (urls_.urgent(url)) return;
  ActiveDomain& domain = active_domains_[host.domain];
  domain.waiting_pages += change;
  if (DomainSpent(domain)) held_by_domains_ += change;
}

std::uint32_t Frontier::Impl::Activate(HostId id, std::string_view origin) {
  HostRecord& record = hosts_[id];
  if (record.active != 0) return record.active;
  record.active = active_.Take();
  ActiveHost& host = active_[record.active];
  host.id = id;
  host.origin = std::make_unique<char[]>(origin.size() + 1);
  if (!origin.empty()) std::memcpy(host.origin.get(), origin.data(), origin.size());

  DomainRecord& domain_record = domains_[record.domain];
  if (domain_record.active == 0) {
    domain_record.active = active_domains_.Take();
    active_domains_[domain_record.active].record = record.domain;
  }
  host.domain = domain_record.active;
  ++active_domains_[host.domain].hosts;
  if (maybe_asked_at_ != TimePoint::min()) RestoreStart(host, maybe_asked_at_);
  return record.active;
}

void Frontier::Impl::Deactivate(std::uint32_t index) {
  ActiveHost& host = active_[index];
  assert(host.leased == 0 && host.waiting() == 0 && host.queue == kNoQueue);
  SetAlarm(index, ActiveHost::AlarmKind::kNone, kNever);
  LeaveAddress(host);
  ActiveDomain& domain = active_domains_[host.domain];
  if (--domain.hosts == 0) {
    const std::uint32_t domain_index = host.domain;
    domains_[domain.record].active = 0;
    active_domains_.Give(domain_index);
  }
  hosts_[host.id].active = 0;
  active_.Give(index);
}

// A page may hold many links to a host, which then finds its new place once.
void Frontier::Impl::Touch(std::uint32_t index) {
  if (active_[index].touched) return;
  active_[index].touched = true;
  touched_.push_back(index);
}

void Frontier::Impl::SettleTouched() {
  for (const std::uint32_t index : touched_) {
    active_[index].touched = false;
    Settle(index);
  }
  touched_.clear();
}

}  // namespace crawler

// Offers: how URLs become known, and how they are queued.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/hash.hpp"
#include "frontier/url_scheduler.hpp"

namespace crawler {
namespace {

// Options come from users; no option may exceed the bits that a URL has for it.
FrontierOptions Checked(FrontierOptions options) {
  options.retry.retries = std::clamp(options.retry.retries, 0, RetryPolicy::kMostRetries);
  return options;
}

}  // namespace

UrlScheduler::UrlScheduler(const FrontierOptions& options)
    : options_(Checked(options)),
      domain_limit_(GroupLimit(options, options.hosts_per_domain)),
      address_limit_(GroupLimit(options, options.hosts_per_address)),
      slow_limit_(SlotLimit(options, SlotClass::kSlow)),
      failing_limit_(SlotLimit(options, SlotClass::kFailing)),
      address_index_(0, HashAddress{options.hash_key}) {
  hosts_.Append(HostRecord{});
  domains_.Append(DomainRecord{});
  discovering_ = options_.max_discovery.count() > 0;
}

void UrlScheduler::OfferAll(const std::vector<Offer>& offers, const std::vector<Prints>& prints,
                            std::vector<Offered>* results) {
  Prefetch(prints);
  results->clear();
  results->reserve(offers.size());
  first_of_offer_ = urls_.size() + 1;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    results->push_back(OfferOne(offers[i], prints[i]));
  }
  PlaceTouched();
}

// Nearly every offer reads memory that is in no cache. Prefetching it for all offers first lets the
// machine load it in parallel.
void UrlScheduler::Prefetch(const std::vector<Prints>& prints) {
  for (const Prints& print : prints) url_table_.Prefetch(print.url);
  likely_.clear();
  for (const Prints& print : prints) {
    const UrlId url = url_table_.Find(print.url, [](UrlId) { return true; });
    if (url == 0) continue;
    urls_.Prefetch(url);
    likely_.push_back(url);
  }
  if (OrderIsFixed()) return;
  // URLs that wait may rise in the heap of their host.
  for (const UrlId url : likely_) {
    if (const UrlHeap* const heap = HeapOf(url)) heap->PrefetchAbove(url, HeapContext());
  }
  for (const UrlId url : likely_) {
    if (const UrlHeap* const heap = HeapOf(url)) urls_.Prefetch(heap->Above(url, HeapContext()));
  }
}

const UrlHeap* UrlScheduler::HeapOf(UrlId url) {
  if (urls_.state(url) != UrlState::kWaiting || urls_.urgent(url)) return nullptr;
  return &active_[hosts_[urls_.host(url)].active].urls;
}

Frontier::Offered UrlScheduler::OfferOne(const Offer& offer, const Prints& prints) {
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
  } else if (offer.via == Via::kLink) {
    CountLink(offered.url);
  }
  if (offer.skipped != SkipReason::kNone || !Skipped(offered.url)) return offered;
  if (IsFull()) {
    offered.frontier_full = true;
    offered.again = urls_.state(offered.url) == UrlState::kKeptOut;
    urls_.set_state(offered.url, UrlState::kKeptOut);
    return offered;
  }
  if (offer.via == Via::kSitemapFile) urls_.set_urgent(offered.url);
  offered.waits = true;
  Enqueue(offered.url, offer.origin);
  if (discovering_ && urls_.state(offered.url) == UrlState::kWaiting) {
    Discover(offered.url, offer);
  }
  return offered;
}

// Discovery waits for seeds, for their sitemaps unless there are many, and for the targets of their
// redirects. Redirects of other pages cannot be told apart; the time limit bounds them.
void UrlScheduler::Discover(UrlId url, const Offer& offer) {
  const bool sitemap =
      offer.via == Via::kSitemapFile && discovery_sitemaps_++ < FrontierOptions::kDiscoverySitemaps;
  if (sitemap || offer.via == Via::kSeed || offer.via == Via::kRedirect) undiscovered_.insert(url);
}

bool UrlScheduler::Admit(UrlId url, std::string_view origin) {
  if (IsFull()) {
    urls_.set_state(url, UrlState::kKeptOut);
    return false;
  }
  Enqueue(url, origin);
  PlaceTouched();
  return true;
}

// A place in the heap of a host must fit its bits in the record of the URL.
bool UrlScheduler::IsFull() const {
  if (waiting_ >= UrlRecords::kMostPlace) return true;
  return options_.max_frontier != 0 && waiting_ >= options_.max_frontier;
}

UrlId UrlScheduler::FindUrl(std::uint64_t print) const {
  const auto low = static_cast<std::uint32_t>(print);
  return url_table_.Find(print, [this, low](UrlId id) { return urls_.low(id) == low; });
}

UrlId UrlScheduler::AddUrl(std::uint64_t print, HostId host) {
  const UrlId id = urls_.Add(static_cast<std::uint32_t>(print), host);
  url_table_.Insert(print, id);
  if (options_.order == FrontierOrder::kDfs) urls_.set_first_of_offer(id, first_of_offer_);
  return id;
}

HostId UrlScheduler::FindHost(std::uint64_t print) const {
  const auto low = static_cast<std::uint32_t>(print);
  return host_table_.Find(print, [this, low](HostId id) { return hosts_[id].low == low; });
}

HostId UrlScheduler::AddHost(std::uint64_t print, std::string_view site) {
  HostRecord record;
  record.low = static_cast<std::uint32_t>(print);
  record.domain = DomainOf(site);
  const HostId id = hosts_.Append(record);
  host_table_.Insert(print, id);
  return id;
}

std::uint32_t UrlScheduler::DomainOf(std::string_view site) {
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

void UrlScheduler::CountLink(UrlId url) {
  if (OrderIsFixed()) return;
  urls_.AddLink(url);
  HostRecord& record = hosts_[urls_.host(url)];
  if (record.links != 0xFFFFFFFF) ++record.links;
  Rise(url, record);
}

void UrlScheduler::RaiseWorth(UrlId url, std::uint16_t worth) {
  if (urls_.RaiseWorth(url, std::min(worth, Frontier::kMostWorth)))
    Rise(url, hosts_[urls_.host(url)]);
}

// The score of `url`, or of its whole host, has become larger.
void UrlScheduler::Rise(UrlId url, const HostRecord& record) {
  if (record.active == 0) return;
  ActiveHost& host = active_[record.active];
  if (urls_.state(url) == UrlState::kWaiting && !urls_.urgent(url)) {
    host.urls.Rise(url, HeapContext());
  }
  if (host.queue != kNoQueue) Touch(record.active);
}

void UrlScheduler::Enqueue(UrlId url, std::string_view origin) {
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
void UrlScheduler::Wait(ActiveHost& host, UrlId url) {
  urls_.set_state(url, UrlState::kWaiting);
  CountWaiting(host, +1);
  if (urls_.urgent(url)) {
    std::vector<UrlId>& urgent = host.MakeExtras().urgent;
    urgent.push_back(url);
    std::push_heap(urgent.begin(), urgent.end(), UrgentOrder());
  } else {
    host.urls.Push(url, HeapContext());
  }
}

void UrlScheduler::CountWaiting(const ActiveHost& host, int change) {
  waiting_ += change;
  ActiveDomain& domain = active_domains_[host.domain];
  domain.waiting += change;
  if (DomainSpent(domain)) held_by_domains_ += change;
}

std::uint32_t UrlScheduler::Activate(HostId id, std::string_view origin) {
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
  host.delay = options_.host_delays.Find(origin).value_or(options_.delay);
  ++active_domains_[host.domain].hosts;
  if (maybe_asked_at_ != TimePoint::min()) RestoreStart(host, maybe_asked_at_);
  UpdateSlotClass(host);
  return record.active;
}

void UrlScheduler::Deactivate(std::uint32_t index) {
  ActiveHost& host = active_[index];
  assert(host.leased == 0 && host.waiting() == 0 && host.queue == kNoQueue);
  SetAlarm(index, ActiveHost::AlarmKind::kNone, kNever);
  LeaveAddress(host);
  undecided_.erase(index);
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
void UrlScheduler::Touch(std::uint32_t index) {
  if (active_[index].touched) return;
  active_[index].touched = true;
  touched_.push_back(index);
}

void UrlScheduler::PlaceTouched() {
  for (const std::uint32_t index : touched_) {
    active_[index].touched = false;
    Place(index);
  }
  touched_.clear();
}

}  // namespace crawler

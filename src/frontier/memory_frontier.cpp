#include "frontier/memory_frontier.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/hash.hpp"
#include "frontier/url_scheduler.hpp"

namespace crawler {
namespace {

using Offer = Frontier::Offer;
using Offered = Frontier::Offered;

UrlRow ToRow(const Offer& offer, const Offered& offered, UrlId from) {
  UrlRow row{offered.url, std::string(offer.url), offered.host,
             offer.depth, offer.redirects,        offer.via,
             from,        offer.skipped,          std::string(offer.skip_detail)};
  if (offered.frontier_full) row.skipped = SkipReason::kFrontierFull;
  return row;
}

std::string_view OriginOf(std::string_view url) {
  const std::size_t host = url.find("//");
  return host == std::string_view::npos ? url : url.substr(0, url.find('/', host + 2));
}

}  // namespace

MemoryFrontier::MemoryFrontier(const FrontierOptions& options, ReadUrl read,
                               std::size_t room_for_texts)
    : hash_key_(options.hash_key),
      keeps_depths_(options.max_depth.has_value()),
      scheduler_(std::make_unique<UrlScheduler>(options)),
      texts_(read == nullptr ? std::numeric_limits<std::size_t>::max() : room_for_texts),
      depths_(options.max_depth ? std::make_unique<Depths>(*options.max_depth) : nullptr),
      read_(std::move(read)) {}

MemoryFrontier::~MemoryFrontier() = default;

Frontier::OfferResult MemoryFrontier::OfferAll(const std::vector<Offer>& offers, UrlId from) {
  // Hashing needs no lock. Neighbours on a page tend to share their origin.
  std::vector<UrlScheduler::Prints> prints(offers.size());
  for (std::size_t i = 0; i < offers.size(); ++i) {
    prints[i].url = Hash64(offers[i].url, hash_key_);
    prints[i].origin = i > 0 && offers[i].origin == offers[i - 1].origin
                           ? prints[i - 1].origin
                           : Hash64(offers[i].origin, hash_key_);
  }
  OfferResult result;
  const MutexLock lock(mutex_);
  result.number = ++offers_;
  scheduler_->OfferAll(offers, prints, &result.offered);
  AddRows(offers, from, &result);
  if (depths_ != nullptr) UpdateDepths(offers, from, &result);
  return result;
}

void MemoryFrontier::AddRows(const std::vector<Offer>& offers, UrlId from, OfferResult* result) {
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const Offer& offer = offers[i];
    const Offered& offered = result->offered[i];
    result->waiting += offered.waits;
    if (offered.host_is_new) {
      result->hosts.push_back({offered.host, std::string(offer.origin), std::string(offer.site)});
    }
    if (!offered.is_new && !offered.waits) {
      // A resume with more room has to know that the URL was wanted. One row is enough: pages that
      // link to each other offer it many times.
      const bool full = offered.frontier_full && !offered.again && offered.url != 0;
      if (full) result->requeued.push_back({offered.url, offer.depth, from, false});
      continue;
    }
    UrlRow row = ToRow(offer, offered, from);
    // With a depth budget, a skipped URL may be queued before its row is settled.
    if (offered.waits || depths_ != nullptr) texts_.Keep(row, result->number);
    if (offered.is_new) {
      result->urls.push_back(std::move(row));
    } else {
      result->requeued.push_back({offered.url, offer.depth, from, true});
    }
  }
}

void MemoryFrontier::UpdateDepths(const std::vector<Offer>& offers, UrlId from,
                                  OfferResult* result) {
  std::vector<Depths::Nearer> nearer;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const Offer& offer = offers[i];
    const Offered& offered = result->offered[i];
    if (offered.is_new) depths_->Add(offered.url, Depths::kUnreached);
    const bool followed =
        offer.skipped == SkipReason::kNone || offer.skipped == SkipReason::kTooDeep;
    if (!followed || offered.url == 0) continue;
    const bool redirect = offer.via == Via::kRedirect;
    std::uint32_t depth = offer.depth;
    if (from != 0 && (offer.via == Via::kLink || redirect)) {
      depths_->AddLink(from, offered.url, redirect);
      // `from` may have come nearer since it was leased.
      depth = std::min(depth, depths_->Of(from) + (redirect ? 0 : 1));
    }
    const bool first =
        offered.is_new || (offered.waits && depths_->Of(offered.url) == Depths::kUnreached);
    if (first && depth == offer.depth) {
      depths_->Add(offered.url, depth);  // Nothing is behind it yet.
    } else {
      depths_->Offer(offered.url, from, depth, &nearer);
    }
  }
  if (from != 0) result->from_depth = depths_->Of(from);
  for (const Depths::Nearer& change : nearer) {
    const bool waits = change.admitted && Admit(change, result->number);
    result->requeued.push_back({change.url, change.depth, change.from, waits});
    result->waiting += waits;
  }
}

// Queues a URL that was too deep and has come nearer. If its text cannot be read, the storage is
// failing; the row with its new depth lets a resume queue it.
bool MemoryFrontier::Admit(const Depths::Nearer& change, std::uint64_t offer) {
  if (!scheduler_->Skipped(change.url)) return false;
  UrlRow row;
  if (!texts_.Find(change.url, &row)) {
    Result<UrlRow> stored = Read(change.url);
    if (!stored.ok()) return false;
    row = std::move(stored).value();
  }
  row.depth = change.depth;
  row.from = change.from;
  if (!scheduler_->Admit(change.url, OriginOf(row.url))) return false;
  texts_.Keep(row, offer);
  return true;
}

Result<UrlRow> MemoryFrontier::Read(UrlId url) {
  const MutexLock lock(reader_mutex_);
  if (read_ == nullptr)
    return Status(StatusCode::kNotFound, "no text of URL " + std::to_string(url));
  return read_(url);
}

Result<std::size_t> MemoryFrontier::LeaseSome(TimePoint now, std::size_t most,
                                              std::vector<Lease>* leases) {
  return LeaseFor(0, now, most, leases);
}

Result<std::size_t> MemoryFrontier::LeaseFor(std::uint16_t worker, TimePoint now, std::size_t most,
                                             std::vector<Lease>* leases) {
  const std::size_t first = leases->size();
  std::vector<std::size_t> missing;
  {
    const MutexLock lock(mutex_);
    scheduler_->LeaseFor(worker, now, most, leases);
    UrlRow row;
    for (std::size_t i = first; i < leases->size(); ++i) {
      Lease& lease = (*leases)[i];
      if (depths_ != nullptr) lease.depth = depths_->Of(lease.id);
      if (texts_.Find(lease.id, &row)) {
        Fill(&row, &lease);
      } else {
        missing.push_back(i);
      }
    }
  }
  const Status status = ReadMissing(missing, now, leases);
  if (!status.ok()) return status;
  return leases->size() - first;
}

void MemoryFrontier::Fill(UrlRow* row, Lease* lease) const {
  lease->url = std::move(row->url);
  lease->from = row->from;
  lease->redirects = row->redirects;
  if (!keeps_depths_) lease->depth = row->depth;
  if (!lease->is_sitemap()) lease->via = row->via;
}

// Leases whose text cannot be read are returned.
Status MemoryFrontier::ReadMissing(const std::vector<std::size_t>& missing, TimePoint now,
                                   std::vector<Lease>* leases) {
  Status status;
  for (const std::size_t i : missing) {
    Lease& lease = (*leases)[i];
    Result<UrlRow> row = Read(lease.id);
    if (row.ok()) {
      Fill(&*row, &lease);
      continue;
    }
    status = row.status();
    Outcome returned;
    returned.kind = Outcome::Kind::kReturned;
    returned.started = returned.now = now;
    Finish(lease, returned);
    lease.token = 0;
  }
  if (!status.ok()) std::erase_if(*leases, [](const Lease& lease) { return lease.token == 0; });
  return status;
}

Result<std::string> MemoryFrontier::TextOf(UrlId url) {
  UrlRow row;
  {
    const MutexLock lock(mutex_);
    if (texts_.Find(url, &row)) return std::move(row.url);
  }
  Result<UrlRow> stored = Read(url);
  if (!stored.ok()) return stored.status();
  return std::move(stored->url);
}

void MemoryFrontier::Settle(const std::vector<LeaseToken>& leases, std::uint64_t last_offer) {
  const MutexLock lock(mutex_);
  scheduler_->SettleLeases(leases);
  texts_.Settle(last_offer);
}

TimePoint MemoryFrontier::NextDue() const {
  const MutexLock lock(mutex_);
  return scheduler_->NextDue();
}

Frontier::Verdict MemoryFrontier::Finish(const Lease& lease, const Outcome& outcome) {
  const MutexLock lock(mutex_);
  return scheduler_->Finish(lease, outcome);
}

void MemoryFrontier::PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                                     std::chrono::milliseconds crawl_delay) {
  const MutexLock lock(mutex_);
  scheduler_->PassRobotsCheck(lease, outcome, until, crawl_delay);
}

bool MemoryFrontier::FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until) {
  const MutexLock lock(mutex_);
  return scheduler_->FailRobotsCheck(lease, outcome, until);
}

void MemoryFrontier::RepeatRobotsCheck(HostId host) {
  const MutexLock lock(mutex_);
  scheduler_->RepeatRobotsCheck(host);
}

std::size_t MemoryFrontier::TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls) {
  const MutexLock lock(mutex_);
  return scheduler_->TakeGivenUp(most, urls);
}

Frontier::Counts MemoryFrontier::counts() const {
  const MutexLock lock(mutex_);
  return scheduler_->counts();
}

bool MemoryFrontier::Finished() const {
  const MutexLock lock(mutex_);
  return scheduler_->Finished();
}

bool MemoryFrontier::Discovering() const {
  const MutexLock lock(mutex_);
  return scheduler_->Discovering();
}

bool MemoryFrontier::Skipped(UrlId url) const {
  const MutexLock lock(mutex_);
  return scheduler_->Skipped(url);
}

std::vector<Frontier::Holdup> MemoryFrontier::Holdups(TimePoint now, std::size_t most) const {
  const MutexLock lock(mutex_);
  return scheduler_->Holdups(now, most);
}

std::optional<Frontier::Holdup> MemoryFrontier::WhyWaiting(UrlId url, TimePoint now) const {
  const MutexLock lock(mutex_);
  return scheduler_->WhyWaiting(url, now);
}

void MemoryFrontier::RestoreHost(std::string_view origin, std::string_view site) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreHost(origin, site);
}

void MemoryFrontier::RestoreUrl(std::string_view url, HostId host, bool skipped, bool is_sitemap,
                                UrlId from) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreUrl(url, host, skipped, is_sitemap, from);
}

void MemoryFrontier::RestoreLink(UrlId to) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreLink(to);
}

void MemoryFrontier::RestoreWorth(UrlId url, std::uint16_t worth) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreWorth(url, worth);
}

void MemoryFrontier::RestoreWaiting(UrlId url) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreWaiting(url);
}

void MemoryFrontier::RestoreFailures(UrlId url, int failures) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreFailures(url, failures);
}

void MemoryFrontier::RestoreThrottled(UrlId url) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreThrottled(url);
}

void MemoryFrontier::RestoreOver(UrlId url, bool is_page) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreOver(url, is_page);
}

void MemoryFrontier::RestoreRequest(UrlId url, const PastRequest& request) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreRequest(url, request);
}

void MemoryFrontier::RestoreRequest(std::string_view origin, const PastRequest& request) {
  const MutexLock lock(mutex_);
  scheduler_->RestoreRequest(origin, request);
}

void MemoryFrontier::RestoreDepths(std::unique_ptr<Depths> depths) {
  const MutexLock lock(mutex_);
  depths_ = std::move(depths);
}

void MemoryFrontier::EndRestore(TimePoint now, std::optional<TimePoint> maybe_asked_at) {
  const MutexLock lock(mutex_);
  scheduler_->EndRestore(now, maybe_asked_at);
}

HostId MemoryFrontier::HostOf(UrlId url) const {
  const MutexLock lock(mutex_);
  return scheduler_->HostOf(url);
}

std::size_t MemoryFrontier::memory() const {
  const MutexLock lock(mutex_);
  return scheduler_->memory();
}

}  // namespace crawler

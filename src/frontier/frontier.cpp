#include "frontier/frontier.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "frontier/frontier_impl.hpp"

namespace crawler {

namespace {

// Options come from users; no option may exceed the bits that a URL has for it.
FrontierOptions Checked(FrontierOptions options) {
  options.retry.retries = std::clamp(options.retry.retries, 0, RetryPolicy::kMostRetries);
  return options;
}

}  // namespace

Frontier::Impl::Impl(const FrontierOptions& options)
    : options_(Checked(options)),
      domain_interval_(GroupInterval(options, options.hosts_per_domain)),
      address_interval_(GroupInterval(options, options.hosts_per_address)),
      domain_limit_(GroupLimit(options, options.hosts_per_domain)),
      address_limit_(GroupLimit(options, options.hosts_per_address)),
      address_index_(0, HashAddress{options.hash_key}) {
  hosts_.Append(HostRecord{});
  domains_.Append(DomainRecord{});
}

Frontier::Frontier(const FrontierOptions& options)
    : hash_key_(options.hash_key), impl_(std::make_unique<Impl>(options)) {}

Frontier::~Frontier() = default;

std::uint64_t Frontier::OfferAll(const std::vector<Offer>& offers, std::vector<Offered>* results) {
  // Hashing needs no lock. Neighbours on a page tend to share their origin.
  std::vector<Impl::Prints> prints(offers.size());
  for (std::size_t i = 0; i < offers.size(); ++i) {
    prints[i].url = Hash64(offers[i].url, hash_key_);
    prints[i].origin = i > 0 && offers[i].origin == offers[i - 1].origin
                           ? prints[i - 1].origin
                           : Hash64(offers[i].origin, hash_key_);
  }
  const MutexLock lock(mutex_);
  return impl_->OfferAll(offers, prints, results);
}

std::size_t Frontier::LeaseSome(TimePoint now, std::size_t most, std::vector<Lease>* leases) {
  const MutexLock lock(mutex_);
  return impl_->LeaseSome(now, most, leases);
}

TimePoint Frontier::NextDue() const {
  const MutexLock lock(mutex_);
  return impl_->NextDue();
}

Frontier::Verdict Frontier::Finish(const Lease& lease, const Outcome& outcome) {
  const MutexLock lock(mutex_);
  return impl_->Finish(lease, outcome);
}

void Frontier::PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                               std::chrono::milliseconds crawl_delay,
                               std::shared_ptr<const HostNotes> notes) {
  const MutexLock lock(mutex_);
  impl_->PassRobotsCheck(lease, outcome, until, crawl_delay, std::move(notes));
}

bool Frontier::FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until) {
  const MutexLock lock(mutex_);
  return impl_->FailRobotsCheck(lease, outcome, until);
}

std::size_t Frontier::TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls) {
  const MutexLock lock(mutex_);
  return impl_->TakeGivenUp(most, urls);
}

Frontier::Counts Frontier::counts() const {
  const MutexLock lock(mutex_);
  return impl_->counts();
}

bool Frontier::Finished() const {
  const MutexLock lock(mutex_);
  return impl_->Finished();
}

bool Frontier::TurnedAway(UrlId url) const {
  const MutexLock lock(mutex_);
  return impl_->TurnedAway(url);
}

std::vector<Frontier::Holdup> Frontier::Holdups(TimePoint now, std::size_t most) const {
  const MutexLock lock(mutex_);
  return impl_->Holdups(now, most);
}

std::optional<Frontier::Holdup> Frontier::WhyWaiting(UrlId url, TimePoint now) const {
  const MutexLock lock(mutex_);
  return impl_->WhyWaiting(url, now);
}

void Frontier::RestoreHost(std::string_view origin, std::string_view site) {
  const MutexLock lock(mutex_);
  impl_->RestoreHost(origin, site);
}

void Frontier::RestoreUrl(std::string_view url, HostId host, bool turned_away, bool urgent) {
  const MutexLock lock(mutex_);
  impl_->RestoreUrl(url, host, turned_away, urgent);
}

void Frontier::RestoreWorth(UrlId url, std::uint16_t worth) {
  MutexLock lock(mutex_);
  impl_->RestoreWorth(url, worth);
}
void Frontier::RestoreLink(UrlId to) {
  const MutexLock lock(mutex_);
  impl_->RestoreLink(to);
}

void Frontier::RestoreWaiting(UrlId url) {
  const MutexLock lock(mutex_);
  impl_->RestoreWaiting(url);
}

void Frontier::RestoreFailures(UrlId url, int failures) {
  const MutexLock lock(mutex_);
  impl_->RestoreFailures(url, failures);
}

void Frontier::RestoreOver(UrlId url, bool is_page) {
  const MutexLock lock(mutex_);
  impl_->RestoreOver(url, is_page);
}

void Frontier::RestoreRequest(UrlId url, const PastRequest& request) {
  MutexLock lock(mutex_);
  impl_->RestoreRequest(url, request);
}

void Frontier::RestoreRequest(std::string_view origin, const PastRequest& request) {
  MutexLock lock(mutex_);
  impl_->RestoreRequest(origin, request);
}

void Frontier::EndRestore(TimePoint now, bool interrupted) {
  const MutexLock lock(mutex_);
  impl_->EndRestore(now, interrupted);
}

std::size_t Frontier::memory() const {
  const MutexLock lock(mutex_);
  return impl_->memory();
}

}  // namespace crawler

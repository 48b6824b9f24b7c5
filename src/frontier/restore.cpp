// Bringing back a stored crawl. What is stored may be damaged: nothing here trusts an id.
#include <algorithm>

#include "base/hash.hpp"
#include "frontier/frontier_impl.hpp"

namespace crawler {

void Frontier::Impl::RestoreHost(std::string_view origin, std::string_view site) {
  const std::uint64_t print = Hash64(origin, options_.hash_key);
  if (FindHost(print) == 0) {
    AddHost(print, site);
  } else {
    hosts_.Append(HostRecord{});  // A second one of the same name keeps its id, unused.
  }
  restored_origins_.append(origin);
  restored_ends_.push_back(restored_origins_.size());
}

void Frontier::Impl::RestoreUrl(std::string_view url, HostId host, bool turned_away, bool urgent) {
  const std::uint64_t print = Hash64(url, options_.hash_key);
  const bool usable = host != 0 && host < hosts_.size() && FindUrl(print) == 0;
  const HostId known_host = host < hosts_.size() ? host : 0;
  if (!usable) {
    urls_.set_state(urls_.Add(static_cast<std::uint32_t>(print), known_host), UrlState::kOver);
    return;
  }
  const UrlId id = AddUrl(print, host);
  if (urgent) urls_.set_urgent(id);
  if (!turned_away) urls_.set_state(id, UrlState::kWaiting);
}

void Frontier::Impl::RestoreWorth(UrlId url, std::uint16_t worth) {
  if (options_.order == FrontierOrder::kWorth && urls_.Has(url)) {
    urls_.RaiseWorth(url, std::min(worth, kMostWorth));
  }
}

void Frontier::Impl::RestoreLink(UrlId to) {
  if (!urls_.Has(to) || options_.order == FrontierOrder::kWorth) return;
  urls_.AddLink(to);
  HostRecord& record = hosts_[urls_.host(to)];
  if (record.links != 0xFFFFFFFF) ++record.links;
}

void Frontier::Impl::RestoreWaiting(UrlId url) {
  if (urls_.Has(url) && urls_.state(url) == UrlState::kTurnedAway) {
    urls_.set_state(url, UrlState::kWaiting);
  }
}

void Frontier::Impl::RestoreFailures(UrlId url, int failures) {
  if (!urls_.Has(url)) return;
  urls_.set_failures(url,
                     static_cast<std::uint8_t>(std::clamp(failures, 0, options_.retry.retries)));
}

void Frontier::Impl::RestoreOver(UrlId url, bool is_page) {
  if (!urls_.Has(url) || urls_.state(url) == UrlState::kOver) return;
  urls_.set_state(url, UrlState::kOver);
  if (!is_page || urls_.urgent(url)) return;
  HostRecord& host = hosts_[urls_.host(url)];
  ++pages_;
  ++host.pages;
  ++domains_[host.domain].pages;
}

void Frontier::Impl::RestoreRequest(UrlId url, const PastRequest& request) {
  if (urls_.Has(url)) RestoreRequestTo(urls_.host(url), request);
}

void Frontier::Impl::RestoreRequest(std::string_view origin, const PastRequest& request) {
  RestoreRequestTo(FindHost(Hash64(origin, options_.hash_key)), request);
}

void Frontier::Impl::RestoreRequestTo(HostId host, const PastRequest& request) {
  using Was = PastRequest::Health;
  if (host == 0) return;
  HostRecord& record = hosts_[host];
  const bool troubled = request.health == Was::kFailed || request.health == Was::kThrottled;
  if (request.health == Was::kWell) record.failures = record.throttles = 0;
  if (!troubled && !request.recent) return;  // Most of them.
  RestoredRequest& restored = restored_requests_[host];
  if (request.recent) restored.started = std::max(restored.started, request.started);
  if (!troubled) return;
  const Duration rest = CountTrouble(
      record, &restored.unwell_at,
      {request.health == Was::kThrottled, request.started, request.ended, request.retry_after});
  restored.rest_until = std::max(restored.rest_until, request.ended + rest);
  // It was given up then, and with it what waited. Whoever resumes may have mended the network, so
  // it gets another chance, if not before it has rested.
  if (CountsAsDown(record)) record.failures = record.throttles = 0;
}

// A request to the host was made at `at`, which its domain has to know as well.
void Frontier::Impl::RestoreStart(ActiveHost& host, TimePoint at) {
  host.clock.Started(0, at);
  active_domains_[host.domain].clock.Started(0, at);
}

// Queues are built only now, when it is known what still waits, and with how many links.
void Frontier::Impl::EndRestore(TimePoint now, bool interrupted) {
  const auto origin_of = [this](HostId host) {
    const std::size_t begin = host == 1 ? 0 : restored_ends_[host - 2];
    return std::string_view(restored_origins_).substr(begin, restored_ends_[host - 1] - begin);
  };
  for (UrlId url = 1; url <= urls_.size(); ++url) {
    if (urls_.state(url) != UrlState::kWaiting) continue;
    const HostId host = urls_.host(url);
    Wait(active_[Activate(host, origin_of(host))], url);
  }
  if (interrupted) {
    maybe_asked_at_ = now;
    for (std::uint32_t index = 1; index < active_.end_index(); ++index) {
      if (active_[index].id != 0) RestoreStart(active_[index], now);
    }
  }
  // Of hosts without anything that waits, too: the next page may link to them.
  for (const auto& [id, request] : restored_requests_) {
    if (request.started == TimePoint::min() && request.rest_until <= now) continue;
    ActiveHost& host = active_[Activate(id, origin_of(id))];
    if (request.started != TimePoint::min()) RestoreStart(host, request.started);
    if (request.rest_until > now) host.MakeExtras().backoff_until = request.rest_until;
  }
  restored_requests_.clear();
  restored_origins_ = std::string();
  restored_ends_ = std::vector<std::size_t>();
  for (std::uint32_t index = 1; index < active_.end_index(); ++index) Settle(index);
}

}  // namespace crawler

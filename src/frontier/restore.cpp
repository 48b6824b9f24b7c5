// Restores a stored crawl. Its rows may be damaged, so every id is checked.
#include <algorithm>
#include <chrono>

#include "base/hash.hpp"
#include "frontier/url_scheduler.hpp"

namespace crawler {

void UrlScheduler::RestoreHost(std::string_view origin, std::string_view site) {
  const std::uint64_t print = Hash64(origin, options_.hash_key);
  if (FindHost(print) == 0) {
    AddHost(print, site);
  } else {
    hosts_.Append(HostRecord{});  // A second one of the same name keeps its id, unused.
  }
  restored_origins_.append(origin);
  restored_ends_.push_back(restored_origins_.size());
}

void UrlScheduler::RestoreUrl(std::string_view url, HostId host, bool skipped, bool is_sitemap,
                              UrlId from) {
  // The links of a page were offered at once, so their ids are in a row.
  if (urls_.size() == 0 || from != restored_from_) first_of_offer_ = urls_.size() + 1;
  restored_from_ = from;
  const std::uint64_t print = Hash64(url, options_.hash_key);
  const bool usable = host != 0 && host < hosts_.size() && FindUrl(print) == 0;
  const HostId known_host = host < hosts_.size() ? host : 0;
  if (!usable) {
    urls_.set_state(urls_.Add(static_cast<std::uint32_t>(print), known_host), UrlState::kOver);
    return;
  }
  const UrlId id = AddUrl(print, host);
  if (is_sitemap) urls_.set_urgent(id);
  if (!skipped) urls_.set_state(id, UrlState::kWaiting);
}

void UrlScheduler::RestoreWorth(UrlId url, std::uint16_t worth) {
  if (options_.order == FrontierOrder::kWorth && urls_.Has(url)) {
    urls_.RaiseWorth(url, std::min(worth, Frontier::kMostWorth));
  }
}

void UrlScheduler::RestoreLink(UrlId to) {
  if (!urls_.Has(to) || options_.order != FrontierOrder::kPriority) return;
  urls_.AddLink(to);
  HostRecord& record = hosts_[urls_.host(to)];
  if (record.links != 0xFFFFFFFF) ++record.links;
}

void UrlScheduler::RestoreWaiting(UrlId url) {
  if (urls_.Has(url) && urls_.state(url) == UrlState::kSkipped) {
    urls_.set_state(url, UrlState::kWaiting);
  }
}

void UrlScheduler::RestoreFailures(UrlId url, int failures) {
  if (!urls_.Has(url)) return;
  urls_.set_failures(url,
                     static_cast<std::uint8_t>(std::clamp(failures, 0, options_.retry.retries)));
}

void UrlScheduler::RestoreThrottled(UrlId url) {
  if (urls_.Has(url)) urls_.set_throttled(url);
}

void UrlScheduler::RestoreOver(UrlId url, bool is_page) {
  if (!urls_.Has(url) || urls_.state(url) == UrlState::kOver) return;
  urls_.set_state(url, UrlState::kOver);
  if (!is_page || urls_.urgent(url)) return;
  HostRecord& host = hosts_[urls_.host(url)];
  ++pages_;
  ++host.pages;
  ++domains_[host.domain].pages;
}

void UrlScheduler::RestoreRequest(UrlId url, const PastRequest& request) {
  if (urls_.Has(url)) RestoreRequestTo(urls_.host(url), request);
}

void UrlScheduler::RestoreRequest(std::string_view origin, const PastRequest& request) {
  RestoreRequestTo(FindHost(Hash64(origin, options_.hash_key)), request);
}

void UrlScheduler::RestoreRequestTo(HostId host, const PastRequest& request) {
  using Was = PastRequest::Health;
  if (host == 0) return;
  HostRecord& record = hosts_[host];
  answered_ |= request.answered;
  if (request.address) restored_addresses_.insert_or_assign(host, *request.address);
  const bool troubled = request.health == Was::kFailed || request.health == Was::kThrottled;
  if (request.health == Was::kWell) record.failures = record.throttles = 0;
  if (!troubled && !request.recent) return;  // Most of them.
  RestoredRequest& restored = restored_requests_[host];
  // Delays count from the end of a request.
  if (request.recent) restored.ended = std::max(restored.ended, request.ended);
  if (!troubled) return;
  const Duration rest = CountTrouble(
      record, &restored.unwell_at,
      {request.health == Was::kThrottled, request.started, request.ended, request.retry_after});
  restored.rest_until = std::max(restored.rest_until, request.ended + rest);
  // The host was given up then, with its waiting URLs. The network may have been mended since, so
  // the host gets another chance after its rest.
  if (CountsAsDown(record)) record.failures = record.throttles = 0;
}

// A request to the host was made at `at`, which its domain has to know as well.
void UrlScheduler::RestoreStart(ActiveHost& host, TimePoint at) {
  host.clock.Started(0, at);
  active_domains_[host.domain].clock.Started(0, at, DomainInterval(host));
}

// Queues are built last, when all states and numbers of links are known.
void UrlScheduler::EndRestore(TimePoint now, std::optional<TimePoint> maybe_asked_at) {
  const auto origin_of = [this](HostId host) {
    const std::size_t begin = host == 1 ? 0 : restored_ends_[host - 2];
    return std::string_view(restored_origins_).substr(begin, restored_ends_[host - 1] - begin);
  };
  for (UrlId url = 1; url <= urls_.size(); ++url) {
    if (urls_.state(url) != UrlState::kWaiting) continue;
    const HostId host = urls_.host(url);
    Wait(active_[Activate(host, origin_of(host))], url);
  }
  // A resumed crawl with waiting URLs has discovered its seeds before.
  if (waiting_ > 0) discovering_ = false;
  if (maybe_asked_at) {
    maybe_asked_at_ = *maybe_asked_at;
    for (std::uint32_t index = 1; index < active_.end_index(); ++index) {
      if (active_[index].id != 0) RestoreStart(active_[index], maybe_asked_at_);
    }
  }
  // Also for hosts without waiting URLs: the next page may link to them. Their Crawl-delay is not
  // known before their robots check.
  const Duration longest = Capped(std::chrono::hours(24), options_.max_crawl_delay);
  for (const auto& [id, request] : restored_requests_) {
    if (request.ended == TimePoint::min() && request.rest_until <= now) continue;
    ActiveHost& host = active_[Activate(id, origin_of(id))];
    if (request.ended != TimePoint::min()) {
      RestoreStart(host, request.ended);
      if (options_.robots_checks) host.MakeExtras().keep_until = request.ended + longest;
    }
    if (request.rest_until > now) host.MakeExtras().backoff_until = request.rest_until;
    if (hosts_[id].failures > 0 || hosts_[id].throttles > 0) host.MakeExtras().window = 1;
  }
  for (const auto& [id, address] : restored_addresses_) {
    const std::uint32_t index = hosts_[id].active;
    if (index == 0) continue;
    SetAddress(index, address, active_[index].clock.Next(Duration::zero()));
  }
  restored_requests_ = {};
  restored_addresses_ = {};
  restored_origins_ = std::string();
  restored_ends_ = std::vector<std::size_t>();
  for (std::uint32_t index = 1; index < active_.end_index(); ++index) Place(index);
}

}  // namespace crawler

#include "unit/frontier/frontier_oracle.hpp"

#include <algorithm>
#include <utility>

#include "frontier/retry_policy.hpp"

namespace crawler {

using Kind = Frontier::Outcome::Kind;
using Verdict = Frontier::Verdict;
using std::chrono::seconds;

TimePoint FrontierOracle::Clock::Next(Duration interval) const {
  return last == TimePoint::min() ? last : last + interval;
}

TimePoint FrontierOracle::Group::Opens() const {
  TimePoint opens = TimePoint::min();
  for (const Request& request : requests) opens = std::max(opens, request.at + request.interval);
  return opens;
}

void FrontierOracle::Group::End(UrlId lease, const Frontier::Outcome& outcome, Duration interval) {
  std::erase_if(requests, [lease](const Request& request) { return request.lease == lease; });
  if (outcome.sent()) requests.push_back({0, outcome.started, interval});
}

Duration FrontierOracle::Capped(Duration time, std::chrono::milliseconds limit) const {
  return limit.count() == 0 ? time : std::min<Duration>(time, limit);
}

std::vector<Frontier::Offered> FrontierOracle::OfferAll(
    const std::vector<Frontier::Offer>& offers) {
  std::vector<Frontier::Offered> results;
  ++offers_;
  for (const Frontier::Offer& offer : offers) {
    Frontier::Offered result;
    for (UrlId id = 1; id < urls_.size(); ++id) {
      if (urls_[id].text == offer.url) result.url = id;
    }
    if (result.url == 0) {
      for (HostId id = 1; id < hosts_.size(); ++id) {
        if (hosts_[id].origin == offer.origin) result.host = id;
      }
      if (result.host == 0) {
        result.host_is_new = true;
        result.host = static_cast<HostId>(hosts_.size());
        hosts_.emplace_back();
        hosts_.back().origin = offer.origin;
        hosts_.back().site = offer.site;
      }
      result.is_new = true;
      result.url = static_cast<UrlId>(urls_.size());
      urls_.emplace_back();
      urls_.back().text = offer.url;
      urls_.back().host = result.host;
      urls_.back().offer = offers_;
    }
    UrlFacts& url = urls_[result.url];
    result.host = url.host;
    HostFacts& host = hosts_[url.host];
    if (offer.via == Via::kLink) ++url.links, ++host.links;
    url.worth = std::max<std::int64_t>(url.worth, offer.worth);
    if (offer.skipped == SkipReason::kNone && url.state == State::kSkipped) {
      if (options_.max_frontier != 0 && counts().waiting >= options_.max_frontier) {
        result.frontier_full = true;
        result.again = std::exchange(url.kept_out, true);
      } else {
        result.waits = true;
        url.urgent = offer.via == Via::kSitemapFile;
        host.active = true;
        url.state = host.down_until > now_ ? State::kOver : State::kWaiting;
        if (url.state == State::kOver) given_up_.push_back(result.url);
      }
    }
    results.push_back(result);
  }
  return results;
}

void FrontierOracle::SetNow(TimePoint now) {
  now_ = std::max(now_, now);
  Forget();
}

bool FrontierOracle::HasWork(HostId id) const {
  if (hosts_[id].leased > 0) return true;
  return std::any_of(urls_.begin(), urls_.end(), [id](const UrlFacts& url) {
    return url.host == id && url.state == State::kWaiting;
  });
}

// A host with nothing waiting, leased or due shrinks to a few counters; so do its groups.
void FrontierOracle::Forget() {
  for (HostId id = 1; id < hosts_.size(); ++id) {
    HostFacts& host = hosts_[id];
    const bool checked = options_.robots_checks && host.robots_until > now_;
    if (HasWork(id) || ClockDue(host) > now_ || host.down_until > now_ || checked) continue;
    HostFacts kept;
    kept.origin = host.origin, kept.site = host.site;
    kept.links = host.links, kept.pages = host.pages;
    kept.failures = host.failures, kept.throttles = host.throttles;
    host = kept;
  }
  ForgetGroups();
}

void FrontierOracle::ForgetGroups() {
  const auto unused = [this](const std::string& name, bool is_address) {
    return std::none_of(hosts_.begin(), hosts_.end(), [&](const HostFacts& host) {
      return host.active && (is_address ? host.address : host.site) == name;
    });
  };
  for (auto& [name, group] : sites_) {
    if (unused(name, false)) group.requests.clear();
  }
  for (auto& [name, group] : addresses_) {
    if (unused(name, true)) group.requests.clear();
  }
}

Duration FrontierOracle::DelayOf(const HostFacts& host) const {
  return options_.host_delays.Find(host.origin).value_or(options_.delay);
}

Duration FrontierOracle::IntervalOf(const HostFacts& host, bool is_address) const {
  const int hosts = is_address ? options_.hosts_per_address : options_.hosts_per_domain;
  return hosts > 0 ? DelayOf(host) / hosts : Duration::zero();
}

TimePoint FrontierOracle::ClockDue(const HostFacts& host) const {
  const Duration delay = DelayOf(host);
  Duration interval = std::max(delay, Capped(host.crawl_delay, options_.max_crawl_delay));
  if (delay.count() > 0) {
    interval = std::max(interval, Capped(host.took, options_.retry.max_backoff));
  }
  for (int i = 0; i < std::min(host.errors, 2); ++i) interval *= 2;
  return std::max(host.clock.Next(interval), host.backoff_until);
}

int FrontierOracle::InFlight(const std::string& name, bool is_address) const {
  int in_flight = 0;
  for (const HostFacts& host : hosts_) {
    if ((is_address ? host.address : host.site) == name) in_flight += host.leased;
  }
  return in_flight;
}

bool FrontierOracle::GroupOpen(const std::string& name, bool is_address, TimePoint now) const {
  const int hosts = is_address ? options_.hosts_per_address : options_.hosts_per_domain;
  if (hosts == 0 || name.empty()) return true;
  if (options_.per_host > 0 && InFlight(name, is_address) >= hosts * options_.per_host) {
    return false;
  }
  const auto& groups = is_address ? addresses_ : sites_;
  const auto found = groups.find(name);
  return found == groups.end() || found->second.Opens() <= now;
}

UrlId FrontierOracle::Head(HostId id, TimePoint now) const {
  UrlId best = 0;
  for (UrlId url = 1; url < urls_.size(); ++url) {
    const UrlFacts& facts = urls_[url];
    if (facts.host != id || facts.state != State::kWaiting || facts.retry_at > now) continue;
    if (best == 0 || Before(url, best, id)) best = url;
  }
  return best;
}

// Sitemaps and pages by turns, those never tried before those that were, then by score.
bool FrontierOracle::Before(UrlId a, UrlId b, HostId host) const {
  const UrlFacts &first = urls_[a], &second = urls_[b];
  const bool tried_first = Tried(first), tried_second = Tried(second);
  if (first.urgent != second.urgent) {
    const UrlFacts& urgent = first.urgent ? first : second;
    const UrlFacts& page = first.urgent ? second : first;
    const bool page_first =
        (hosts_[host].sitemap_last || (Tried(urgent) && !Tried(page))) && PagesOpen(host);
    return page_first ? second.urgent : first.urgent;
  }
  if (tried_first != tried_second) return tried_second;
  return !first.urgent && Key(a) > Key(b);
}

bool FrontierOracle::PagesOpen(HostId id) const {
  if (options_.max_pages != 0 && pages_ + reserved_ >= options_.max_pages) return false;
  const auto site = sites_.find(hosts_[id].site);
  return options_.max_per_domain == 0 || site == sites_.end() ||
         site->second.pages + site->second.reserved < options_.max_per_domain;
}

std::int64_t FrontierOracle::Score(UrlId url) const {
  if (options_.order == FrontierOrder::kBfs || options_.order == FrontierOrder::kDfs) return 200;
  if (options_.order == FrontierOrder::kWorth) return urls_[url].worth;
  const HostFacts& host = hosts_[urls_[url].host];
  return std::max<std::int64_t>(0, 1000 - 10 * host.pages) + 100 * urls_[url].links + host.links;
}

bool FrontierOracle::SlotFor(const HostFacts& host) const {
  if (options_.slots == 0 || Prompt(host)) return true;
  int slow = 0, failing = 0;
  for (const HostFacts& other : hosts_) {
    slow += Prompt(other) ? 0 : other.leased;
    failing += other.failures > 0 ? other.leased : 0;
  }
  const int slots = static_cast<int>(options_.slots);
  if (host.failures > 0 && failing >= std::max(1, slots / 4)) return false;
  return slow < std::max(1, slots * 3 / 4);
}

std::int64_t FrontierOracle::Key(UrlId url) const {
  return options_.order == FrontierOrder::kDfs ? urls_[url].offer : Score(url);
}

bool FrontierOracle::MayBeAsked(HostId id, TimePoint now) const {
  const HostFacts& host = hosts_[id];
  const UrlId head = Head(id, now);
  if (head == 0 || host.checking_robots || ClockDue(host) > now) return false;
  if (options_.per_host > 0 && host.leased >= options_.per_host) return false;
  if (host.window > 0 && host.leased >= host.window) return false;
  if (!GroupOpen(host.site, false, now) || !GroupOpen(host.address, true, now)) return false;
  if (!SlotFor(host)) return false;
  return urls_[head].urgent ? !Held(urls_[head]) : PagesOpen(id);
}

UrlId FrontierOracle::Best(TimePoint now) const {
  UrlId best = 0;
  for (HostId id = 1; id < hosts_.size(); ++id) {
    if (!MayBeAsked(id, now)) continue;
    const UrlId head = Head(id, now);
    const bool better =
        best == 0 || Key(head) > Key(best) || (Key(head) == Key(best) && head < best);
    if (better) best = head;
  }
  return best;
}

std::vector<Frontier::Lease> FrontierOracle::LeaseSome(TimePoint now, std::size_t most) {
  SetNow(now);
  std::vector<Frontier::Lease> leases;
  while (leases.size() < most) {
    const UrlId url = Best(now_);
    if (url == 0) break;
    UrlFacts& facts = urls_[url];
    HostFacts& host = hosts_[facts.host];
    Frontier::Lease lease;
    lease.id = url;
    lease.url = facts.text;
    lease.host = facts.host;
    if (facts.urgent) lease.via = Via::kSitemapFile;
    lease.score = Score(url);
    if (options_.robots_checks && !host.just_checked && host.robots_until <= now_) {
      lease.kind = Frontier::Lease::Kind::kRobotsCheck;
      host.checking_robots = true;
    } else {
      lease.failures = static_cast<std::uint8_t>(facts.failures);
      lease.throttled_alone = facts.throttled && host.throttles == 0 &&
                              (host.throttled_url == 0 || host.throttled_url == url);
      host.just_checked = false;
      host.sitemap_last = facts.urgent;
      facts.state = State::kLeased;
      facts.retry_at = TimePoint::min();
      if (!facts.urgent) ++reserved_, ++sites_[host.site].reserved;
    }
    ++host.leased;
    host.clock = Clock{now_, host.clock.last, url};
    sites_[host.site].requests.push_back({url, now_, IntervalOf(host, false)});
    if (!host.address.empty()) {
      addresses_[host.address].requests.push_back({url, now_, IntervalOf(host, true)});
    }
    leases.push_back(lease);
  }
  return leases;
}

// True if the host is down, now or already.
bool FrontierOracle::EndRequest(HostId id, UrlId url, const Frontier::Outcome& outcome) {
  HostFacts& host = hosts_[id];
  --host.leased;
  Clock& clock = host.clock;
  sites_[host.site].End(url, outcome, IntervalOf(host, false));
  if (!host.address.empty()) addresses_[host.address].End(url, outcome, IntervalOf(host, true));
  if (!outcome.sent()) {
    if (clock.by == url) clock = Clock{clock.before, clock.before, 0};
    return host.down_until > now_;
  }
  if (outcome.address && outcome.address->ToString() != host.address) {
    host.address = outcome.address->ToString();
    ForgetGroups();  // The old address may have lost its last host.
    addresses_[host.address].End(url, outcome, IntervalOf(host, true));
  }
  const TimePoint counted = options_.per_host == 1 ? outcome.now : outcome.started;
  clock.last = std::max(clock.last, counted);
  clock.before = std::max(clock.before, counted);
  if (clock.by == url) clock.by = 0;
  host.took = outcome.took;
  const bool answered = outcome.kind != Kind::kUnreachable && !outcome.no_answer;
  if (answered || host.usual_ms >= 0) {
    const Duration sample = answered ? outcome.took : std::max<Duration>(outcome.took, seconds(20));
    const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(sample).count();
    host.usual_ms = host.usual_ms < 0 ? ms : (3 * host.usual_ms + ms) / 4;
  }
  answered_ |= outcome.sent() && outcome.failure == FetchFailure::kNone &&
               outcome.kind != Kind::kUnreachable;
  const bool throttled = outcome.kind == Kind::kThrottled;
  std::optional<Duration> asked;
  if (outcome.retry_after) {
    asked =
        Capped(std::max<Duration>(*outcome.retry_after, seconds(1)), options_.retry.max_backoff);
  }
  if (!throttled && outcome.kind != Kind::kUnreachable && !outcome.no_answer) {
    host.failures = host.throttles = 0;
    host.down_until = TimePoint::min();
    const int widest = options_.per_host > 0 ? options_.per_host : 256;
    if (host.window > 0 && ++host.window >= widest) host.window = 0;
    if (!outcome.server_error) {
      host.errors = 0;
      host.throttled_url = 0;
      return false;
    }
    if (outcome.started >= host.error_at) {
      host.error_at = outcome.now;
      ++host.errors;
    }
    if (asked) host.backoff_until = std::max(host.backoff_until, outcome.now + *asked);
    return false;
  }
  host.window = 1;
  if (outcome.started >= host.unwell_at) {
    host.unwell_at = outcome.now;
    int& count = throttled ? host.throttles : host.failures;
    ++count;
    Duration rest =
        throttled ? Duration(seconds(1)) : std::max<Duration>(options_.delay, seconds(1));
    for (int i = 1; i < count; ++i) rest *= 2;
    rest = Capped(rest, options_.retry.max_backoff);
    host.backoff_until = std::max(host.backoff_until, outcome.now + rest);
  }
  if (asked) host.backoff_until = std::max(host.backoff_until, outcome.now + *asked);
  const RetryPolicy& policy = options_.retry;
  int most = policy.host_failures;
  if (!answered_ && policy.first_failures > 0) most = std::min(most, policy.first_failures);
  return host.down_until > now_ || host.throttles >= policy.throttles ||
         (most > 0 && host.failures >= most);
}

Verdict FrontierOracle::Finish(const Frontier::Lease& lease, const Frontier::Outcome& outcome) {
  SetNow(outcome.now);
  UrlFacts& url = urls_[lease.id];
  HostFacts& host = hosts_[url.host];
  if (!url.urgent) {
    --reserved_, --sites_[host.site].reserved;
    if (outcome.kind == Kind::kPage) ++pages_, ++host.pages, ++sites_[host.site].pages;
  }
  const bool down = EndRequest(url.host, lease.id, outcome);
  if (outcome.kind == Kind::kThrottled) url.throttled = true;
  if (lease.throttled_alone && outcome.kind == Kind::kRetry && outcome.server_error) {
    host.throttled_url = url.failures >= options_.retry.retries ? 0 : lease.id;
  }
  Verdict verdict = Verdict::kOver;
  url.state = State::kOver;
  const bool again = outcome.kind == Kind::kRetry || outcome.kind == Kind::kUnreachable ||
                     outcome.kind == Kind::kThrottled || outcome.kind == Kind::kReturned;
  if (outcome.kind == Kind::kReturned && down) {
    given_up_.push_back(lease.id);
  } else if (again) {
    if (down || (outcome.kind == Kind::kRetry && url.failures >= options_.retry.retries)) {
      verdict = Verdict::kGivenUp;
    } else {
      verdict = Verdict::kWaits;
      url.state = State::kWaiting;
    }
  }
  if (verdict == Verdict::kWaits && outcome.kind == Kind::kRetry) {
    ++url.failures;
    url.retry_at = outcome.now + RetryDelay(options_.retry, options_.hash_key, lease.id,
                                            url.failures, outcome.patient);
  }
  if (down && host.down_until <= now_) GiveUpHost(url.host, outcome.now + options_.retry.down_time);
  Forget();
  return verdict;
}

void FrontierOracle::PassRobotsCheck(const Frontier::Lease& lease, const Frontier::Outcome& outcome,
                                     TimePoint until, std::chrono::milliseconds crawl_delay) {
  SetNow(outcome.now);
  HostFacts& host = hosts_[lease.host];
  host.checking_robots = false;
  host.just_checked = true;
  host.robots_until = until;
  host.crawl_delay = crawl_delay;
  const bool down = EndRequest(lease.host, lease.id, outcome);
  if (down && host.down_until <= now_) {
    GiveUpHost(lease.host, outcome.now + options_.retry.down_time);
  }
  Forget();
}

bool FrontierOracle::FailRobotsCheck(const Frontier::Lease& lease, const Frontier::Outcome& outcome,
                                     TimePoint until) {
  SetNow(outcome.now);
  HostFacts& host = hosts_[lease.host];
  host.checking_robots = false;
  const bool failed = outcome.kind != Kind::kReturned && outcome.kind != Kind::kDropped &&
                      outcome.kind != Kind::kThrottled;
  Frontier::Outcome ended = outcome;
  ended.no_answer = ended.no_answer || failed;
  const bool down = EndRequest(lease.host, lease.id, ended);
  if (outcome.kind == Kind::kDropped) {
    GiveUpHost(lease.host, until);
  } else if (down && host.down_until <= now_) {
    GiveUpHost(lease.host, outcome.now + options_.retry.down_time);
  }
  Forget();
  return outcome.kind == Kind::kDropped || down;
}

void FrontierOracle::GiveUpHost(HostId id, TimePoint until) {
  for (UrlId url = 1; url < urls_.size(); ++url) {
    if (urls_[url].host != id || urls_[url].state != State::kWaiting) continue;
    urls_[url].state = State::kOver;
    given_up_.push_back(url);
  }
  HostFacts& host = hosts_[id];
  host.down_until = until;
  host.failures = host.throttles = 0;
}

std::vector<UrlId> FrontierOracle::TakeGivenUp() {
  std::vector<UrlId> taken;
  taken.swap(given_up_);
  std::sort(taken.begin(), taken.end());
  return taken;
}

bool FrontierOracle::Held(const UrlFacts& url) const {
  if (options_.max_pages != 0 && pages_ >= options_.max_pages) return true;
  const auto site = sites_.find(hosts_[url.host].site);
  return options_.max_per_domain != 0 && site != sites_.end() &&
         site->second.pages >= options_.max_per_domain;
}

Frontier::Counts FrontierOracle::counts() const {
  Frontier::Counts counts;
  counts.known = urls_.size() - 1;
  counts.hosts = hosts_.size() - 1;
  counts.pages = pages_;
  counts.pages_spent = options_.max_pages != 0 && pages_ >= options_.max_pages;
  counts.given_up_untaken = given_up_.size();
  for (const UrlFacts& url : urls_) {
    if (url.state != State::kWaiting) continue;
    ++counts.waiting;
    if (Held(url)) ++counts.held_by_budget;
  }
  for (HostId id = 1; id < hosts_.size(); ++id) {
    const HostFacts& host = hosts_[id];
    counts.leased += host.leased;
    if (HasWork(id)) ++counts.hosts_active;
    if (MayBeAsked(id, now_)) ++counts.hosts_ready;
  }
  return counts;
}

bool FrontierOracle::Finished() const {
  const Frontier::Counts now = counts();
  return now.leased == 0 && now.given_up_untaken == 0 && now.waiting == now.held_by_budget;
}

TimePoint FrontierOracle::NextDue() const {
  std::vector<TimePoint> moments;
  for (const UrlFacts& url : urls_) moments.push_back(url.retry_at);
  for (const HostFacts& host : hosts_) moments.push_back(ClockDue(host));
  for (const auto& [name, group] : sites_) {
    if (options_.hosts_per_domain > 0) moments.push_back(group.Opens());
  }
  for (const auto& [name, group] : addresses_) {
    if (options_.hosts_per_address > 0) moments.push_back(group.Opens());
  }
  std::sort(moments.begin(), moments.end());
  for (const TimePoint moment : moments) {
    if (moment > now_ && Best(moment) != 0) return moment;
  }
  return TimePoint::max();
}

}  // namespace crawler

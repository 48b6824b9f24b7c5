// What a crawl says of itself while it runs and when it has ended.
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/web_crawl.hpp"

namespace crawler {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kHoldupsShown = 20;

}  // namespace

CrawlResult WebCrawl::Conclude(const Status& status) {
  phase_.store("over");
  CrawlResult result;
  result.statistics = statistics();
  if (!status.ok()) {
    // Of what was done, only what was written is there.
    const CommittedTotals totals = crawl_.writer->committed();
    result.statistics = Committed(totals);
    result.statistics.urls_waiting = before_.waiting + static_cast<std::uint64_t>(totals.waiting);
    result.statistics.urls_under_way = 0;
    result.outcome = CrawlResult::Outcome::kStorage;
    result.message = status.message();
  } else if (const char* spent = crawl_.spent.load()) {
    result.outcome = CrawlResult::Outcome::kBudget;
    result.message = spent;
  } else if (crawl_.stopping.load()) {
    result.outcome = CrawlResult::Outcome::kStopped;
  } else if (crawl_.frontier->counts().held_by_budget > 0) {
    result.outcome = CrawlResult::Outcome::kBudget;
    result.message = crawl_.frontier->counts().pages_spent ? "max-pages" : "max-per-domain";
  } else if (!given_up_.empty()) {
    result.outcome = CrawlResult::Outcome::kIncomplete;
    std::uint64_t urls = 0;
    for (const CrawlResult::GivenUpHost& host : given_up_) urls += host.urls;
    result.message = std::to_string(urls) + " URLs of " + std::to_string(given_up_.size()) +
                     (given_up_.size() == 1 ? " host" : " hosts") + " were not fetched";
  }
  result.given_up = given_up_;
  return result;
}

CrawlStatistics WebCrawl::statistics() const {
  CrawlStatistics statistics;
  statistics.phase = phase_.load();
  statistics.elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(crawl_.Now() - started_.load());
  if (!ready_.load()) return statistics;
  const CrawlCounters& counters = crawl_.counters;
  statistics.requests = counters.requests.load();
  statistics.bytes = counters.bytes.load();
  statistics.redirects = counters.redirects.load();
  statistics.http_errors = counters.http_errors.load();
  statistics.failures = counters.failures.load();
  statistics.throttled = counters.throttled.load();
  statistics.refused = counters.refused.load();
  statistics.unwanted = counters.unwanted.load();
  statistics.dead_letters = counters.dead_letters.load();
  statistics.duplicates = crawl_.writer->committed().duplicates;
  statistics.links = counters.links.load();
  statistics.pages_new = counters.pages_new.load();
  statistics.pages_changed = counters.pages_changed.load();
  statistics.pages_unchanged = counters.pages_unchanged.load();
  statistics.pages_gone = counters.pages_gone.load();
  const Frontier::Counts counts = crawl_.frontier->counts();
  statistics.pages = counts.pages;
  statistics.urls_known = counts.known;
  statistics.urls_waiting = counts.waiting;
  statistics.urls_under_way = counts.leased;
  statistics.hosts_known = counts.hosts;
  statistics.hosts_ready = counts.hosts_ready;
  statistics.hosts_waiting =
      counts.hosts_active > counts.hosts_ready ? counts.hosts_active - counts.hosts_ready : 0;
  statistics.eta = Eta(statistics);
  return statistics;
}

// As a resume would find it, as far as it is counted from commit to commit.
CrawlStatistics WebCrawl::Committed(const CommittedTotals& totals) const {
  CrawlStatistics s = statistics();
  s.pages = before_.pages + totals.pages;
  s.urls_known = before_.known + totals.urls;
  s.hosts_known = before_.hosts + totals.hosts;
  s.redirects = totals.redirects;
  s.http_errors = totals.http_errors;
  s.failures = totals.failures;
  s.throttled = totals.throttled;
  s.refused = totals.refused;
  s.unwanted = totals.unwanted;
  s.dead_letters = totals.dead_letters;
  s.duplicates = totals.duplicates;
  s.pages_new = changes_before_.pages_new + totals.pages_new;
  s.pages_changed = changes_before_.pages_changed + totals.pages_changed;
  s.pages_unchanged = changes_before_.pages_unchanged + totals.pages_unchanged;
  s.pages_gone = changes_before_.pages_gone + totals.pages_gone;
  return s;
}

std::optional<std::chrono::milliseconds> WebCrawl::Eta(const CrawlStatistics& s) const {
  const CrawlOptions& options = crawl_.options;
  std::optional<std::chrono::milliseconds> eta;
  if (options.max_time.count() > 0) {
    eta = std::max(options.max_time - s.elapsed, std::chrono::milliseconds(0));
  }
  const std::uint64_t pages = s.pages - std::min(s.pages, before_.pages);
  if (options.max_pages > s.pages && pages > 0) {
    const double left = static_cast<double>(options.max_pages - s.pages);
    const std::chrono::milliseconds at_this_pace(static_cast<std::int64_t>(
        left * static_cast<double>(s.elapsed.count()) / static_cast<double>(pages)));
    eta = eta ? std::min(*eta, at_this_pace) : at_this_pace;
  }
  return eta;
}

std::vector<std::pair<std::string, std::string>> WebCrawl::LiveState(
    const CommittedTotals& totals) const {
  return {{"live", Snapshot(totals)}};
}

std::string WebCrawl::Snapshot(const CommittedTotals& totals) const {
  const CrawlStatistics s = Committed(totals);
  Json json = {
      {"at", crawl_.NowMilliseconds()}, {"phase", s.phase}, {"elapsed_ms", s.elapsed.count()}};
  for (const auto& [name, value] : kCrawlCounts) json[name] = s.*value;
  const TimePoint now = crawl_.Now();
  Json holdups = Json::array();
  for (const Frontier::Holdup& holdup : crawl_.frontier->Holdups(now, kHoldupsShown)) {
    // What may be asked now is due at the beginning of time, from which nothing can be subtracted.
    const auto due_in =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::max(holdup.due, now) - now);
    holdups.push_back({{"host", holdup.origin},
                       {"waiting", holdup.waiting},
                       {"under_way", holdup.leased},
                       {"due_in_ms", holdup.due == TimePoint::max() ? -1 : due_in.count()},
                       {"why", holdup.why}});
  }
  json["holdups"] = std::move(holdups);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace crawler

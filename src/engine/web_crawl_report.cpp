// The statistics and the result of a crawl.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "engine/log_events.hpp"
#include "engine/web_crawl.hpp"
#include "store/warc_writer.hpp"

namespace crawler {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kHoldupsShown = 20;

}  // namespace

CrawlResult WebCrawl::Conclude(const Status& status) {
  phases_.Finish();
  CrawlResult result;
  result.statistics = statistics();
  if (!status.ok()) {
    // Only committed batches are in the folder.
    const CrawlTotals totals = crawl_.writer->committed();
    result.statistics = Committed(totals);
    result.statistics.urls_waiting = static_cast<std::uint64_t>(before_.waiting + totals.waiting);
    result.statistics.urls_under_way = 0;
    result.outcome = status.code() == StatusCode::kOutOfMemory ? CrawlResult::Outcome::kOutOfMemory
                                                               : CrawlResult::Outcome::kStorage;
    result.message = status.message();
  } else {
    DescribeEnd(&result);
    result.breakdown = breakdown_;
    result.indexed_pages = indexed_pages_;
  }
  result.given_up = given_up_;
  result.scope = crawl_.options.scope;
  DescribeSeeds(&result);
  MeasureFolder(&result);
  if (result.outcome == CrawlResult::Outcome::kBudget) {
    crawl_.logger.Log(log_events::kBudgetReached, {{"budget", result.message}});
  } else if (!status.ok()) {
    crawl_.logger.Log(log_events::kStorageFailed, {{"why", result.message}});
  }
  return result;
}

// Why the crawl ended, of one whose folder is whole.
void WebCrawl::DescribeEnd(CrawlResult* result) const {
  using Outcome = CrawlResult::Outcome;
  const Frontier::Counts counts = crawl_.frontier->counts();
  {
    MutexLock lock(mutex_);
    result->message = callback_failure_;
  }
  if (!result->message.empty()) {
    result->outcome = Outcome::kCallback;
  } else if (const char* spent = crawl_.stop.spent_budget()) {
    result->outcome = Outcome::kBudget;
    result->message = spent;
  } else if (crawl_.stop.requested()) {
    result->outcome = Outcome::kStopped;
  } else if (counts.held_by_budget > 0) {
    result->outcome = Outcome::kBudget;
    result->message = counts.pages_spent ? "max-pages" : "max-per-domain";
  } else if (!given_up_.empty()) {
    result->outcome = Outcome::kIncomplete;
    std::uint64_t urls = 0;
    for (const CrawlResult::GivenUpHost& host : given_up_) urls += host.urls;
    result->message = std::to_string(urls) + (urls == 1 ? " URL of " : " URLs of ") +
                      std::to_string(given_up_.size()) +
                      (given_up_.size() == 1 ? " host" : " hosts") +
                      (urls == 1 ? " was not fetched" : " were not fetched");
  }
}

// The seeds that failed. A crawl that was ended early and has no page says what it has met so far.
void WebCrawl::DescribeSeeds(CrawlResult* result) const {
  constexpr std::size_t kSeedsInMessage = 3;
  const bool no_page = result->statistics.pages == 0;
  SeedWatch::Failures failures = crawl_.seeds.Describe(*crawl_.scope, no_page);
  result->seed_failures = std::move(failures.shown);
  result->seeds_failed = failures.all;
  const bool ended_by_itself = result->outcome == CrawlResult::Outcome::kFinished ||
                               result->outcome == CrawlResult::Outcome::kIncomplete;
  if (!ended_by_itself || (result->seed_failures.empty() && !no_page)) return;
  std::string text = no_page ? "" : result->message;
  const auto add = [&text](const std::string& sentence) {
    if (!text.empty()) text += text.ends_with('.') ? " " : ". ";
    text += sentence;
  };
  if (no_page) add("No page could be crawled.");
  for (std::size_t i = 0; i < result->seed_failures.size() && i < kSeedsInMessage; ++i) {
    const CrawlResult::SeedFailure& seed = result->seed_failures[i];
    add(seed.url + " " + seed.what + ".");
    if (!seed.hint.empty()) add(seed.hint);
  }
  if (failures.all > kSeedsInMessage) {
    add(std::to_string(failures.all - kSeedsInMessage) + " more seeds failed.");
  }
  result->message = std::move(text);
}

void WebCrawl::MeasureFolder(CrawlResult* result) const {
  std::error_code error;
  const auto size_of = [&error](const std::filesystem::path& path) -> std::uint64_t {
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
  };
  result->catalogue_bytes = size_of(crawl_.catalogue_path);
  const auto files = ListWarcFiles(CrawlFolder::WarcPath(crawl_.options.folder));
  if (!files.ok()) return;  // There is nothing to measure.
  for (const std::filesystem::path& file : *files) result->warc_bytes += size_of(file);
}

CrawlStatistics WebCrawl::statistics() const {
  CrawlStatistics statistics;
  statistics.phase = phases_.current();
  statistics.paused = crawl_.paused.load();
  statistics.elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(crawl_.Now() - started_.load());
  if (!ready_.load()) return statistics;
  statistics.elapsed_all = elapsed_before_ + statistics.elapsed;
  statistics.max_pages = crawl_.options.max_pages;
  SetCounts(crawl_.writer->pushed(), &statistics);
  const Frontier::Counts counts = crawl_.frontier->counts();
  statistics.urls_waiting = counts.waiting;
  statistics.urls_under_way = counts.leased;
  statistics.hosts_ready = counts.hosts_ready;
  statistics.hosts_waiting =
      counts.hosts_active > counts.hosts_ready ? counts.hosts_active - counts.hosts_ready : 0;
  statistics.eta = Eta(statistics);
  statistics.phases = phases_.Report();
  return statistics;
}

// The statistics as of a commit: a resume after a kill finds these numbers.
CrawlStatistics WebCrawl::Committed(const CrawlTotals& committed) const {
  CrawlStatistics s = statistics();
  SetCounts(committed, &s);
  return s;
}

void WebCrawl::SetCounts(const CrawlTotals& of_run, CrawlStatistics* statistics) const {
  CrawlTotals totals = before_;
  totals += of_run;
  static_cast<CrawlCounts&>(*statistics) = totals;
  statistics->this_run = of_run;
}

CrawlActivity WebCrawl::activity() const {
  CrawlActivity activity;
  if (!ready_.load()) return activity;
  const Frontier::Counts counts = crawl_.frontier->counts();
  if (counts.leased > 0) activity.url = crawl_.current_url.Get();
  if (!activity.url.empty() || counts.waiting + counts.leased == 0) return activity;
  for (HostHoldup& holdup : holdups(1)) activity.holdup = std::move(holdup);
  return activity;
}

std::vector<HostHoldup> WebCrawl::holdups(std::size_t most) const {
  std::vector<HostHoldup> hosts;
  if (!ready_.load()) return hosts;
  const TimePoint now = crawl_.Now();
  for (const Frontier::Holdup& holdup : crawl_.frontier->Holdups(now, most)) {
    hosts.push_back(Describe(holdup, now));
  }
  return hosts;
}

HostHoldup WebCrawl::Describe(const Frontier::Holdup& holdup, TimePoint now) const {
  using std::chrono::milliseconds;
  HostHoldup host;
  host.host = holdup.origin;
  host.waiting = holdup.waiting;
  host.under_way = holdup.leased;
  // A host that may be asked now is due at the beginning of time, from which nothing can be
  // subtracted.
  if (holdup.due != TimePoint::max()) {
    host.due_in = std::chrono::duration_cast<milliseconds>(std::max(holdup.due, now) - now);
  }
  host.why = holdup.why;
  host.interval = std::chrono::duration_cast<milliseconds>(holdup.interval);
  host.asked_by = holdup.asked_by;
  host.trouble = crawl_.troubles.Find(holdup.host).value_or("");
  return host;
}

std::optional<std::chrono::milliseconds> WebCrawl::Eta(const CrawlStatistics& s) const {
  const CrawlOptions& options = crawl_.options;
  std::optional<std::chrono::milliseconds> eta;
  if (options.max_time.count() > 0) {
    eta = std::max(options.max_time - s.elapsed, std::chrono::milliseconds(0));
  }
  const std::uint64_t pages = s.this_run.pages;
  if (options.max_pages > s.pages && pages > 0) {
    const double left = static_cast<double>(options.max_pages - s.pages);
    const std::chrono::milliseconds at_this_pace(static_cast<std::int64_t>(
        left * static_cast<double>(s.elapsed.count()) / static_cast<double>(pages)));
    eta = eta ? std::min(*eta, at_this_pace) : at_this_pace;
  }
  return eta;
}

std::vector<std::pair<std::string, std::string>> WebCrawl::LiveState(
    const CrawlTotals& totals) const {
  return {{"live", Snapshot(totals)}};
}

std::string WebCrawl::Snapshot(const CrawlTotals& totals) const {
  const CrawlStatistics s = Committed(totals);
  Json json = {{"at", crawl_.NowMilliseconds()},
               {"phase", s.phase},
               {"paused", s.paused},
               {"elapsed_ms", s.elapsed.count()},
               {"elapsed_all_ms", s.elapsed_all.count()}};
  for (const auto& [name, value, help] : kCrawlCounts) json[name] = s.*value;
  for (const auto& [name, value] : kCrawlRunCounts) json["this_run"][name] = s.this_run.*value;
  Json phases = Json::array();
  for (const CrawlPhase& phase : s.phases) {
    phases.push_back({{"name", phase.name},
                      {"elapsed_ms", phase.elapsed.count()},
                      {"requests", phase.requests},
                      {"pages", phase.pages}});
  }
  json["phases"] = std::move(phases);
  Json waiting_hosts = Json::array();
  for (const HostHoldup& host : holdups(kHoldupsShown)) {
    waiting_hosts.push_back({{"host", host.host},
                             {"waiting", host.waiting},
                             {"under_way", host.under_way},
                             {"due_in_ms", host.due_in ? host.due_in->count() : -1},
                             {"why", host.why},
                             {"interval_ms", host.interval.count()},
                             {"asked_by", host.asked_by},
                             {"trouble", host.trouble}});
  }
  json["holdups"] = std::move(waiting_hosts);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace crawler

#include "engine/visit_reporter.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "engine/log_events.hpp"

namespace crawler {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::int64_t Milliseconds(Duration time) { return duration_cast<milliseconds>(time).count(); }

// "503 at /search", "connect timeout at /": a failed request in a few words. `url` is absolute, or
// a path.
std::string DescribeTrouble(const FetchResult& result, std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) {
    const std::size_t path = url.find('/', scheme + 3);
    url = path == std::string_view::npos ? "/" : url.substr(path);
  }
  const std::string what =
      result.ok() ? std::to_string(result.status) : std::string(FetchFailureName(result.failure));
  return what + " at " + std::string(url);
}

void LogResponse(const Logger& logger, const Frontier::Lease& lease, const FetchResult& result,
                 const ResponseClass& response, std::string_view why) {
  switch (response.outcome) {
    case VisitOutcome::kRedirect:
      logger.Log(log_events::kUrlRedirected,
                 {{"url", lease.url}, {"status", result.status}, {"to", result.redirect->href()}});
      break;
    case VisitOutcome::kHttpError:
    case VisitOutcome::kFailed:
      logger.Log(log_events::kUrlFailed,
                 {{"url", lease.url}, {"status", result.status}, {"why", why}});
      break;
    case VisitOutcome::kThrottled:
      logger.Log(log_events::kHostThrottled,
                 {{"url", lease.url},
                  {"status", result.status},
                  {"retry_after_ms", Milliseconds(response.retry_after.value_or(Duration(0)))}});
      break;
    default:
      logger.Log(log_events::kUrlFetched, {{"url", lease.url},
                                           {"status", result.status},
                                           {"outcome", VisitOutcomeName(response.outcome)},
                                           {"bytes", result.raw_body.size()},
                                           {"ms", Milliseconds(result.timings.total)},
                                           {"depth", lease.depth}});
  }
}

void LogVisit(const Logger& logger, const Frontier::Lease& lease, const FetchResult& result,
              const ResponseClass& response, const VisitEnd& end) {
  if (!logger.Enabled(LogLevel::kWarn)) return;
  const std::string why =
      response.detail.empty() ? "status " + std::to_string(result.status) : response.detail;
  LogResponse(logger, lease, result, response, why);
  const int attempts = lease.failures + 1;
  if (end.exhausted) {
    logger.Log(log_events::kRetriesExhausted,
               {{"url", lease.url}, {"attempts", attempts}, {"why", why}});
  } else if (end.verdict == Frontier::Verdict::kWaits && response.is_failure()) {
    logger.Log(log_events::kRetryScheduled,
               {{"url", lease.url},
                {"attempt", attempts + 1},
                {"delay_ms", Milliseconds(end.retry_in.value_or(Duration(0)))},
                {"why", why}});
  }
}

}  // namespace

void VisitReporter::Begin(std::string_view url) {
  const MutexLock lock(mutex_);
  current_url_ = url;
}

void VisitReporter::End(std::string_view url) {
  const MutexLock lock(mutex_);
  if (current_url_ == url) current_url_.clear();
}

std::string VisitReporter::current_url() const {
  const MutexLock lock(mutex_);
  return current_url_;
}

void VisitReporter::PageFound(const NewPage& report) const {
  const PageRow& row = report.row;
  if (callbacks_.on_edge) {
    const std::vector<Frontier::Offer>& candidates = report.links.candidates();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      callbacks_.on_edge(row.url, candidates[i].url, report.links.nofollow(i));
    }
  }
  if (!callbacks_.on_page) return;
  CrawledPage page;
  page.url = row.url;
  page.title = row.title;
  page.text = report.text;
  page.body = report.body;
  page.content_type = row.content_type;
  page.status = row.status;
  page.depth = static_cast<int>(row.depth);
  page.score = static_cast<double>(row.score) / 100;
  page.size = row.size;
  page.change = PageChangeName(report.change);
  callbacks_.on_page(page);
}

void VisitReporter::ReportKnownPage(const Frontier::Lease& lease, PageChange change, int status,
                                    std::uint64_t size) const {
  const bool told = change == PageChange::kUnchanged || change == PageChange::kGone;
  if (!told || !callbacks_.on_known_page) return;
  CrawledPage page;
  page.url = lease.url;
  page.status = status;
  page.depth = static_cast<int>(lease.depth);
  page.score = static_cast<double>(lease.score) / 100;
  page.size = size;
  page.change = PageChangeName(change);
  callbacks_.on_known_page(page);
}

void VisitReporter::VisitEnded(const Frontier::Lease& lease, const FetchResult& result,
                               const ResponseClass& response, const VisitEnd& end, TimePoint now) {
  if (response.is_failure() || response.kind == Frontier::Outcome::Kind::kThrottled) {
    Failed(lease.host, DescribeTrouble(result, lease.url));
  } else if (const Trouble trouble = TakeTrouble(lease.host); trouble.down) {
    logger_.Log(log_events::kHostBack,
                {{"url", lease.url}, {"down_ms", Milliseconds(now - *trouble.down)}});
  }
  LogVisit(logger_, lease, result, response, end);
  ReportKnownPage(lease, end.change, result.status, result.body().size());
}

void VisitReporter::RobotsAnswered(HostId host, const FetchResult& result,
                                   const RobotsAnswer& answer) {
  const RobotsRow& row = answer.row;
  if (answer.refused()) {
    Failed(host, DescribeTrouble(result, "/robots.txt"));
    logger_.Log(log_events::kRobotsFailed,
                {{"host", row.origin}, {"status", row.status}, {"why", answer.what}});
    return;
  }
  ForgetFailure(host);
  const auto delay = answer.record.rules().crawl_delay().value_or(milliseconds(0));
  logger_.Log(log_events::kRobotsFetched, {{"host", row.origin},
                                           {"status", row.status},
                                           {"policy", row.policy},
                                           {"crawl_delay_ms", delay.count()},
                                           {"ms", Milliseconds(result.timings.total)}});
}

void VisitReporter::Refused(const Frontier::Lease& lease, const RobotsVerdict& verdict,
                            PageChange change) const {
  logger_.Log(log_events::kUrlRefused,
              {{"url", lease.url}, {"rule", verdict.rule}, {"line", verdict.line}});
  ReportKnownPage(lease, change, 0, 0);
}

void VisitReporter::SitemapLimitReached(const Frontier::Lease& lease,
                                        std::string_view limit) const {
  logger_.Log(log_events::kSitemapLimit, {{"url", lease.url}, {"limit", limit}});
}

void VisitReporter::HostGivenUp(const Frontier::GivenUp& url, GiveUpReason reason, TimePoint now) {
  logger_.Log(log_events::kHostGivenUp, {{"host", url.down->origin},
                                         {"reason", GiveUpReasonName(reason)},
                                         {"attempts", url.down->attempts},
                                         {"why", url.down->last}});
  const MutexLock lock(mutex_);
  if (troubles_.size() >= kMostHosts && troubles_.count(url.host) == 0) return;
  troubles_[url.host].down = now;
  hosts_in_trouble_.store(troubles_.size(), std::memory_order_relaxed);
}

std::string VisitReporter::TroubleOf(HostId host) const {
  const MutexLock lock(mutex_);
  const auto found = troubles_.find(host);
  return found == troubles_.end() ? std::string() : found->second.last;
}

void VisitReporter::Failed(HostId host, std::string trouble) {
  const MutexLock lock(mutex_);
  if (troubles_.size() >= kMostHosts && troubles_.count(host) == 0) return;
  troubles_[host].last = std::move(trouble);
  hosts_in_trouble_.store(troubles_.size(), std::memory_order_relaxed);
}

VisitReporter::Trouble VisitReporter::TakeTrouble(HostId host) {
  if (hosts_in_trouble_.load(std::memory_order_relaxed) == 0) return {};
  const MutexLock lock(mutex_);
  auto node = troubles_.extract(host);
  hosts_in_trouble_.store(troubles_.size(), std::memory_order_relaxed);
  return node.empty() ? Trouble() : std::move(node.mapped());
}

// A host that was given up is back only when it answers for a URL.
void VisitReporter::ForgetFailure(HostId host) {
  if (hosts_in_trouble_.load(std::memory_order_relaxed) == 0) return;
  const MutexLock lock(mutex_);
  const auto found = troubles_.find(host);
  if (found == troubles_.end()) return;
  found->second.last.clear();
  if (!found->second.down) troubles_.erase(found);
  hosts_in_trouble_.store(troubles_.size(), std::memory_order_relaxed);
}

}  // namespace crawler

#include "engine/visit_log.hpp"

#include <chrono>
#include <string>
#include <string_view>

#include "engine/log_events.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::int64_t Milliseconds(Duration time) { return duration_cast<milliseconds>(time).count(); }

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

}  // namespace

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

void LogRobotsAnswer(const Logger& logger, const FetchResult& result, const RobotsAnswer& answer) {
  const RobotsRow& row = answer.row;
  if (answer.refused()) {
    logger.Log(log_events::kRobotsFailed,
               {{"host", row.origin}, {"status", row.status}, {"why", answer.what}});
    return;
  }
  const auto delay = answer.record.rules().crawl_delay().value_or(milliseconds(0));
  logger.Log(log_events::kRobotsFetched, {{"host", row.origin},
                                          {"status", row.status},
                                          {"policy", row.policy},
                                          {"crawl_delay_ms", delay.count()},
                                          {"ms", Milliseconds(result.timings.total)}});
}

}  // namespace crawler

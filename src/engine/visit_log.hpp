#pragma once

#include <optional>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "engine/response_class.hpp"
#include "engine/robots_answer.hpp"
#include "frontier/frontier.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// The state of a URL after a visit.
struct VisitEnd {
  Frontier::Verdict verdict = Frontier::Verdict::kOver;
  bool exhausted = false;            ///< Its retries are used up.
  std::optional<Duration> retry_in;  ///< Time until the next attempt, if it is known.
};

/// Logs the events of a visit: fetched, redirected or failed, throttled, and whether its URL is
/// tried again or its retries are exhausted. See log_events.hpp.
void LogVisit(const Logger& logger, const Frontier::Lease& lease, const FetchResult& result,
              const ResponseClass& response, const VisitEnd& end);

/// Logs the answer to a request for a robots.txt: fetched, or failed so that nothing may be fetched
/// from its host.
void LogRobotsAnswer(const Logger& logger, const FetchResult& result, const RobotsAnswer& answer);

}  // namespace crawler

#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "frontier/frontier.hpp"
#include "model/fetch_result.hpp"
#include "store/rows.hpp"

namespace crawler {

/// What a response, or the lack of one, means for the crawl. See the table in docs/politeness.md.
struct ResponseClass {
  Frontier::Outcome::Kind kind = Frontier::Outcome::Kind::kDone;
  VisitOutcome outcome = VisitOutcome::kFailed;
  std::string detail;   ///< For people; empty if the outcome says it all.
  bool failed = false;  ///< The host is unwell.
  std::optional<Duration> retry_after;

  bool is_page() const { return kind == Frontier::Outcome::Kind::kPage; }
};

/// `failures`: of this URL so far. A 304 is an error: whoever has asked on a condition
/// knows better. A body that breaks off is kept as a truncated page when it is
/// the last attempt, unless `has_whole` says that there is a better one already.
ResponseClass ClassifyResponse(const FetchResult& result, int failures, bool has_whole = false);

/// The failure of `result` for people, e.g. "dns: …". Requires: !result.ok().
std::string DescribeFailure(const FetchResult& result);

/// Attempts that may fail before a URL becomes a dead letter: one and three retries.
inline constexpr int kMaxFailures = 4;

}  // namespace crawler

#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "frontier/frontier.hpp"
#include "frontier/retry_policy.hpp"
#include "model/fetch_result.hpp"
#include "store/rows.hpp"

namespace crawler {

/// The meaning of a response, or of the lack of one, for the crawl. docs/politeness.md has a table.
struct ResponseClass {
  Frontier::Outcome::Kind kind = Frontier::Outcome::Kind::kDone;
  VisitOutcome outcome = VisitOutcome::kFailed;
  std::string detail;         ///< For people; empty if the outcome says it all.
  bool no_answer = false;     ///< See Frontier::Outcome.
  bool server_error = false;  ///< Likewise.
  std::optional<Duration> retry_after;

  bool is_page() const { return kind == Frontier::Outcome::Kind::kPage; }
  /// Whether the attempt counts against the URL.
  bool uses_retry() const { return kind == Frontier::Outcome::Kind::kRetry; }
};

/// `failures`: of this URL so far. A 304 is an error here: only the caller knows whether the
/// request was conditional. A body that breaks off is kept as a truncated page at the last attempt,
/// unless `has_whole` says that a better one is stored.
ResponseClass ClassifyResponse(const FetchResult& result, int failures, const RetryPolicy& policy,
                               bool has_whole = false);

/// The failure of `result` for people, e.g. "dns: …". Requires: !result.ok().
std::string DescribeFailure(const FetchResult& result);

}  // namespace crawler

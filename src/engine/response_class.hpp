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
  bool patient = false;       ///< Likewise.
  std::optional<Duration> retry_after;

  bool is_page() const { return kind == Frontier::Outcome::Kind::kPage; }
  /// Whether the attempt failed in a way that may pass.
  bool is_failure() const {
    return uses_retry() || no_answer || kind == Frontier::Outcome::Kind::kUnreachable;
  }
  /// Whether the attempt counts against the URL.
  bool uses_retry() const { return kind == Frontier::Outcome::Kind::kRetry; }
};

/// The state of a URL before the request, as far as the meaning of the response depends on it.
struct UrlHistory {
  int failures = 0;                    ///< Attempts that failed so far.
  const StoredPage* stored = nullptr;  ///< The page in the catalogue; null if there is none.
  bool conditional = false;            ///< The request carried the validators of `stored`.
  bool throttled_alone = false;        ///< See Frontier::Lease.
};

/// A 304 confirms the stored page if the request was conditional, and is an error otherwise. A body
/// that breaks off is kept as a truncated page at the last attempt, unless a whole one is stored.
ResponseClass ClassifyResponse(const FetchResult& result, const UrlHistory& history,
                               const RetryPolicy& policy);

/// The failure of `result` for people, e.g. "dns: …". Requires: !result.ok().
std::string DescribeFailure(const FetchResult& result);

}  // namespace crawler

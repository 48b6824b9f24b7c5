#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/fetch_result.hpp"
#include "store/catalogue.hpp"
#include "store/rows.hpp"

namespace crawler {

// Puts URLs that are over back into the state in which a resume fetches them again: their visits of
// the current round stay in the catalogue, but are not final, and their dead letters go. Each
// function returns the number of URLs. Requires: a transaction of the caller, and that the crawl is
// restored afterwards.

/// For a crawl that ignores robots.txt from now on: requeues the URLs that robots.txt refused, and
/// those whose hosts were given up because their robots.txt could not be fetched.
Result<std::uint64_t> RequeueRefused(Catalogue& catalogue);

/// Selects dead letters to requeue: those that meet every condition that is set.
struct RetryFilter {
  /// An origin ("http://a.example:81"), or a host with or without its port. Empty: any.
  std::string host;
  /// VisitRow::failure of the final visit.
  std::optional<FetchFailure> failure;
  /// VisitRow::given_up of the final visit.
  std::optional<GiveUpReason> given_up;
  /// The status code of the final visit. 0: any.
  int status = 0;
};

/// The filter for URLs of `host` (empty: any) that failed in the way `kind`: a status code ("500"),
/// a FetchFailureName() ("dns"), a GiveUpReasonName() ("throttled"), or empty for any.
/// kInvalidArgument if `kind` is none of them.
Result<RetryFilter> MakeRetryFilter(std::string host, const std::string& kind);

/// Requeues dead letters: URLs whose attempts are used up, and URLs whose hosts were given up. They
/// get a fresh number of attempts: `visits.failures` becomes 0, also for the robots.txt of their
/// hosts, so that restoring counts none of them against the URL or its host.
Result<std::uint64_t> RequeueFailed(Catalogue& catalogue, const RetryFilter& filter);

/// If the crawl has no page at all, requeues the seeds that are over, and the URLs that their
/// redirects led to, in the same way as RequeueFailed(). URLs that wait keep their failures.
Result<std::uint64_t> RequeueSeedsWithoutPage(Catalogue& catalogue);

/// A host that was given up, and how many of its URLs were left for that reason.
struct GivenUpHost {
  std::string origin;
  std::uint64_t urls = 0;
  GiveUpReason reason = GiveUpReason::kNone;
  std::string detail;  ///< For people: when, after how many attempts, the last failure.
};

/// The hosts that the last round gave up, those with most URLs first, at most `most`. Reads the
/// dead letters and their visits.
Result<std::vector<GivenUpHost>> ReadGivenUpHosts(Database& db, std::size_t most);

}  // namespace crawler

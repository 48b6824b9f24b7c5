#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

/// Which dead letters to requeue: those that meet every condition that is set.
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

/// Requeues dead letters: URLs whose attempts are used up, and URLs whose hosts were given up. They
/// get a fresh number of attempts: `visits.failures` becomes 0, also for the robots.txt of their
/// hosts, so that restoring counts none of them against the URL or its host.
Result<std::uint64_t> RequeueFailed(Catalogue& catalogue, const RetryFilter& filter);

/// Requeues the seeds, and the URLs that their redirects led to, in the same way as RequeueFailed()
/// if the crawl has no page at all; 0 if it has one. Counts the URLs that were over.
Result<std::uint64_t> RequeueSeedsWithoutPage(Catalogue& catalogue);

}  // namespace crawler

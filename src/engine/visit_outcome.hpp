#pragma once

#include "engine/response_class.hpp"
#include "engine/response_processor.hpp"
#include "frontier/frontier.hpp"
#include "store/rows.hpp"

namespace crawler {

/// The row of a request that was judged.
VisitRow ToVisit(const FetchedUrl& fetched, const ResponseClass& judgement);

/// What the frontier has to know of it, as of now.
Frontier::Outcome ToOutcome(const FetchResult& result, const ResponseClass& judgement);

/// The end of a lease for which nothing was sent.
Frontier::Outcome NothingSent(Frontier::Outcome::Kind kind);

}  // namespace crawler

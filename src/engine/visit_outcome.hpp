#pragma once

#include "engine/response_class.hpp"
#include "engine/response_processor.hpp"
#include "frontier/frontier.hpp"
#include "store/rows.hpp"

namespace crawler {

/// The row of a request that was judged.
VisitRow ToVisit(const FetchedUrl& fetched, const ResponseClass& judgement);

/// The end of the lease as the frontier has to know it.
Frontier::Outcome ToOutcome(const FetchResult& result, const ResponseClass& judgement,
                            TimePoint now);

/// The end of a lease for which nothing was sent.
Frontier::Outcome NothingSent(Frontier::Outcome::Kind kind, TimePoint now);

}  // namespace crawler

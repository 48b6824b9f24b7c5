#pragma once

#include "engine/judgement.hpp"
#include "engine/page_work.hpp"
#include "frontier/frontier.hpp"
#include "store/rows.hpp"

namespace crawler {

/// The row of a request that was judged.
VisitRow ToVisit(const FetchedUrl& fetched, const Judgement& judgement);

/// What the frontier has to know of it, as of now.
Frontier::Outcome ToOutcome(const FetchResult& result, const Judgement& judgement);

/// The end of a lease for which nothing was sent.
Frontier::Outcome NothingSent(Frontier::Outcome::Kind kind);

}  // namespace crawler

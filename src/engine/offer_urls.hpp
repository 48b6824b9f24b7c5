#pragma once

#include <vector>

#include "engine/commit_writer.hpp"
#include "frontier/frontier.hpp"

namespace crawler {

/// Offers `offers`, found on the page `from`, to the frontier, reserves the place of `*batch` in
/// the order of commits, and moves the rows that are to be stored into it.
Frontier::OfferResult OfferUrls(Frontier& frontier, CommitWriter& writer,
                                const std::vector<Frontier::Offer>& offers, UrlId from,
                                CommitBatch* batch);

}  // namespace crawler

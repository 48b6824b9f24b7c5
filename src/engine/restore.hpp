#pragma once

#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "engine/crawl_context.hpp"

namespace crawler {

/// Brings the frontier, the contents and the attempts of `crawl` to where the catalogue `db` says
/// the crawl was: one pass over each table, in the order it was written. Of a crawl that is
/// repeated that is the last round: what earlier ones knew is known, but not wanted, and their
/// links and ends count for nothing but the clocks of the hosts.
/// kCorruption, naming the row, if the catalogue contradicts itself.
/// URLs that had been turned away for a reason that does not hold any more (a larger budget) wait
/// again; their rows are appended to `*requeued`, to be written.
Status RestoreCrawl(Database& db, CrawlContext& crawl, std::vector<RequeueRow>* requeued);

}  // namespace crawler

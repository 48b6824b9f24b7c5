#pragma once

#include "base/status.hpp"
#include "db/database.hpp"
#include "engine/crawl_context.hpp"

namespace crawler {

/// Brings the frontier, the contents and the attempts of `crawl` to where the catalogue `db` says
/// the crawl was: one pass over each table, in the order it was written.
/// kCorruption, naming the row, if the catalogue contradicts itself.
Status RestoreCrawl(Database& db, CrawlContext& crawl);

}  // namespace crawler

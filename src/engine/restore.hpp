#pragma once

#include <functional>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"
#include "engine/crawl_context.hpp"

namespace crawler {

/// Brings the frontier, the contents and the attempts of `crawl` to where the catalogue `db` says
/// the crawl was: one pass over each table, in the order it was written.
/// kCorruption, naming the row, if the catalogue contradicts itself.
Status RestoreCrawl(Database& db, CrawlContext& crawl);

/// Calls `visit` with the target of each link of PageRow::links; false if that is not what `json`
/// is.
bool VisitLinkTargets(std::string_view json, const std::function<void(UrlId)>& visit);

}  // namespace crawler

#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/options.hpp"
#include "db/database.hpp"
#include "model/url_record.hpp"
#include "url/url.hpp"

namespace crawler {

/// The scope decision for `url`, made again: "out of scope: --exclude /out$ is found in it".
Result<std::string> ExplainScope(const CrawlOptions& options, const Url& url);

/// The robots.txt decision for `url`, made again from the stored file: "refused by line 3: …".
Result<std::string> ExplainRobots(Database& db, const CrawlOptions& options, const Url& url);

/// Why a URL was not queued when it was found; empty for kNone.
std::string ExplainSkip(const CrawlOptions& options, SkipReason reason, std::string_view detail);

/// Why a page was cut, by the name of its Truncation; empty if it was not.
std::string ExplainTruncation(std::string_view name);

/// "rank 3 of the search \"solar cells\""; empty if no search has found `url`.
std::string ExplainSearch(const CrawlOptions& options, const Url& url);

}  // namespace crawler

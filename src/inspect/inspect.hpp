#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "crawler/search.hpp"
#include "db/database.hpp"

namespace crawler {

// What can be asked of the folder of a crawl without crawling; see crawler.hpp and search.hpp for
// the answers. None of it but IndexFolder() changes anything. Threads: safe from any thread.

CrawlStatus InspectStatus(const std::string& folder);
UrlExplanation InspectUrl(const std::string& folder, std::string_view url);
CrawlVerification InspectAll(const std::string& folder);
IndexOutcome IndexFolder(const std::string& folder, const IndexSettings& settings,
                         const IndexCallbacks& callbacks);

/// `url` as the crawl in `folder` writes it; kInvalidArgument if it is none.
Result<std::string> NormalFormIn(const std::string& folder, std::string_view url);

/// The catalogue of a crawl, to be read; kNotFound if there is none.
Result<Database> OpenForReading(const std::string& folder);

}  // namespace crawler

#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/options.hpp"
#include "db/database.hpp"
#include "url/url.hpp"

namespace crawler {

/// Opens the catalogue of the crawl in `folder` to read it; kNotFound if there is none.
Result<Database> OpenForReading(const std::string& folder);

/// The options of a crawl; kNotFound if the crawl has not written them yet.
Result<CrawlOptions> ReadOptions(Database& db);

/// Parses and normalises `text` as a crawl with these options does. A path, or a URL without its
/// scheme, is completed by the seed if there is only one host of seeds. kInvalidArgument, saying
/// why, if it names no http or https URL.
Result<Url> ParseUrlFor(const CrawlOptions& options, std::string_view text);

/// `url` as the crawl in `folder` stores it. Errors: those of the functions above.
Result<std::string> NormalFormIn(const std::string& folder, std::string_view url);

}  // namespace crawler

#pragma once

#include <string>

#include "crawler/crawler.hpp"
#include "search/query_engine.hpp"
#include "serve/crawl_series.hpp"
#include "serve/json.hpp"
#include "serve/served_crawl.hpp"

namespace crawler {

// The values of the library as JSON of the service; src/serve/openapi.json describes it. Times are
// milliseconds since 1970, durations milliseconds.

/// Why the crawl is not finished, as a sentence; empty if it is.
std::string WhyNotFinished(const CrawlView& view);

ServeJson StatusJson(const std::string& name, const CrawlView& view);
/// A line of the list of crawls.
ServeJson SummaryJson(const std::string& name, const std::string& folder, const CrawlView& view);
ServeJson HoldupJson(const HostHoldup& holdup);
ServeJson SeriesJson(const CrawlSeries& series);
ServeJson ExplanationJson(const UrlExplanation& explanation);
/// Highlights are in units of UTF-16, as browsers count.
ServeJson SearchJson(const std::string& query, const QueryAnswer& answer, bool why);

/// Where byte `offset` of `text`, which is UTF-8, is in UTF-16.
std::size_t Utf16Offset(std::string_view text, std::size_t offset);

}  // namespace crawler

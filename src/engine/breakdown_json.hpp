#pragma once

#include <string>
#include <string_view>

#include "crawler/crawler.hpp"

namespace crawler {

/// Totals by status code and domain as `crawl_state` stores them (key `breakdown`).
std::string ToJson(const CrawlBreakdown& breakdown);
/// Empty totals if `json` cannot be read: a crawl that has not ended has none.
CrawlBreakdown BreakdownFromJson(std::string_view json);

}  // namespace crawler

#pragma once

#include <crawler/crawler.hpp>
#include <nlohmann/json.hpp>

// The parts of a crawl's numbers that several commands print as JSON.

/// The numbers of the whole crawl, with those of its last run as `this_run`, and the phases.
void AddStatistics(const crawler::CrawlStatistics& statistics, nlohmann::ordered_json* json);
/// `status_codes`, `domains` and `other_domains`.
void AddBreakdown(const crawler::CrawlBreakdown& breakdown, nlohmann::ordered_json* json);

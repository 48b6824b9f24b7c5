#pragma once

#include <crawler/crawler.hpp>
#include <string>

/// How a crawl ended, for people: what happened, what was left and why, where it is, and what to do
/// next. `folder` as it was given on the command line.
std::string EndReport(const crawler::CrawlResult& result, const std::string& folder, bool colours);

/// The same for programs, with all numbers: one JSON object, indented.
std::string EndReportJson(const crawler::CrawlResult& result, const std::string& folder);

/// The changes that a repeated crawl has found, in a sentence; empty if the crawl is not repeated.
std::string Changes(const crawler::CrawlStatistics& statistics);

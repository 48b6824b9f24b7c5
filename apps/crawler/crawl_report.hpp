#pragma once

#include <crawler/report.hpp>
#include <string>

// The report of a crawl in its three forms. `folder` is named in the commands that give more.
// All texts from the web are made safe for the form.

/// For a terminal or a pipe.
std::string ReportText(const crawler::CrawlReport& report, const std::string& folder);
/// One JSON object; docs/data.md describes it.
std::string ReportJson(const crawler::CrawlReport& report);
/// One page that needs no other file.
std::string ReportHtml(const crawler::CrawlReport& report, const std::string& folder);

#pragma once

#include <chrono>
#include <crawler/report.hpp>
#include <string>
#include <string_view>
#include <vector>

// The words of `crawler report`, the same in text and HTML. Texts from the web are not escaped.

/// The report in a few sentences: pages, problems, and the URLs that were left.
std::vector<std::string> SummaryOf(const crawler::CrawlReport& report, const std::string& folder);

/// "404 not found", or the reason without a status.
std::string TroubleOf(const crawler::BrokenUrl& broken);
/// "http://a/ ends at 404", "comes back to itself"
std::string EndOf(const crawler::RedirectChain& chain);
/// "19.0 requests/s, shortest gap 50 ms (asked for: 50 ms)"
std::string PaceOf(const crawler::HostReceipt& host);
/// "200, 2 rules for this crawler", "not asked", "refuse all (503)"
std::string RobotsOf(const crawler::HostReceipt& host);

/// "404 not found"; only the number if the code is not known.
std::string CodeText(int status);
/// "below 10 kB", "10 MB and more"
std::vector<std::string> SizeNames(const std::vector<crawler::SizeCount>& sizes);
/// "50 ms", "1.25 s"
std::string ShortTime(std::chrono::microseconds time);
/// "2026-11-18 04:02:17 UTC"
std::string UtcTime(std::chrono::milliseconds since_1970);
/// "crawler export DIR broken"
std::string ExportCommand(const std::string& folder, std::string_view what);

#pragma once

#include <crawler/crawler.hpp>
#include <string>

/// Shows how the crawl in `folder`, which another process runs, gets on: live lines on a terminal,
/// elsewhere a plain line on stdout every ten seconds and at each phase. Returns the last status,
/// when the crawl is over, its status cannot be read, or the user has pressed Ctrl-C (the status is
/// of a running crawl then).
crawler::CrawlStatus WatchCrawl(const std::string& folder);

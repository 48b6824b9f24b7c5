#pragma once

#include <crawler/crawler.hpp>
#include <string>
#include <vector>

#include "pace.hpp"
#include "terminal_text.hpp"

/// The live lines of a crawl on a terminal of so many columns and rows: one line with numbers, and,
/// if there are rows to spare, one with the URL being fetched or why the crawl waits. No line is
/// as wide as the terminal. When it gets narrow the URL is cut, then bytes, errors if there are
/// none, and the number of known URLs are left out, then everything else but the pages.
std::vector<StyledLine> StatusLines(const crawler::CrawlStatistics& statistics,
                                    const crawler::CrawlActivity& activity, const Pace& pace,
                                    std::size_t columns, std::size_t rows);

/// The first of them for a log, with the name of the phase.
std::string PlainStatus(const crawler::CrawlStatistics& statistics, const Pace& pace);

/// The sentence of the second line; empty if there is nothing to say.
std::string DescribeActivity(const crawler::CrawlActivity& activity);

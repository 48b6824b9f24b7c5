#pragma once

#include <crawler/crawler.hpp>
#include <memory>

#include "option_table.hpp"

/// Headings of the options of a crawl, in the order of --help.
namespace option_groups {
constexpr const char* kWhat = "What to crawl";
constexpr const char* kHowFar = "How far";
constexpr const char* kHowPolitely = "How politely";
constexpr const char* kNetwork = "Network";
constexpr const char* kKeep = "What to keep";
constexpr const char* kOutput = "Output";
}  // namespace option_groups

/// The changes that a command line makes: to the defaults for a new crawl, to the values that the
/// folder keeps for a resumed one.
using OptionChanges = ChangesTo<crawler::CrawlOptions>;

/// Adds the options of a crawl to `command`; parsing fills `*changes`. Options that would
/// contradict what a crawl has done already are left out for `resume`.
void AddCrawlOptions(CLI::App& command, const std::shared_ptr<OptionChanges>& changes, bool resume);

#pragma once

#include <crawler/crawler.hpp>
#include <functional>
#include <memory>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// What a command line asks to be different: from the defaults for a new crawl, from what the
/// folder keeps for a resumed one.
using OptionChanges = std::vector<std::function<void(crawler::CrawlOptions&)>>;

/// Adds the options of a crawl to `command`; parsing fills `*changes`. Options that would
/// contradict what a crawl has done already are left out for `resume`.
void AddCrawlOptions(CLI::App& command, const std::shared_ptr<OptionChanges>& changes, bool resume);

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Adds the options of `crawler crawl` to a command that only looks at them. Returns a function
/// that says why a crawl from these seeds would be refused; empty if it would not. The folder is
/// not looked at.
std::function<std::string(std::vector<std::string> seeds)> AddOptionsOfCrawl(CLI::App& command);

/// Adds `crawler crawl` and `crawler resume`.
void AddCrawlCommands(CLI::App& app, int* exit_code);

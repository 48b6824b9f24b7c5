#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Adds the options of `crawler crawl` to a command that only looks at them.
void AddOptionsOfCrawl(CLI::App& command);

/// Adds `crawler crawl` and `crawler resume`.
void AddCrawlCommands(CLI::App& app, int* exit_code);

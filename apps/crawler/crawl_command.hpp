#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Adds `crawler crawl` and `crawler resume`.
void AddCrawlCommands(CLI::App& app, int* exit_code);

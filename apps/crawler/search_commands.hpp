#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Adds `crawler search`, `crawler similar`, `crawler keywords` and `crawler index`.
void AddSearchCommands(CLI::App& app, int* exit_code);

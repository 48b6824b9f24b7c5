#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Adds `crawler show` and `crawler extract`.
void AddStoredCommands(CLI::App& app, int* exit_code);

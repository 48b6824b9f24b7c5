#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Adds `crawler status`, `crawler explain` and `crawler verify`.
void AddInspectCommands(CLI::App& app, int* exit_code);

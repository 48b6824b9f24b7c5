#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Adds `crawler report`.
void AddReportCommand(CLI::App& app, int* exit_code);

#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own.
class App;
}

/// Adds `crawler fetch URL`; when chosen, it runs and sets `*exit_code`.
/// `app` and `exit_code` must outlive the parsing of the command line.
void AddFetchCommand(CLI::App& app, int* exit_code);

#pragma once

#include <crawler/serve.hpp>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Address and port from "[ADDR:]PORT", the token from the environment. Returns an exit code, and
/// has said why.
int ReadServeOptions(const std::string& address, crawler::ServeOptions* options);

/// Adds `crawler serve`.
void AddServeCommand(CLI::App& app, int* exit_code);

#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Moves the query of `crawler search DIR "-boost vector"` behind a --, where it cannot be taken
/// for options. `arguments` are those of the program, without its name.
void MoveDashedQuery(std::vector<std::string>* arguments);

/// Adds `crawler search`, `crawler similar`, `crawler keywords` and `crawler index`.
void AddSearchCommands(CLI::App& app, int* exit_code);

#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Moves the words of `crawler search DIR vector -boost` behind a --, where they cannot be taken
/// for options. `arguments` are those of the program, without its name.
void SeparateQuery(const CLI::App& app, std::vector<std::string>* arguments);

/// Adds `crawler search`, `crawler similar`, `crawler keywords` and `crawler index`.
void AddSearchCommands(CLI::App& app, int* exit_code);

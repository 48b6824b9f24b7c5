#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

/// If `word`, the first of a command line, is no command of `app` and no option: what to tell the
/// user, with the commands there are and the one that was probably meant. Otherwise empty.
std::string UnknownCommand(const CLI::App& app, std::string_view word);

#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// The manual page crawler(1): every command, option and exit code.
std::string ManPage(const CLI::App& app);

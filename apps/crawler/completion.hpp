#pragma once

#include <CLI/CLI.hpp>

/// Adds `crawler completion`, which prints the completion of commands, options and their values for
/// a shell, made from the options that the commands have.
void AddCompletionCommand(CLI::App& app, int* exit_code);

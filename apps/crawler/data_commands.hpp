#pragma once

#include <crawler/data.hpp>

class Output;
namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

/// Adds `crawler export`, `crawler sql` and `crawler diff`.
void AddDataCommands(CLI::App& app, int* exit_code);

/// Ends a command: tells what went wrong, in reading or in writing, or finishes the output.
int Finish(const crawler::ReadOutcome& outcome, Output& output);

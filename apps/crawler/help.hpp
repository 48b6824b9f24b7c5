#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

using OptionList = std::vector<const CLI::Option*>;

/// The arguments or the options of a command that are shown, without --help.
OptionList VisibleOptions(const CLI::App& app, bool positional);
/// "-q, --quiet", "--delay TIME", "DIR".
std::string OptionNames(const CLI::Option& option);
/// "crawler crawl [URL...] --out DIR [options]".
std::string CommandUsage(const CLI::App& command, const std::string& name);

/// The options of a command: its own, and those of `crawl` that mean the same, if they are many.
struct SplitOptions {
  OptionList own, shared;
};
SplitOptions SplitFromCrawl(const CLI::App& command, const CLI::App& crawl);

/// The layout of --help: one line per option, in groups, with defaults.
std::shared_ptr<CLI::FormatterBase> MakeHelpFormatter();

/// Every command, option and exit code of `app`, in Markdown: docs/reference.md.
std::string ReferenceText(const CLI::App& app);

/// Adds `crawler help`.
void AddHelpCommand(CLI::App& app, int* exit_code);

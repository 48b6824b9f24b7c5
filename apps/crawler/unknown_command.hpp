#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// If `word`, the first of a command line, is no command of `app` and no option: what to tell the
/// user, with the commands there are and the one that was probably meant. Otherwise empty.
std::string UnknownCommand(const CLI::App& app, std::string_view word);

/// The one of `names` that `word` is nearest to; empty if it is near none.
std::string_view NearestWord(const std::vector<std::string>& names, std::string_view word);

/// The arguments of a command line behind `command`, told apart as the parser does.
struct GivenOptions {
  /// In their order, with their values; a flag has none.
  std::vector<std::pair<const CLI::Option*, std::string>> options;
  std::vector<std::string> words;  ///< That belong to no option.
  std::string unknown;             ///< The first option that the command does not have.

  bool Has(const CLI::Option* option) const;
  /// The value of the option `name`; empty if it is not given.
  std::string ValueOf(const std::string& name) const;
};
GivenOptions ReadGivenOptions(const CLI::App& command, const std::vector<std::string>& arguments);

/// If there is an option among `arguments`, those of the command line behind `command`, that the
/// command does not have: what to tell the user, with the option that was probably meant. Otherwise
/// empty.
std::string UnknownOption(const CLI::App& command, const std::vector<std::string>& arguments);

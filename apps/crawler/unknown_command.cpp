#include "unknown_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "option_table.hpp"
#include "report_text.hpp"

namespace {

/// How many letters have to be changed, added or taken away to make `b` of `a`.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // From the letters of `a` so far to each start of b.
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// The options that an argument names: --name, --name=value, -xyz. The last one may be null, which
/// is none of the command.
std::vector<const CLI::Option*> FindOptions(const CLI::App& command, std::string_view argument) {
  if (argument.starts_with("--")) {
    return {command.get_option_no_throw(std::string(argument.substr(0, argument.find('='))))};
  }
  std::vector<const CLI::Option*> options;
  for (const char letter : argument.substr(1)) {
    options.push_back(command.get_option_no_throw(std::string("-") + letter));
    if (options.back() == nullptr || TakesValue(*options.back())) break;
  }
  return options;
}

bool TakesNext(const CLI::Option& option, std::string_view argument) {
  const bool has_value = argument.find('=') != std::string_view::npos;
  return TakesValue(option) && !has_value;
}

bool IsOption(std::string_view argument) { return argument.size() >= 2 && argument[0] == '-'; }

/// The names of the options, without dashes.
std::vector<std::string> LongNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options({})) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string_view NearestWord(const std::vector<std::string>& names, std::string_view word) {
  constexpr std::size_t kLongestWord = 32;  // Nobody's typing error.
  if (word.size() > kLongestWord) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(word.size() / 2, 1) + 1;
  for (const std::string& name : names) {
    const bool begun = word.size() > 1 && name.starts_with(word);
    const std::size_t distance = begun ? 0 : Distance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

bool GivenOptions::Has(const CLI::Option* option) const {
  return std::any_of(options.begin(), options.end(),
                     [option](const auto& given) { return given.first == option; });
}

std::string GivenOptions::ValueOf(const std::string& name) const {
  for (const auto& [option, value] : options) {
    if (option->check_name(name)) return value;
  }
  return {};
}

GivenOptions ReadGivenOptions(const CLI::App& command, const std::vector<std::string>& arguments) {
  GivenOptions given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      given.words.insert(given.words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         arguments.end());
      break;
    }
    if (!IsOption(argument)) {
      given.words.push_back(argument);
      continue;
    }
    for (const CLI::Option* option : FindOptions(command, argument)) {
      if (option == nullptr) {
        if (given.unknown.empty()) given.unknown = argument;
        break;
      }
      const std::size_t equals = argument.find('=');
      std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
      if (TakesNext(*option, argument) && i + 1 < arguments.size()) value = arguments[++i];
      given.options.emplace_back(option, std::move(value));
    }
  }
  return given;
}

std::string UnknownOption(const CLI::App& command, const std::vector<std::string>& arguments) {
  const std::string argument = ReadGivenOptions(command, arguments).unknown;
  if (argument.empty()) return "";
  const std::string name = argument.substr(0, argument.find('='));
  std::string text = fmt::format("unknown option {}", Shortened(name, 60));
  const std::string_view typed = std::string_view(name).substr(name.starts_with("--") ? 2 : 1);
  if (const std::vector<std::string> names = LongNames(command); typed.size() > 1) {
    if (const std::string_view nearest = NearestWord(names, typed); !nearest.empty()) {
      return text + fmt::format(". Did you mean --{}?", nearest);
    }
  }
  const bool is_command = command.get_parent() != nullptr;
  return text + fmt::format("; `crawler help{}` lists the options",
                            is_command ? " " + command.get_name() : "");
}

std::string UnknownCommand(const CLI::App& app, std::string_view word) {
  if (word.starts_with('-')) return "";
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  if (std::find(commands.begin(), commands.end(), word) != commands.end()) return "";

  std::string text = fmt::format("there is no command '{}'", Printable(word));
  if (word.find("://") != std::string_view::npos) {
    text += fmt::format("; to crawl it: crawler crawl {} --out DIR", ShellWord(word));
  } else if (const std::string_view nearest = NearestWord(commands, word); !nearest.empty()) {
    text += fmt::format("; did you mean '{}'?", nearest);
  }
  return text + fmt::format("\nCommands: {}. `crawler --help` says what they do.",
                            fmt::join(commands, ", "));
}

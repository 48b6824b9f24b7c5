#include "unknown_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

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

/// The command that `word` is nearest to, if it is near any.
std::string_view Nearest(const std::vector<std::string>& commands, std::string_view word) {
  constexpr std::size_t kLongestWord = 32;  // Nobody's typing error.
  if (word.size() > kLongestWord) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(word.size() / 2, 1) + 1;
  for (const std::string& command : commands) {
    const bool begun = word.size() > 1 && command.starts_with(word);
    const std::size_t distance = begun ? 0 : Distance(word, command);
    if (distance >= least) continue;
    least = distance;
    nearest = command;
  }
  return nearest;
}

}  // namespace

std::string UnknownCommand(const CLI::App& app, std::string_view word) {
  if (word.starts_with('-')) return "";
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  if (std::find(commands.begin(), commands.end(), word) != commands.end()) return "";

  std::string text = fmt::format("there is no command '{}'", Printable(word));
  if (word.find("://") != std::string_view::npos) {
    text += fmt::format("; to crawl it: crawler crawl {} --out DIR", ShellWord(word));
  } else if (const std::string_view nearest = Nearest(commands, word); !nearest.empty()) {
    text += fmt::format("; did you mean '{}'?", nearest);
  }
  return text + fmt::format("\nCommands: {}. `crawler --help` says what they do.",
                            fmt::join(commands, ", "));
}

#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string_view>
#include <vector>

#include "exit_codes.hpp"
#include "man_page.hpp"
#include "option_table.hpp"
#include "report_text.hpp"
#include "unknown_command.hpp"

namespace {

using Options = OptionList;

constexpr std::size_t kNameColumn = 26;

/// The kind of value ("TIME"), and the range behind it ("from 0 to 365d"), if there are any.
struct ValueKind {
  std::string name, range;
};

ValueKind KindOf(const CLI::Option& option) {
  if (!TakesValue(option)) return {};
  const std::string text = option.get_type_name();  // NAME:RANGE
  const std::size_t colon = text.find(':');
  return {text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)};
}

}  // namespace

std::string OptionNames(const CLI::Option& option) {
  if (option.get_positional()) {
    std::string name = option.get_name(true, false);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name + (option.get_expected_max() > 1 ? "..." : "");
  }
  std::string names = CLI::detail::find_and_replace(option.get_name(false, true), ",", ", ");
  // A flag that switches something off is declared as --no-x{false}.
  names = names.substr(0, names.find('{'));
  const std::string kind = KindOf(option).name;
  return kind.empty() ? names : names + " " + kind;
}

OptionList VisibleOptions(const CLI::App& app, bool positional) {
  return app.get_options([&](const CLI::Option* option) {
    return !option->get_group().empty() && option->get_positional() == positional &&
           option != app.get_help_ptr();
  });
}

std::string CommandUsage(const CLI::App& command, const std::string& name) {
  std::string usage = name;
  for (const CLI::Option* option : VisibleOptions(command, true)) {
    usage +=
        option->get_required() ? " " + OptionNames(*option) : " [" + OptionNames(*option) + "]";
  }
  const OptionList options = VisibleOptions(command, false);
  for (const CLI::Option* option : options) {
    if (option->get_required()) usage += " " + OptionNames(*option);
  }
  if (!command.get_subcommands({}).empty()) usage += " COMMAND";
  return options.empty() ? usage : usage + " [options]";
}

namespace {

std::string Line(const std::string& name, const std::string& text) {
  // A name that is too long for its column still has a blank behind it.
  return fmt::format("  {:<{}} {}\n", name, kNameColumn - 3, text);
}

std::string OptionLine(const CLI::Option& option) {
  std::string text = option.get_description();
  if (option.get_required() && !option.get_positional()) text += " (required)";
  if (!option.get_default_str().empty()) text += " (default " + option.get_default_str() + ")";
  return Line(OptionNames(option), text);
}

// Groups in the order of their first options.
std::vector<std::string> GroupsOf(const Options& options) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : options) {
    const std::string& group = option->get_group();
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode /*mode*/) const override {
    std::string help = app->get_description() + "\n\nUsage: " + CommandUsage(*app, name) + "\n";
    const Options arguments = VisibleOptions(*app, true);
    if (!arguments.empty()) help += "\n";
    for (const CLI::Option* argument : arguments) help += OptionLine(*argument);
    const Options options = VisibleOptions(*app, false);
    for (const std::string& group : GroupsOf(options)) {
      help += "\n" + group + ":\n";
      for (const CLI::Option* option : options) {
        if (option->get_group() == group) help += OptionLine(*option);
      }
    }
    const auto commands = app->get_subcommands({});
    if (!commands.empty()) help += "\nCommands:\n";
    for (const CLI::App* command : commands) {
      help += Line(command->get_name(), command->get_description());
    }
    if (!app->get_footer().empty()) help += "\n" + app->get_footer() + "\n";
    return help;
  }
};

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<' || c == '_') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

void AppendTable(const Options& options, std::string* out) {
  *out += "| option | default | values | meaning |\n|---|---|---|---|\n";
  for (const CLI::Option* option : options) {
    *out += fmt::format("| `{}` | {} | {} | {} |\n", OptionNames(*option),
                        Escaped(option->get_default_str()), Escaped(KindOf(*option).range),
                        Escaped(option->get_description()));
  }
  *out += "\n";
}

// Whether `other` has the option too, and says the same of it.
bool IsShared(const CLI::Option& option, const CLI::App& other) {
  const CLI::Option* const known = other.get_option_no_throw("--" + option.get_single_name());
  return known != nullptr && known->get_description() == option.get_description();
}

}  // namespace

SplitOptions SplitFromCrawl(const CLI::App& command, const CLI::App& crawl) {
  constexpr std::size_t kMany = 20;
  SplitOptions split;
  for (const CLI::Option* option : VisibleOptions(command, false)) {
    const bool shared = &command != &crawl && IsShared(*option, crawl);
    (shared ? split.shared : split.own).push_back(option);
  }
  if (split.shared.size() >= kMany) return split;
  return {VisibleOptions(command, false), {}};
}

namespace {

// Commands with many options of `crawl` name them; the others list theirs.
void AppendOptions(const CLI::App& command, const CLI::App& crawl, std::string* out) {
  const auto [own, shared] = SplitFromCrawl(command, crawl);
  for (const std::string& group : GroupsOf(own)) {
    Options members;
    std::copy_if(own.begin(), own.end(), std::back_inserter(members),
                 [&](const CLI::Option* option) { return option->get_group() == group; });
    if (GroupsOf(own).size() > 1) *out += "### " + group + "\n\n";
    AppendTable(members, out);
  }
  if (shared.empty()) return;
  std::string others;
  for (const CLI::Option* option : VisibleOptions(crawl, false)) {
    if (IsShared(*option, command)) continue;
    others += fmt::format("{}`--{}`", others.empty() ? "" : ", ", option->get_single_name());
  }
  *out +=
      "All options of [`crawler crawl`](#crawler-crawl) but " + others +
      (command.get_name() == "config" ? ".\n\n"
                                      : "; they replace those that the crawl was begun with.\n\n");
}

void AppendCommand(const CLI::App& command, const CLI::App& crawl, std::string* out) {
  const std::string name = "crawler " + command.get_name();
  *out += fmt::format("## {}\n\n{}.\n\n    {}\n\n", name, command.get_description(),
                      CommandUsage(command, name));
  const Options arguments = VisibleOptions(command, true);
  for (const CLI::Option* argument : arguments) {
    *out +=
        fmt::format("- `{}`: {}\n", OptionNames(*argument), Escaped(argument->get_description()));
  }
  if (!arguments.empty()) *out += "\n";
  AppendOptions(command, crawl, out);
  if (!command.get_footer().empty()) *out += "```text\n" + command.get_footer() + "\n```\n\n";
}

struct HelpArguments {
  std::string command;
  bool markdown = false;
  bool man = false;
};

int ShowHelp(const CLI::App& app, const HelpArguments& arguments) {
  const std::string& command = arguments.command;
  if (arguments.markdown || arguments.man) {
    std::fputs((arguments.man ? ManPage(app) : ReferenceText(app)).c_str(), stdout);
    return kExitOk;
  }
  // App::help() would show the command that is running.
  const auto show = [](const CLI::App& shown, const std::string& name) {
    const std::string text =
        shown.get_formatter()->make_help(&shown, name, CLI::AppFormatMode::Normal);
    std::fputs(text.c_str(), stdout);
    return kExitOk;
  };
  if (command.empty()) return show(app, "crawler");
  if (const std::string unknown = UnknownCommand(app, command); !unknown.empty()) {
    std::fprintf(stderr, "crawler: %s\n", unknown.c_str());
    return kExitUsage;
  }
  return show(*app.get_subcommand(command), "crawler " + command);
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> MakeHelpFormatter() {
  return std::make_shared<HelpFormatter>();
}

std::string ReferenceText(const CLI::App& app) {
  std::string text =
      "# Reference\n\n"
      "Every command, option and exit code. Written by `crawler help --markdown`; a test compares "
      "the two.\n\n"
      "- **Sizes** take a unit: `500kB`, `10MB`, `1.5GB` (powers of 1000, also `k`, `M`, `G`, "
      "`T`), "
      "`256MiB`, `1GiB` (powers of 1024). A bare number is in bytes.\n"
      "- **Times** take a unit: `500ms`, `2s`, `5min` or `5m`, `1.5h`, `2d`. A bare number is in "
      "seconds.\n"
      "- **0** is no limit where the values begin with \"0 (no limit)\"; other limits cannot be "
      "0.\n"
      "- Options may be written `--name value` or `--name=value`. `--` ends the options.\n"
      "- `crawler COMMAND --help` and `crawler help COMMAND` show the options of a command, "
      "`crawler --version` the version.\n\n";
  const CLI::App& crawl = *app.get_subcommand("crawl");
  for (const CLI::App* command : app.get_subcommands({})) AppendCommand(*command, crawl, &text);
  text += "## Exit codes\n\n| code | meaning |\n|--:|---|\n";
  for (const auto& [code, meaning] : kExitCodes)
    text += fmt::format("| {} | {} |\n", int{code}, meaning);
  return text;
}

void AddHelpCommand(CLI::App& app, int* exit_code) {
  CLI::App* const help = app.add_subcommand("help", "Show the options of a command");
  auto arguments = std::make_shared<HelpArguments>();
  OptionTable<HelpArguments> add(*help, arguments);
  add.Argument("command", "The command; without it, all commands are listed",
               &HelpArguments::command)
      ->required(false);
  add.Flag("--markdown", "Print docs/reference.md", &HelpArguments::markdown)->group("");
  add.Flag("--man", "Print the manual page crawler(1)", &HelpArguments::man)->group("");
  help->callback([&app, arguments, exit_code] { *exit_code = ShowHelp(app, *arguments); });
}

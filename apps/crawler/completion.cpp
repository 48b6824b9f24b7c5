#include "completion.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "exit_codes.hpp"
#include "help.hpp"
#include "option_table.hpp"

namespace {

enum class ValueSource { kNone, kWords, kFiles, kFolders, kAnything };

// What can be completed behind an option or in place of an argument.
struct ValueHints {
  ValueSource source = ValueSource::kNone;
  std::vector<std::string> words;
};

ValueHints HintsOf(const CLI::Option& option) {
  if (!TakesValue(option)) return {};
  if (std::vector<std::string> words = WordsOf(option); !words.empty()) {
    return {ValueSource::kWords, std::move(words)};
  }
  const std::string kind = option.get_type_name();
  if (kind == "DIR" || kind == "FOLDER" || option.get_single_name() == "dir") {
    return {ValueSource::kFolders, {}};
  }
  const bool file = kind == "FILE" || kind == "URL|FILE" || option.get_single_name() == "file";
  return {file ? ValueSource::kFiles : ValueSource::kAnything, {}};
}

std::vector<std::string> DashedNames(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string BashValues(const ValueHints& hints) {
  switch (hints.source) {
    case ValueSource::kWords:
      return fmt::format("compgen -W '{}' -- \"$cur\"", fmt::join(hints.words, " "));
    case ValueSource::kFiles:
      return "compgen -f -- \"$cur\"";
    case ValueSource::kFolders:
      return "compgen -d -- \"$cur\"";
    case ValueSource::kAnything:
    case ValueSource::kNone:
      break;
  }
  return ":";
}

std::string BashScript(const CLI::App& app) {
  std::string names, values, options;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string& name = command->get_name();
    names += (names.empty() ? "" : " ") + name;
    std::string all = "--help";
    for (const CLI::Option* option : VisibleOptions(*command, false)) {
      all += fmt::format(" {}", fmt::join(DashedNames(*option), " "));
      if (!TakesValue(*option)) continue;
      for (const std::string& dashed : DashedNames(*option)) {
        values += fmt::format("    '{} {}') reply=$({}) ;;\n", name, dashed,
                              BashValues(HintsOf(*option)));
      }
    }
    options += fmt::format("        {}) reply=$(compgen -W '{}' -- \"$cur\") ;;\n", name, all);
  }
  return fmt::format(R"(# bash completion of crawler; written by `crawler completion bash`.
_crawler() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} reply=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{}' -- "$cur")
    return
  fi
  case "$command $prev" in
{}    'help '*) reply=$(compgen -W '{}' -- "$cur") ;;
    'completion '*) reply=$(compgen -W 'bash zsh fish' -- "$cur") ;;
    *) case "$cur" in
      -*) case "$command" in
{}        esac ;;
      *) reply=$(compgen -f -- "$cur") ;;
    esac ;;
  esac
  [ -z "$reply" ] || mapfile -t COMPREPLY <<< "$reply"
}}
complete -o filenames -F _crawler crawler
)",
                     names, values, names, options);
}

// For zsh and fish: in single quotes.
std::string ShellQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string ZshEscaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::string ZshValues(const ValueHints& hints) {
  switch (hints.source) {
    case ValueSource::kNone:
      return "";
    case ValueSource::kWords:
      return fmt::format(":value:({})", fmt::join(hints.words, " "));
    case ValueSource::kFiles:
      return ":file:_files";
    case ValueSource::kFolders:
      return ":folder:_files -/";
    case ValueSource::kAnything:
      break;
  }
  return ":value: ";
}

std::string ZshScript(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += "    " +
             ShellQuoted(command->get_name() + ":" + ZshEscaped(command->get_description())) + "\n";
    cases += fmt::format("    {}) _arguments", command->get_name());
    for (const CLI::Option* option : VisibleOptions(*command, false)) {
      for (const std::string& dashed : DashedNames(*option)) {
        const bool repeats = option->get_expected_max() > 1;
        cases += " \\\n      " + ShellQuoted((repeats ? "*" : "") + dashed + "[" +
                                             ZshEscaped(option->get_description()) + "]" +
                                             ZshValues(HintsOf(*option)));
      }
    }
    cases += " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef crawler
# zsh completion of crawler; written by `crawler completion zsh`.
_crawler() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _crawler "$@"; else compdef _crawler crawler; fi
)",
                     names, cases);
}

std::string FishValues(const ValueHints& hints) {
  switch (hints.source) {
    case ValueSource::kNone:
      return "";
    case ValueSource::kWords:
      return " -x -a " + ShellQuoted(fmt::format("{}", fmt::join(hints.words, " ")));
    case ValueSource::kFiles:
      return " -r -F";
    case ValueSource::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case ValueSource::kAnything:
      break;
  }
  return " -x";
}

std::string FishScript(const CLI::App& app) {
  std::string out = "# fish completion of crawler; written by `crawler completion fish`.\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    out += fmt::format("complete -c crawler -n __fish_use_subcommand -f -a {} -d {}\n",
                       command->get_name(), ShellQuoted(command->get_description()));
    for (const CLI::Option* option : VisibleOptions(*command, false)) {
      out += fmt::format("complete -c crawler -n '__fish_seen_subcommand_from {}'",
                         command->get_name());
      for (const std::string& name : option->get_snames()) out += " -s " + name;
      for (const std::string& name : option->get_lnames()) out += " -l " + name;
      out += FishValues(HintsOf(*option)) + " -d " + ShellQuoted(option->get_description()) + "\n";
    }
  }
  return out;
}

struct CompletionArguments {
  std::string shell;
};

constexpr const char* kCompletionFooter =
    R"(`cmake --install` puts the scripts where the shells look for them. For one shell, now:
  source <(crawler completion bash)
  source <(crawler completion zsh)
  crawler completion fish | source)";

}  // namespace

void AddCompletionCommand(CLI::App& app, int* exit_code) {
  CLI::App* const completion =
      app.add_subcommand("completion", "Print the completion for a shell: bash, zsh or fish");
  auto arguments = std::make_shared<CompletionArguments>();
  OptionTable<CompletionArguments>(*completion, arguments)
      .Argument("shell", "bash, zsh or fish", &CompletionArguments::shell)
      ->check(IsOneOf({"bash", "zsh", "fish"}));
  completion->footer(kCompletionFooter);
  completion->callback([&app, arguments, exit_code] {
    const std::string script = arguments->shell == "bash"  ? BashScript(app)
                               : arguments->shell == "zsh" ? ZshScript(app)
                                                           : FishScript(app);
    std::fputs(script.c_str(), stdout);
    *exit_code = kExitOk;
  });
}

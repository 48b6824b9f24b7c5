#include "man_page.hpp"

#include <fmt/format.h>

#include <crawler/crawler.hpp>
#include <string_view>

#include "exit_codes.hpp"
#include "help.hpp"

namespace {

// Text of a line for roff.
std::string Roff(std::string_view text) {
  constexpr std::string_view kEllipsis = "…";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with(kEllipsis)) {
      out += "\\[u2026]";
      i += kEllipsis.size() - 1;
      continue;
    }
    const bool begins = out.empty() || out.back() == '\n';
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string Literal(std::string_view text) {
  return fmt::format(".PP\n.nf\n{}\n.fi\n", Roff(text));
}

void AppendManOption(const CLI::Option& option, std::string* out) {
  *out +=
      fmt::format(".TP\n\\fB{}\\fR\n{}", Roff(OptionNames(option)), Roff(option.get_description()));
  const std::string standard = option.get_default_str();
  if (option.get_required() && !option.get_positional()) *out += " (required)";
  if (!standard.empty()) *out += Roff(" (default " + standard + ")");
  *out += "\n";
}

void AppendManCommand(const CLI::App& command, const CLI::App& crawl, std::string* out) {
  const std::string name = "crawler " + command.get_name();
  *out += fmt::format(".SS {}\n{}.\n", Roff(name), Roff(command.get_description()));
  *out += Literal(CommandUsage(command, name));
  for (const CLI::Option* option : VisibleOptions(command, true)) AppendManOption(*option, out);
  const SplitOptions options = SplitFromCrawl(command, crawl);
  for (const CLI::Option* option : options.own) AppendManOption(*option, out);
  if (!options.shared.empty()) {
    *out += fmt::format(".PP\nAnd {} options of\n.B crawler crawl\nthat mean the same.\n",
                        options.shared.size());
  }
  if (!command.get_footer().empty()) *out += Literal(command.get_footer());
}

}  // namespace

std::string ManPage(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH CRAWLER 1 \"\" \"crawler {}\" \"User Commands\"\n"
      ".SH NAME\ncrawler \\- {}\n.SH SYNOPSIS\n.B crawler\nCOMMAND [options]\n"
      ".SH DESCRIPTION\nCrawls the web into a folder: responses in WARC files, a catalogue in\n"
      "SQLite, and an index for searching.\n.SH COMMANDS\n",
      crawl_version(), Roff(app.get_description()));
  const CLI::App& crawl = *app.get_subcommand("crawl");
  for (const CLI::App* command : app.get_subcommands({})) AppendManCommand(*command, crawl, &out);
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitCodes) {
    out += fmt::format(".TP\n.B {}\n{}\n", int{code}, Roff(meaning));
  }
  return out;
}

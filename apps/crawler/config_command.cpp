#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "config_file.hpp"
#include "crawl_command.hpp"
#include "crawl_options.hpp"
#include "exit_codes.hpp"
#include "option_table.hpp"
#include "report_text.hpp"

namespace {

constexpr const char* kConfigFooter =
    R"(The file is TOML. A key is the name of an option without its dashes: a time or size is a text
with a unit ("2s", "10MB") or a number, a flag is true or false, an option that may be given several
times takes a list. `url` has the URLs to begin with.

    url = ["https://example.org/"]
    out = "example"
    delay = "2s"
    max-pages = 10000
    exclude = ["/private/", "\\?print="]
    contact = "https://example.org/about-our-bot"
    basic-auth-from = "SITE_LOGIN"

`crawler crawl --config FILE` uses it; options on the command line win. No file is read unless it is
named. Secrets are never in the file: it names the environment variables that hold them.

The output is such a file again: defaults are comments, and behind each value is where it comes from.

Exit codes: 0 the configuration can be used; 2 it cannot.)";

struct ConfigArguments {
  std::string file;
  std::vector<std::string> urls;
};

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

// The URL without user and password, which are shown nowhere.
std::string Withheld(const std::string& value) {
  const std::size_t begin = value.find("://");
  if (begin == std::string::npos) return value;
  const std::size_t at = value.substr(0, value.find_first_of("/?#", begin + 3)).rfind('@');
  if (at == std::string::npos || at < begin) return value;
  return value.substr(0, begin + 3) + "[withheld]" + value.substr(at);
}

// As the file would have it.
std::string ValueOf(const CLI::Option& option) {
  if (!TakesValue(option)) return "true";
  const std::vector<std::string>& given = option.results();
  if (option.get_expected_max() <= 1) return Quoted(given.empty() ? "" : Withheld(given.front()));
  std::string list;
  for (const std::string& value : given)
    list += (list.empty() ? "" : ", ") + Quoted(Withheld(value));
  return "[" + list + "]";
}

// "; SITE_LOGIN is set in the environment" for options that name a variable.
std::string SecretState(const CLI::Option& option) {
  std::string state;
  if (!option.get_single_name().ends_with("-from")) return state;
  for (const std::string& name : option.results()) {
    const bool set = std::getenv(name.c_str()) != nullptr;  // NOLINT(concurrency-mt-unsafe)
    state += fmt::format("; the environment has {}{}", set ? "" : "no ", name);
  }
  return state;
}

void PrintOption(const CLI::Option& option, const ConfigOrigins& origins) {
  constexpr int kValueColumn = 42;
  const std::string& name = option.get_single_name();
  if (option.count() == 0) {
    const std::string standard = option.get_default_str();
    const std::string shown = !TakesValue(option) ? "false" : standard.empty() ? "none" : standard;
    fmt::print("{:<{}} # default\n", fmt::format("# {} = {}", name, shown), kValueColumn);
    return;
  }
  const auto line = origins.lines.find(name);
  const std::string origin = line == origins.lines.end()
                                 ? "command line"
                                 : fmt::format("{}:{}", origins.file, line->second);
  fmt::print("{:<{}} # {}\n", Printable(fmt::format("{} = {}", name, ValueOf(option))),
             kValueColumn, Printable(origin + SecretState(option)));
}

void PrintConfig(const CLI::App& command, const ConfigOrigins& origins) {
  std::string group;
  for (const CLI::Option* option : command.get_options({})) {
    const std::string name = option->get_single_name();
    if (option->get_group().empty() || option == command.get_help_ptr() || name == "file") continue;
    if (option->get_group() != group) {
      fmt::print("{}# {}\n", group.empty() ? "" : "\n", option->get_group());
      group = option->get_group();
    }
    PrintOption(*option, origins);
  }
}

}  // namespace

void AddConfigCommand(CLI::App& app, const std::shared_ptr<ConfigOrigins>& origins,
                      int* exit_code) {
  CLI::App* const config =
      app.add_subcommand("config", "Show the options of a crawl and where they come from");
  auto arguments = std::make_shared<ConfigArguments>();
  OptionTable<ConfigArguments> add(*config, arguments);
  add.Argument("file", "The configuration, a TOML file", &ConfigArguments::file)->required(false);
  add.Group(option_groups::kWhat);
  add.Texts("--url", "URL", "Where to begin",
            [](ConfigArguments& to, const auto& given) { to.urls = given; });
  const auto check = AddOptionsOfCrawl(*config);
  config->footer(kConfigFooter);
  config->callback([config, arguments, origins, check, exit_code] {
    PrintConfig(*config, *origins);
    const std::string refusal = check(arguments->urls);
    *exit_code = refusal.empty() ? kExitOk : Fail(refusal, kExitUsage);
  });
}

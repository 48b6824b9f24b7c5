#include "fetch_command.hpp"

#include <CLI/CLI.hpp>
#include <crawler/crawler.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "crawl_options.hpp"
#include "exit_codes.hpp"
#include "network_options.hpp"
#include "report_json.hpp"
#include "report_text.hpp"

namespace {

constexpr const char* kFooter = R"(Examples:
  crawler fetch https://example.org/ --contact https://example.org/about-our-bot
  crawler fetch https://example.org/ --json | jq -r '.links[].url'
  crawler fetch http://127.0.0.1:8080/ --allow-net 127.0.0.0/8 --no-robots

Exit codes: 0 fetched; 1 no usable response, or a status of 400 and above; 2 the command line
makes no sense; 3 robots.txt does not allow it.)";

struct FetchArguments {
  std::string url;
  bool json = false;
  bool no_robots = false;
  bool follow = false;
  crawler::NetworkOptions network;
};

int ExitCodeOf(const crawler::PageReport& report) {
  using Outcome = crawler::PageReport::Outcome;
  switch (report.outcome) {
    case Outcome::kFetched:
      return report.status < 400 ? kExitOk : kExitFailed;
    case Outcome::kRefused:
      return kExitRefused;
    case Outcome::kFailed:
      return kExitFailed;
    case Outcome::kBadUrl:
    case Outcome::kBadOption:
      return kExitUsage;
  }
  return kExitFailed;
}

int RunFetch(const FetchArguments& arguments) {
  crawler::NetworkOptions network = arguments.network;
  network.obey_robots = !arguments.no_robots;
  network.max_redirects = arguments.follow ? 5 : 0;

  const crawler::PageReport report = crawler::FetchPage(arguments.url, network);
  const int exit_code = ExitCodeOf(report);
  for (const std::string& warning : report.warnings) Fail(warning);
  if (arguments.json) {
    std::fputs(ToJson(report).c_str(), stdout);
  } else if (exit_code == kExitUsage) {
    Fail(report.url + ": " + report.message);
  } else {
    std::fputs(ToText(report).c_str(), stdout);
  }
  return exit_code;
}

}  // namespace

void AddFetchCommand(CLI::App& app, int* exit_code) {
  CLI::App* command =
      app.add_subcommand("fetch", "Fetch one URL and show what is in it; robots.txt first");
  auto arguments = std::make_shared<FetchArguments>();
  OptionTable<FetchArguments> add(*command, arguments);
  add.Argument("url", "An http or https URL", &FetchArguments::url);
  add.Flag("--follow", "Follow up to 5 redirects, asking robots.txt for each",
           &FetchArguments::follow);
  add.Flag("--no-robots", "Do not ask robots.txt; for your own servers",
           &FetchArguments::no_robots);
  add.Group(option_groups::kNetwork);
  AddNetworkOptions(
      add, [](FetchArguments & to) -> auto& { return to.network; });
  add.Group(option_groups::kOutput);
  add.Flag("--json", "Print JSON", &FetchArguments::json);
  command->footer(kFooter);
  command->callback([arguments, exit_code] { *exit_code = RunFetch(*arguments); });
}

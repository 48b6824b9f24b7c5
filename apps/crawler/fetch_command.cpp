#include "fetch_command.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <crawler/crawler.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "exit_codes.hpp"
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
  crawler::NetworkOptions network;
  bool json = false;
  bool no_robots = false;
  bool follow = false;
  bool ipv4 = false;
  bool ipv6 = false;
  double timeout = 30;
  double connect_timeout = 10;
};

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

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

int RunFetch(FetchArguments arguments) {
  crawler::NetworkOptions& network = arguments.network;
  network.obey_robots = !arguments.no_robots;
  network.max_redirects = arguments.follow ? 5 : 0;
  network.ip_version = arguments.ipv4 ? 4 : arguments.ipv6 ? 6 : 0;
  network.total_timeout = Milliseconds(arguments.timeout);
  network.connect_timeout = Milliseconds(arguments.connect_timeout);

  const crawler::PageReport report = crawler::FetchPage(arguments.url, network);
  const int exit_code = ExitCodeOf(report);
  for (const std::string& warning : report.warnings) {
    std::fprintf(stderr, "%s\n", Printable(warning).c_str());
  }
  if (arguments.json) {
    std::puts(ToJson(report).c_str());
  } else if (exit_code == kExitUsage) {
    std::fprintf(stderr, "crawler fetch: %s: %s\n", Printable(report.url).c_str(),
                 Printable(report.message).c_str());
  } else {
    std::fputs(ToText(report).c_str(), stdout);
  }
  return exit_code;
}

}  // namespace

void AddFetchCommand(CLI::App& app, int* exit_code) {
  CLI::App* command = app.add_subcommand(
      "fetch", "Fetch one URL politely, robots.txt first, and show what came and what is in it");
  auto arguments = std::make_shared<FetchArguments>();
  crawler::NetworkOptions& network = arguments->network;
  command->add_option("url", arguments->url, "An http or https URL")->required();
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--follow", arguments->follow,
                    "Follow up to 5 redirects, asking robots.txt for each");
  command->add_flag("--no-robots", arguments->no_robots,
                    "Do not ask robots.txt; for one's own servers");
  command->add_option("--user-agent", network.user_agent,
                      "Who we are; its first word is matched with robots.txt");
  command->add_option("--contact", network.contact,
                      "A page or mail address for site owners, sent with the user agent");
  command->add_option("--header", network.headers, "Send this header, e.g. \"Name: value\"")
      ->allow_extra_args(false);
  command->add_option("--basic-auth-from", network.basic_auth_variable,
                      "Environment variable with user:password, sent to this URL's host only");
  command->add_option("--bearer-from", network.bearer_variable,
                      "Environment variable with a token, sent to this URL's host only");
  command->add_flag("--cookies", network.cookies, "Keep the cookies of one redirect for the next");
  command
      ->add_option("--allow-net", network.allow_nets,
                   "Allow this private or special network, e.g. 127.0.0.0/8")
      ->allow_extra_args(false);
  command->add_option("--proxy", network.proxy, "http://host:port or socks5h://host:port");
  CLI::Option* ipv4 = command->add_flag("-4,--ipv4", arguments->ipv4, "Connect over IPv4 only");
  command->add_flag("-6,--ipv6", arguments->ipv6, "Connect over IPv6 only")->excludes(ipv4);
  command->add_option("--local-address", network.local_address, "Address to connect from");
  command->add_option("--ca-file", network.ca_file, "Trust the authorities in this PEM file too");
  command->add_flag("--insecure", network.insecure, "Accept any certificate");
  command->add_option("--connect-timeout", arguments->connect_timeout, "Seconds")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0));
  command->add_option("--timeout", arguments->timeout, "Seconds for the whole transfer")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  command->add_option("--max-bytes", network.max_body, "Largest body, received and unpacked")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 31));
  command->add_flag("--any-type", network.any_type,
                    "Take any media type, not only HTML, XML, feeds and text");
  command->footer(kFooter);
  command->callback([arguments, exit_code] { *exit_code = RunFetch(*arguments); });
}

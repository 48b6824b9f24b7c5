#include "crawl_options.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace {

using crawler::CrawlOptions;
using crawler::CrawlOrder;
using crawler::CrawlScope;
using std::chrono::milliseconds;

constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
constexpr double kLongest = 1e9;  // Seconds.

/// Adds options that, when given, change a CrawlOptions.
class Adder {
 public:
  Adder(CLI::App& command, std::shared_ptr<OptionChanges> changes)
      : command_(command), changes_(std::move(changes)) {}

  template <typename T, typename Apply>
  CLI::Option* Value(const char* name, const char* help, Apply apply) {
    return command_.add_option_function<T>(
        name,
        [changes = changes_, apply](const T& value) {
          changes->push_back([apply, value](CrawlOptions& options) { apply(options, value); });
        },
        help);
  }

  template <typename Apply>
  void Seconds(const char* name, const char* help, Apply apply) {
    Value<double>(name, help, [apply](CrawlOptions& options, double seconds) {
      apply(options, milliseconds(static_cast<std::int64_t>(seconds * 1000)));
    })->check(CLI::Range(0.0, kLongest));
  }

  template <typename Apply>
  void Count(const char* name, const char* help, Apply apply) {
    Value<std::uint64_t>(name, help, apply)->check(CLI::Range(std::uint64_t{0}, kMost));
  }

  template <typename Apply>
  void Small(const char* name, const char* help, int least, int most, Apply apply) {
    Value<int>(name, help, apply)->check(CLI::Range(least, most));
  }

  template <typename Apply>
  void Texts(const char* name, const char* help, Apply apply) {
    Value<std::vector<std::string>>(name, help, apply)->allow_extra_args(false);
  }

  template <typename Apply>
  void Text(const char* name, const char* help, Apply apply) {
    Value<std::string>(name, help, apply);
  }

  template <typename Apply>
  CLI::Option* Flag(const char* name, const char* help, Apply apply) {
    return command_.add_flag_callback(
        name, [changes = changes_, apply] { changes->push_back(apply); }, help);
  }

 private:
  CLI::App& command_;
  const std::shared_ptr<OptionChanges> changes_;
};

void AddScope(Adder& add, CLI::App& command, const std::shared_ptr<OptionChanges>& changes) {
  const std::map<std::string, CrawlScope> scopes = {{"prefix", CrawlScope::kPrefix},
                                                    {"host", CrawlScope::kHost},
                                                    {"domain", CrawlScope::kDomain},
                                                    {"web", CrawlScope::kWeb}};
  command
      .add_option_function<std::string>(
          "--scope",
          [changes, scopes](const std::string& name) {
            const CrawlScope scope = scopes.at(name);
            changes->push_back([scope](CrawlOptions& options) { options.scope = scope; });
          },
          "How far to go: prefix (the seed's folder), host (default), domain, web")
      ->check(CLI::IsMember({"prefix", "host", "domain", "web"}));
  add.Texts("--include", "Take only URLs in which this RE2 expression is found",
            [](CrawlOptions& options, const auto& patterns) { options.include = patterns; });
  add.Texts("--exclude", "Take no URLs in which this RE2 expression is found",
            [](CrawlOptions& options, const auto& patterns) { options.exclude = patterns; });
  command
      .add_option_function<std::string>(
          "--order",
          [changes](const std::string& name) {
            const CrawlOrder order = name == "bfs"         ? CrawlOrder::kBfs
                                     : name == "relevance" ? CrawlOrder::kRelevance
                                                           : CrawlOrder::kPriority;
            changes->push_back([order](CrawlOptions& options) { options.order = order; });
          },
          "priority (default: novelty and importance), bfs (first in, first out) or relevance "
          "(what "
          "promises most about the --topic)")
      ->check(CLI::IsMember({"priority", "bfs", "relevance"}));
  add.Flag("--no-sitemaps", "Do not ask for sitemaps",
           [](CrawlOptions& options) { options.sitemaps = false; });
}

void AddNormalForm(Adder& add) {
  add.Flag("--drop-tracking", "URLs without utm_*, gclid, fbclid, …",
           [](CrawlOptions& options) { options.drop_tracking = true; });
  add.Flag("--drop-session-ids", "URLs without PHPSESSID, ;jsessionid=, …",
           [](CrawlOptions& options) { options.drop_session_ids = true; });
  add.Flag("--sort-query", "URLs with their parameters sorted",
           [](CrawlOptions& options) { options.sort_query = true; });
}

void AddPoliteness(Adder& add) {
  add.Seconds("--delay", "Seconds between requests to a host; default 1",
              [](CrawlOptions& options, milliseconds delay) { options.delay = delay; });
  add.Small("--per-host", "Requests to a host at a time; default 1", 1, 10'000,
            [](CrawlOptions& options, int value) { options.per_host = value; });
  add.Small("--per-domain", "A registrable domain is asked like this many hosts; default 4", 1,
            1'000'000, [](CrawlOptions& options, int value) { options.hosts_per_domain = value; });
  add.Small("--per-address", "An IP address is asked like this many hosts; default 16", 1,
            1'000'000, [](CrawlOptions& options, int value) { options.hosts_per_address = value; });
  add.Seconds("--max-crawl-delay", "The longest Crawl-delay that is honoured; default 30",
              [](CrawlOptions& options, milliseconds delay) { options.max_crawl_delay = delay; });
  add.Small("--connections", "Requests at a time, to all hosts; default 256", 1, 100'000,
            [](CrawlOptions& options, int value) { options.connections = value; });
  add.Small("--retries", "Attempts after a failed one, if the host answers; default 3", 0, 15,
            [](CrawlOptions& options, int value) { options.retries = value; });
  add.Seconds("--retry-delay", "Before the first retry of a URL; doubles each time; default 1",
              [](CrawlOptions& options, milliseconds delay) { options.retry_delay = delay; });
  add.Small("--host-failures",
            "Failures to reach a host, in a row, before it is given up; 0: never; default 8", 0,
            1'000, [](CrawlOptions& options, int value) { options.host_failures = value; });
  add.Seconds("--max-backoff", "The longest rest of a host that fails or asks to wait; default 300",
              [](CrawlOptions& options, milliseconds delay) { options.max_backoff = delay; });
  add.Flag("--no-robots", "Do not ask robots.txt; for one's own servers",
           [](CrawlOptions& options) { options.network.obey_robots = false; });
}

void AddBudgets(Adder& add) {
  add.Count("--max-pages", "Stop after this many pages; 0, here and below: no limit",
            [](CrawlOptions& options, std::uint64_t value) { options.max_pages = value; });
  add.Small("--max-depth", "Go at most this many links from a seed; 0: only the seeds", 0,
            1'000'000, [](CrawlOptions& options, int value) { options.max_depth = value; });
  add.Count("--max-per-domain", "Pages of one registrable domain; default 50 with --scope web",
            [](CrawlOptions& options, std::uint64_t value) {
              options.max_per_domain = static_cast<std::int64_t>(value);
            });
  add.Count("--max-bytes", "Stop before the pages exceed this many bytes, as received",
            [](CrawlOptions& options, std::uint64_t value) { options.max_bytes = value; });
  add.Seconds("--max-time", "Stop after this many seconds",
              [](CrawlOptions& options, milliseconds value) { options.max_time = value; });
  add.Count("--max-frontier", "Let at most this many URLs wait; more are turned away",
            [](CrawlOptions& options, std::uint64_t value) { options.max_frontier = value; });
}

void AddNetwork(Adder& add) {
  add.Text("--user-agent", "Who we are; its first word is matched with robots.txt",
           [](CrawlOptions& options, const auto& value) { options.network.user_agent = value; });
  add.Text("--contact", "A page or mail address for site owners, sent with the user agent",
           [](CrawlOptions& options, const auto& value) { options.network.contact = value; });
  add.Texts("--header", "Send this header, e.g. \"Name: value\"",
            [](CrawlOptions& options, const auto& value) { options.network.headers = value; });
  add.Text("--basic-auth-from", "Environment variable with user:password for the seeds' hosts",
           [](CrawlOptions& options, const auto& value) {
             options.network.basic_auth_variable = value;
           });
  add.Text(
      "--bearer-from", "Environment variable with a token for the seeds' hosts",
      [](CrawlOptions& options, const auto& value) { options.network.bearer_variable = value; });
  add.Flag("--cookies", "Keep cookies for the time of the crawl and send them back",
           [](CrawlOptions& options) { options.network.cookies = true; });
  add.Texts("--allow-net", "Allow this private or special network, e.g. 127.0.0.0/8",
            [](CrawlOptions& options, const auto& value) { options.network.allow_nets = value; });
  add.Text("--proxy", "http://host:port or socks5h://host:port",
           [](CrawlOptions& options, const auto& value) { options.network.proxy = value; });
  CLI::Option* const ipv4 = add.Flag("-4,--ipv4", "Connect over IPv4 only",
                                     [](CrawlOptions& options) { options.network.ip_version = 4; });
  add.Flag("-6,--ipv6", "Connect over IPv6 only",
           [](CrawlOptions& options) { options.network.ip_version = 6; })
      ->excludes(ipv4);
  add.Text("--local-address", "Address to connect from",
           [](CrawlOptions& options, const auto& value) { options.network.local_address = value; });
  add.Text("--ca-file", "Trust the authorities in this PEM file too",
           [](CrawlOptions& options, const auto& value) { options.network.ca_file = value; });
  add.Flag("--insecure", "Accept any certificate",
           [](CrawlOptions& options) { options.network.insecure = true; });
  add.Seconds(
      "--timeout", "Seconds for a whole transfer; default 30",
      [](CrawlOptions& options, milliseconds value) { options.network.total_timeout = value; });
  add.Seconds(
      "--connect-timeout", "Seconds for a connection; default 10",
      [](CrawlOptions& options, milliseconds value) { options.network.connect_timeout = value; });
  add.Count("--max-page-bytes", "Largest body, received and unpacked; default 10000000",
            [](CrawlOptions& options, std::uint64_t value) { options.network.max_body = value; });
  add.Flag("--any-type", "Take any media type, not only HTML, XML, feeds and text",
           [](CrawlOptions& options) { options.network.any_type = true; });
}

void AddMachinery(Adder& add) {
  add.Flag("--no-warc", "Keep no responses, only the catalogue",
           [](CrawlOptions& options) { options.warc = false; });
  add.Flag("--no-index", "Keep no text of pages, and make no index to search",
           [](CrawlOptions& options) { options.index = false; });
  add.Text(
      "--topic",
      "What the crawl is about, in words; pages are weighed by it (default: the ?q= of the seeds)",
      [](CrawlOptions& options, const auto& value) { options.topic = value; });
  add.Count("--max-ram", "Bytes of memory for making the index; default 268435456",
            [](CrawlOptions& options, std::uint64_t value) { options.max_ram = value; });
  add.Flag("--durable", "Survive also the machine's crash without losing a commit",
           [](CrawlOptions& options) { options.full_durability = true; });
  add.Small("--fetch-threads", "Default: one a processor, at most 4", 1, 256,
            [](CrawlOptions& options, int value) { options.fetch_threads = value; });
  add.Small("--parse-threads", "Default: 0, fetch threads parse what they fetch", 0, 256,
            [](CrawlOptions& options, int value) { options.parse_threads = value; });
}

}  // namespace

void AddCrawlOptions(CLI::App& command, const std::shared_ptr<OptionChanges>& changes,
                     bool resume) {
  Adder add(command, changes);
  if (!resume) {
    AddScope(add, command, changes);
    AddNormalForm(add);
  }
  AddBudgets(add);
  AddPoliteness(add);
  AddNetwork(add);
  AddMachinery(add);
}

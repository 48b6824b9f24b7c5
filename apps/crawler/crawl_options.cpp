#include "crawl_options.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "network_options.hpp"
#include "quantity.hpp"

namespace {

using crawler::CrawlOptions;
using crawler::CrawlOrder;
using crawler::CrawlScope;
using crawler::HostDelay;
using CrawlTable = OptionTable<CrawlOptions>;

void AddWhat(CrawlTable& add) {
  add.Group(option_groups::kWhat);
  add.Choice<>("--scope", "WHERE", "prefix (folder), host, domain or web",
               std::vector<std::pair<std::string, CrawlScope>>{{"prefix", CrawlScope::kPrefix},
                                                               {"host", CrawlScope::kHost},
                                                               {"domain", CrawlScope::kDomain},
                                                               {"web", CrawlScope::kWeb}},
               &CrawlOptions::scope);
  add.Texts("--include", "REGEX", "Only URLs in which this is found (RE2); repeatable",
            [](CrawlOptions& options, const auto& given) { options.include = given; });
  add.Texts("--exclude", "REGEX", "No URLs in which this is found (RE2); repeatable",
            [](CrawlOptions& options, const auto& given) { options.exclude = given; });
  add.Choice<>(
      "--order", "ORDER", "priority, bfs, dfs or relevance",
      std::vector<std::pair<std::string, CrawlOrder>>{{"priority", CrawlOrder::kPriority},
                                                      {"bfs", CrawlOrder::kBfs},
                                                      {"dfs", CrawlOrder::kDfs},
                                                      {"relevance", CrawlOrder::kRelevance}},
      &CrawlOptions::order);
  add.Flag("--no-sitemaps", "Do not ask for sitemaps", &CrawlOptions::sitemaps, false);
  add.Flag("--drop-tracking", "Drop utm_*, gclid, fbclid, … from URLs",
           &CrawlOptions::drop_tracking, true);
  add.Flag("--drop-session-ids", "Drop PHPSESSID, ;jsessionid=, … from URLs",
           &CrawlOptions::drop_session_ids, true);
  add.Flag("--sort-query", "Sort the parameters of URLs", &CrawlOptions::sort_query, true);
}

void AddTopic(CrawlTable& add) {
  add.Group(option_groups::kWhat);
  add.Text("--topic", "WORDS", "Words that pages are weighed by", &CrawlOptions::topic,
           "?q= of seeds");
}

void AddHowFar(CrawlTable& add) {
  add.Group(option_groups::kHowFar);
  add.Number("--max-pages", "Stop after this many pages", kCountLimit, &CrawlOptions::max_pages);
  CLI::Option* const depth = add.Number("--max-depth", "Most links from a seed to a page",
                                        CountOf(0, 1'000'000, Quantity::Zero::kNoLimit), "no limit",
                                        [](CrawlOptions& options, std::uint64_t value) {
                                          options.max_depth =
                                              value == 0 ? -1 : static_cast<int>(value);
                                        });
  add.Flag("--seeds-only", "Fetch the seeds and follow no links", &CrawlOptions::max_depth, 0)
      ->excludes(depth);
  add.Number("--max-per-domain", "Pages per domain", kCountLimit, "50 with --scope web",
             [](CrawlOptions& options, std::uint64_t value) {
               options.max_per_domain = static_cast<std::int64_t>(value);
             });
  add.Number("--max-bytes", "Stop before pages exceed this size", kSizeLimit,
             &CrawlOptions::max_bytes);
  add.Number("--max-time", "Stop after this time", kTimeLimit, &CrawlOptions::max_time);
  add.Number("--max-frontier", "URLs that may wait at a time", kCountLimit,
             &CrawlOptions::max_frontier);
  add.Number(
      "--max-sitemaps", "Sitemap files per host", kCountLimit,
      [](CrawlOptions & options) -> auto& { return options.sitemap_limits.max_files; });
  add.Number(
      "--max-sitemap-entries", "Entries of all sitemaps of a host", kCountLimit,
      [](CrawlOptions & options) -> auto& { return options.sitemap_limits.max_entries; });
  add.Number(
      "--max-sitemap-bytes", "Size of all sitemaps of a host", kSizeLimit,
      [](CrawlOptions & options) -> auto& { return options.sitemap_limits.max_bytes; });
}

// A second delay for the same host replaces the first, also one that the crawl was begun with.
void AddHostDelays(CrawlOptions& options, const std::vector<std::string>& given) {
  for (const std::string& rule : given) {
    const std::size_t equals = rule.rfind('=');
    HostDelay delay{rule.substr(0, equals), *ParseTime(rule.substr(equals + 1))};
    std::erase_if(options.host_delays,
                  [&](const HostDelay& known) { return known.host == delay.host; });
    options.host_delays.push_back(std::move(delay));
  }
}

void AddHowPolitely(CrawlTable& add) {
  add.Group(option_groups::kHowPolitely);
  add.Number("--delay", "Time between requests to a host", TimeOf(0, kYear), &CrawlOptions::delay);
  add.Texts("--delay-for", "HOST=TIME", "Delay of a host, *.domain or domain; repeatable",
            AddHostDelays)
      ->check(IsHostDelay());
  add.Number("--max-crawl-delay", "Longest Crawl-delay that is obeyed", kTimeLimit,
             &CrawlOptions::max_crawl_delay);
  add.Number("--per-host", "Requests to a host at a time", CountOf(1, 10'000),
             &CrawlOptions::per_host);
  add.Number("--per-domain", "A domain is asked like this many hosts", CountOf(1, 1'000'000),
             &CrawlOptions::hosts_per_domain);
  add.Number("--per-address", "An address is asked like this many hosts", CountOf(1, 1'000'000),
             &CrawlOptions::hosts_per_address);
  add.Number("--retries", "Attempts after one that failed; 0: none", CountOf(0, 15),
             &CrawlOptions::retries);
  add.Number("--retry-delay", "Before the first retry; doubles each time", TimeOf(0, kYear),
             &CrawlOptions::retry_delay);
  add.Number("--host-failures", "Failures until a host is given up",
             CountOf(0, 1'000, Quantity::Zero::kNoLimit), &CrawlOptions::host_failures);
  add.Number("--first-failures", "The same before any host has answered", CountOf(0, 1'000),
             &CrawlOptions::first_failures);
  add.Number("--max-backoff", "Longest rest of a host that fails", kTimeLimit,
             &CrawlOptions::max_backoff);
  add.Flag(
      "--no-robots", "Do not ask robots.txt; for your own servers",
      [](CrawlOptions & options) -> auto& { return options.network.obey_robots; }, false);
}

void AddNetwork(CrawlTable& add) {
  add.Group(option_groups::kNetwork);
  AddNetworkOptions(
      add, [](CrawlOptions & options) -> auto& { return options.network; });
  add.Number("--connections", "Requests under way, to all hosts", CountOf(1, 100'000),
             &CrawlOptions::connections);
  const auto set_kept = [](CrawlOptions& options, std::uint64_t value) {
    options.keep_connections = static_cast<int>(value);
  };
  add.Number("--keep-connections", "Idle connections to keep", CountOf(1, 100'000), "by open files",
             set_kept);
  const auto set_threads = [](CrawlOptions& options, std::uint64_t value) {
    options.fetch_threads = static_cast<int>(value);
  };
  add.Number("--fetch-threads", "Threads that fetch", CountOf(1, 256), "processors, at most 4",
             set_threads);
  add.Number("--parse-threads", "Threads that parse; 0: those that fetch", CountOf(0, 256),
             &CrawlOptions::parse_threads);
}

void AddKeep(CrawlTable& add) {
  add.Group(option_groups::kKeep);
  add.Flag("--no-warc", "Keep no responses, only the catalogue", &CrawlOptions::warc, false);
  add.Flag("--no-index", "Keep no text of pages, and make no index", &CrawlOptions::index, false);
  add.Number("--max-ram", "Memory, without the table of URLs", SizeOf(1'000'000, kMostSize),
             &CrawlOptions::max_ram);
  add.Flag("--durable", "Lose no commit if the machine crashes; slower",
           &CrawlOptions::full_durability, true);
}

}  // namespace

void AddCrawlOptions(CLI::App& command, const std::shared_ptr<OptionChanges>& changes,
                     bool resume) {
  CrawlTable add(command, changes,
                 resume ? CrawlTable::Defaults::kHidden : CrawlTable::Defaults::kShown);
  if (!resume) AddWhat(add);
  AddTopic(add);
  AddHowFar(add);
  AddHowPolitely(add);
  AddNetwork(add);
  AddKeep(add);
  add.Group(option_groups::kOutput);
}

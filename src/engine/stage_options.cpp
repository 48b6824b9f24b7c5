#include "engine/stage_options.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "index/analyzer.hpp"
#include "url/given_url.hpp"

namespace crawler {
namespace {

/// Discovery ends after this time at the latest.
constexpr std::chrono::seconds kMaxDiscovery{60};

Reach ToReach(CrawlScope scope) {
  switch (scope) {
    case CrawlScope::kPrefix:
      return Reach::kPath;
    case CrawlScope::kHost:
      return Reach::kHost;
    case CrawlScope::kDomain:
      return Reach::kDomain;
    case CrawlScope::kWeb:
      return Reach::kWeb;
  }
  return Reach::kHost;
}

Status AddCredentials(const NetworkOptions& from, const std::string& url, FetchOptions* to) {
  using Maker = Result<Credential> (*)(std::string_view, const std::string&);
  std::vector<std::pair<std::string, Maker>> sources = {
      {from.basic_auth_variable, &Credential::BasicFromEnvironment},
      {from.bearer_variable, &Credential::BearerFromEnvironment}};
  for (const std::string& variable : from.header_variables) {
    sources.emplace_back(variable, &Credential::HeaderFromEnvironment);
  }
  for (const auto& [variable, make] : sources) {
    if (variable.empty()) continue;
    Result<Credential> credential = make(url, variable);
    if (!credential.ok()) return credential.status();
    to->credentials.push_back(std::move(credential).value());
  }
  return Status::Ok();
}

}  // namespace

Status CheckOptions(const CrawlOptions& options) {
  const auto invalid = [](std::string message) {
    return Status(StatusCode::kInvalidArgument, std::move(message));
  };
  if (options.per_host < 1) return invalid("per_host must be at least 1");
  if (options.connections < 1) return invalid("connections must be at least 1");
  if (options.keep_connections < 0) return invalid("keep_connections must not be negative");
  if (options.hosts_per_domain < 1 || options.hosts_per_address < 1) {
    return invalid("hosts_per_domain and hosts_per_address must be at least 1");
  }
  if (options.order == CrawlOrder::kRelevance && (options.topic.empty() || !options.index)) {
    return invalid("the order by relevance needs a topic, and the index");
  }
  if (options.order == CrawlOrder::kRelevance) {
    std::vector<Token> tokens;
    Analyzer().Analyze(options.topic, "", &tokens);
    if (tokens.empty()) return invalid("the topic has no words that pages are indexed by");
  }
  if (options.delay.count() < 0) return invalid("delay must not be negative");
  HostDelays host_delays;
  for (const HostDelay& rule : options.host_delays) {
    if (rule.delay.count() < 0) return invalid("delays of hosts must not be negative");
    if (Status status = host_delays.Add(rule.host, rule.delay); !status.ok()) return status;
  }
  if (options.retries < 0 || options.retries > RetryPolicy::kMostRetries) {
    return invalid("retries must be between 0 and " + std::to_string(RetryPolicy::kMostRetries));
  }
  if (options.retry_delay.count() < 0 || options.max_backoff.count() < 0 ||
      options.host_failures < 0 || options.first_failures < 0) {
    return invalid(
        "retry_delay, max_backoff, host_failures and first_failures must not be negative");
  }
  if (options.fetch_threads < 0 || options.fetch_threads > 256 || options.parse_threads < 0 ||
      options.parse_threads > 256) {
    return invalid("fetch_threads and parse_threads must be between 0 and 256");
  }
  return Status::Ok();
}

NormalizeOptions ToNormalizeOptions(const CrawlOptions& options) {
  return {options.drop_tracking, options.drop_session_ids, options.sort_query};
}

Result<std::vector<Url>> ParseSeeds(const CrawlOptions& options) {
  std::vector<Url> seeds;
  for (const std::string& text : options.seeds) {
    Result<Url> url = ParseGivenUrl(text);
    if (!url.ok()) return url.status();
    NormalizeUrl(&*url, ToNormalizeOptions(options));
    seeds.push_back(std::move(url).value());
  }
  return seeds;
}

std::set<std::string, std::less<>> SearchedUrls(const CrawlOptions& options) {
  std::set<std::string, std::less<>> urls;
  for (const SearchedSeed& seed : options.searched_seeds) {
    Url url;
    if (ParseUrl(seed.url, nullptr, &url) != UrlKind::kFollowable) continue;
    NormalizeUrl(&url, ToNormalizeOptions(options));
    urls.emplace(url.href());
  }
  return urls;
}

bool RemoveCredentials(std::vector<std::string>* seeds) {
  bool removed = false;
  for (std::string& seed : *seeds) {
    Url url;
    if (ParseUrl(seed, nullptr, &url) != UrlKind::kFollowable || !url.has_credentials()) continue;
    url.RemoveCredentials();
    seed = url.href();
    removed = true;
  }
  return removed;
}

Result<std::unique_ptr<Scope>> MakeScope(const CrawlOptions& options,
                                         const std::vector<Url>& seeds) {
  ScopeOptions scope_options;
  scope_options.reach = ToReach(options.scope);
  scope_options.include = options.include;
  scope_options.exclude = options.exclude;
  Result<std::unique_ptr<Scope>> scope = Scope::Create(std::move(scope_options));
  if (!scope.ok()) return scope;
  for (const Url& url : seeds) (*scope)->AddSeed(url);
  return scope;
}

bool HasCredentials(const NetworkOptions& options) {
  return !options.basic_auth_variable.empty() || !options.bearer_variable.empty() ||
         std::any_of(options.header_variables.begin(), options.header_variables.end(),
                     [](const std::string& variable) { return !variable.empty(); });
}

Result<FetchOptions> ToFetchOptions(const NetworkOptions& from,
                                    const std::vector<std::string>& urls) {
  FetchOptions to;
  to.user_agent = from.user_agent.empty() ? "crawler/" CRAWLER_VERSION : from.user_agent;
  to.contact = from.contact;
  to.extra_headers = from.headers;
  std::erase(to.extra_headers, "");
  to.cookies = from.cookies;
  std::vector<std::string> origins = urls;
  if (!urls.empty()) {  // Otherwise nothing is sent, so no secrets are needed.
    origins.insert(origins.end(), from.credential_origins.begin(), from.credential_origins.end());
  }
  for (const std::string& origin : origins) {
    if (Status status = AddCredentials(from, origin, &to); !status.ok()) return status;
  }
  if (!from.credential_origins.empty() && !HasCredentials(from)) {
    return Status(StatusCode::kInvalidArgument,
                  "credential_origins without credentials: name the environment variable that "
                  "holds them");
  }

  Result<AllowedNets> nets = AllowedNets::Parse(from.allow_nets);
  if (!nets.ok()) return nets.status();
  to.allowed_nets = std::move(nets).value();
  to.proxy = from.proxy;
  to.system_resolver = from.system_resolver;
  to.dns_servers = from.dns_servers;
  if (from.ip_version != 0 && from.ip_version != 4 && from.ip_version != 6) {
    return Status(StatusCode::kInvalidArgument, "ip_version must be 0, 4 or 6");
  }
  to.ip_version = from.ip_version == 4   ? IpVersion::kV4
                  : from.ip_version == 6 ? IpVersion::kV6
                                         : IpVersion::kAny;
  if (!from.local_address.empty() && !IpAddress::FromText(from.local_address)) {
    return Status(StatusCode::kInvalidArgument,
                  "'" + from.local_address + "' is no IP address to connect from");
  }
  to.local_address = from.local_address;
  to.ca_file = from.ca_file;
  to.insecure = from.insecure;
  to.limits.connect = from.connect_timeout;
  to.limits.total = from.total_timeout;
  to.limits.response = std::min(to.limits.response, from.total_timeout);
  const auto window = std::chrono::duration_cast<std::chrono::seconds>(to.limits.speed_window);
  to.limits.min_bytes_per_window =
      static_cast<std::size_t>(std::min<std::uint64_t>(from.min_rate, std::uint64_t{1} << 40) *
                               static_cast<std::uint64_t>(window.count()));
  to.limits.max_body = from.max_body;
  to.limits.max_decoded = from.max_body;
  if (from.any_type) to.wanted_types.clear();
  return to;
}

RetryPolicy ToRetryPolicy(const CrawlOptions& from) {
  RetryPolicy to;
  to.retries = from.retries;
  to.first_delay = from.retry_delay;
  to.host_failures = from.host_failures;
  to.first_failures = from.first_failures;
  to.max_backoff = from.max_backoff;
  return to;
}

FrontierOptions ToFrontierOptions(const CrawlOptions& from, int connections,
                                  std::uint64_t hash_key) {
  constexpr std::uint64_t kPagesPerDomainOfTheWeb = 50;
  FrontierOptions to;
  switch (from.order) {
    case CrawlOrder::kPriority:
      to.order = FrontierOrder::kPriority;
      break;
    case CrawlOrder::kBfs:
      to.order = FrontierOrder::kBfs;
      break;
    case CrawlOrder::kDfs:
      to.order = FrontierOrder::kDfs;
      break;
    case CrawlOrder::kRelevance:
      to.order = FrontierOrder::kWorth;
      break;
  }
  to.delay = from.delay;
  for (const HostDelay& rule : from.host_delays) {
    (void)to.host_delays.Add(rule.host, rule.delay);  // CheckOptions() has refused bad names.
  }
  to.per_host = from.per_host;
  to.hosts_per_domain = from.hosts_per_domain;
  to.hosts_per_address = from.hosts_per_address;
  to.slots = static_cast<std::uint32_t>(connections);
  to.max_crawl_delay = from.max_crawl_delay;
  to.robots_checks = from.network.obey_robots;
  to.max_pages = from.max_pages;
  if (from.max_per_domain >= 0) {
    to.max_per_domain = static_cast<std::uint64_t>(from.max_per_domain);
  } else if (from.scope == CrawlScope::kWeb) {
    to.max_per_domain = kPagesPerDomainOfTheWeb;
  }
  to.max_frontier = from.max_frontier;
  if (from.max_depth >= 0) to.max_depth = static_cast<std::uint32_t>(from.max_depth);
  to.retry = ToRetryPolicy(from);
  to.max_discovery = kMaxDiscovery;
  to.hash_key = hash_key;
  return to;
}

}  // namespace crawler

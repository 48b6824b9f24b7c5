#include "engine/options_json.hpp"

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace crawler {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

// The one list of fields, for both directions.
template <typename Network, typename Visitor>
void VisitNetwork(Network& network, Visitor visit) {
  visit("user_agent", network.user_agent);
  visit("contact", network.contact);
  visit("obey_robots", network.obey_robots);
  visit("headers", network.headers);
  visit("header_variables", network.header_variables);
  visit("basic_auth_variable", network.basic_auth_variable);
  visit("bearer_variable", network.bearer_variable);
  visit("credential_origins", network.credential_origins);
  visit("cookies", network.cookies);
  visit("allow_nets", network.allow_nets);
  visit("proxy", network.proxy);
  visit("system_resolver", network.system_resolver);
  visit("dns_servers", network.dns_servers);
  visit("ip_version", network.ip_version);
  visit("local_address", network.local_address);
  visit("ca_file", network.ca_file);
  visit("insecure", network.insecure);
  visit("connect_timeout_ms", network.connect_timeout);
  visit("total_timeout_ms", network.total_timeout);
  visit("min_rate", network.min_rate);
  visit("max_body", network.max_body);
  visit("any_type", network.any_type);
}

template <typename Options, typename Visitor>
void VisitFields(Options& options, Visitor visit) {
  VisitNetwork(options.network, visit);
  visit("seeds", options.seeds);
  visit("searched_seeds", options.searched_seeds);
  visit("scope", options.scope);
  visit("include", options.include);
  visit("exclude", options.exclude);
  visit("drop_tracking", options.drop_tracking);
  visit("drop_session_ids", options.drop_session_ids);
  visit("sort_query", options.sort_query);
  visit("order", options.order);
  visit("sitemaps", options.sitemaps);
  visit("max_sitemaps", options.sitemap_limits.max_files);
  visit("max_sitemap_entries", options.sitemap_limits.max_entries);
  visit("max_sitemap_bytes", options.sitemap_limits.max_bytes);
  visit("delay_ms", options.delay);
  visit("host_delays", options.host_delays);
  visit("per_host", options.per_host);
  visit("hosts_per_domain", options.hosts_per_domain);
  visit("hosts_per_address", options.hosts_per_address);
  visit("max_crawl_delay_ms", options.max_crawl_delay);
  visit("connections", options.connections);
  visit("keep_connections", options.keep_connections);
  visit("retries", options.retries);
  visit("retry_delay_ms", options.retry_delay);
  visit("host_failures", options.host_failures);
  visit("first_failures", options.first_failures);
  visit("max_backoff_ms", options.max_backoff);
  visit("max_pages", options.max_pages);
  visit("max_depth", options.max_depth);
  visit("max_per_domain", options.max_per_domain);
  visit("max_bytes", options.max_bytes);
  visit("max_time_ms", options.max_time);
  visit("max_frontier", options.max_frontier);
  visit("warc", options.warc);
  visit("full_durability", options.full_durability);
  visit("index", options.index);
  visit("topic", options.topic);
  visit("max_ram", options.max_ram);
  visit("fetch_threads", options.fetch_threads);
  visit("parse_threads", options.parse_threads);
}

struct Writer {
  Json& json;
  template <typename T>
  void operator()(const char* name, const T& value) const {
    json[name] = value;
  }
  void operator()(const char* name, const milliseconds& value) const { json[name] = value.count(); }
  void operator()(const char* name, const std::vector<HostDelay>& rules) const {
    Json& list = json[name] = Json::array();
    for (const HostDelay& rule : rules) {
      list.push_back({{"host", rule.host}, {"delay_ms", rule.delay.count()}});
    }
  }
  void operator()(const char* name, const std::vector<SearchedSeed>& seeds) const {
    if (seeds.empty()) return;
    Json& list = json[name] = Json::array();
    for (const SearchedSeed& seed : seeds) {
      list.push_back({{"url", seed.url}, {"query", seed.query}, {"rank", seed.rank}});
    }
  }
};

/// A number that no option can hold.
struct BadNumber {
  const char* field;
};

// nlohmann's conversions cut numbers off without a word, and are undefined for fractions beyond all
// integers.
template <typename T>
T ReadInteger(const Json& json, const char* field) {
  const bool fits = json.is_number_unsigned()  ? std::in_range<T>(json.get<std::uint64_t>())
                    : json.is_number_integer() ? std::in_range<T>(json.get<std::int64_t>())
                                               : false;
  if (!fits) throw BadNumber{field};
  return json.get<T>();
}

int LastOf(CrawlScope) { return static_cast<int>(CrawlScope::kWeb); }
int LastOf(CrawlOrder) { return static_cast<int>(CrawlOrder::kDfs); }

struct Reader {
  const Json& json;
  template <typename T>
  void operator()(const char* name, T& value) const {
    const auto field = json.find(name);
    if (field == json.end()) return;
    if constexpr (std::is_enum_v<T>) {
      const int number = ReadInteger<int>(*field, name);
      if (number < 0 || number > LastOf(value)) throw BadNumber{name};
      value = static_cast<T>(number);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      value = ReadInteger<T>(*field, name);
    } else {
      field->get_to(value);
    }
  }
  void operator()(const char* name, milliseconds& value) const {
    const auto field = json.find(name);
    if (field != json.end()) value = milliseconds(ReadInteger<std::int64_t>(*field, name));
  }
  void operator()(const char* name, std::vector<HostDelay>& rules) const {
    for (const Json& rule : json.value(name, Json::array())) {
      rules.push_back({rule.at("host").get<std::string>(),
                       milliseconds(ReadInteger<std::int64_t>(rule.at("delay_ms"), name))});
    }
  }
  void operator()(const char* name, std::vector<SearchedSeed>& seeds) const {
    for (const Json& seed : json.value(name, Json::array())) {
      seeds.push_back({seed.at("url").get<std::string>(), seed.at("query").get<std::string>(),
                       ReadInteger<int>(seed.at("rank"), name)});
    }
  }
};

std::string WithoutCredentials(const std::string& proxy) {
  const std::size_t scheme = proxy.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = proxy.rfind('@');
  if (end == std::string::npos || end < begin) return proxy;
  return proxy.substr(0, begin) + proxy.substr(end + 1);
}

}  // namespace

std::string ToJson(const CrawlOptions& options) {
  Json json = Json::object();
  VisitFields(options, Writer{json});
  json["proxy"] = WithoutCredentials(options.network.proxy);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<CrawlOptions> OptionsFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return Status(StatusCode::kCorruption, "the stored options of the crawl cannot be read");
  }
  try {
    CrawlOptions options;
    VisitFields(options, Reader{json});
    return options;
  } catch (const Json::exception& error) {
    return Status(StatusCode::kCorruption,
                  std::string("the stored options of the crawl cannot be read: ") + error.what());
  } catch (const BadNumber& number) {
    return Status(StatusCode::kCorruption,
                  std::string("the stored options of the crawl cannot be read: ") + number.field +
                      " is no number that it can be");
  }
}

}  // namespace crawler

#include "engine/options_json.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

namespace crawler {
namespace {

using Json = nlohmann::json;

// The one list of fields, for both directions.
template <typename Network, typename Visitor>
void VisitNetwork(Network& network, Visitor visit) {
  visit("user_agent", network.user_agent);
  visit("contact", network.contact);
  visit("obey_robots", network.obey_robots);
  visit("headers", network.headers);
  visit("basic_auth_variable", network.basic_auth_variable);
  visit("bearer_variable", network.bearer_variable);
  visit("cookies", network.cookies);
  visit("allow_nets", network.allow_nets);
  visit("proxy", network.proxy);
  visit("ip_version", network.ip_version);
  visit("local_address", network.local_address);
  visit("ca_file", network.ca_file);
  visit("insecure", network.insecure);
  visit("connect_timeout_ms", network.connect_timeout);
  visit("total_timeout_ms", network.total_timeout);
  visit("max_body", network.max_body);
  visit("any_type", network.any_type);
}

template <typename Options, typename Visitor>
void VisitFields(Options& options, Visitor visit) {
  VisitNetwork(options.network, visit);
  visit("seeds", options.seeds);
  visit("scope", options.scope);
  visit("include", options.include);
  visit("exclude", options.exclude);
  visit("drop_tracking", options.drop_tracking);
  visit("drop_session_ids", options.drop_session_ids);
  visit("sort_query", options.sort_query);
  visit("order", options.order);
  visit("sitemaps", options.sitemaps);
  visit("delay_ms", options.delay);
  visit("per_host", options.per_host);
  visit("hosts_per_domain", options.hosts_per_domain);
  visit("hosts_per_address", options.hosts_per_address);
  visit("max_crawl_delay_ms", options.max_crawl_delay);
  visit("connections", options.connections);
  visit("retries", options.retries);
  visit("retry_delay_ms", options.retry_delay);
  visit("host_failures", options.host_failures);
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
  void operator()(const char* name, const std::chrono::milliseconds& value) const {
    json[name] = value.count();
  }
};

struct Reader {
  const Json& json;
  template <typename T>
  void operator()(const char* name, T& value) const {
    if (const auto field = json.find(name); field != json.end()) field->get_to(value);
  }
  void operator()(const char* name, std::chrono::milliseconds& value) const {
    value = std::chrono::milliseconds(json.value(name, value.count()));
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
  }
}

}  // namespace crawler

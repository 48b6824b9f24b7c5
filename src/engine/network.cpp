#include "engine/network.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace crawler {
namespace {

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

}  // namespace crawler

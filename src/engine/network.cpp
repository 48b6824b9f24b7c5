#include "engine/network.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace crawler {
namespace {

Status AddCredentials(const NetworkOptions& from, const std::string& url, FetchOptions* to) {
  using Maker = Result<Credential> (*)(std::string_view, const std::string&);
  const std::pair<const std::string&, Maker> sources[] = {
      {from.basic_auth_variable, &Credential::BasicFromEnvironment},
      {from.bearer_variable, &Credential::BearerFromEnvironment}};
  for (const auto& [variable, make] : sources) {
    if (variable.empty()) continue;
    Result<Credential> credential = make(url, variable);
    if (!credential.ok()) return credential.status();
    to->credentials.push_back(std::move(credential).value());
  }
  return Status::Ok();
}

}  // namespace

Result<FetchOptions> ToFetchOptions(const NetworkOptions& from,
                                    const std::vector<std::string>& urls) {
  FetchOptions to;
  to.user_agent = from.user_agent.empty() ? "crawler/" CRAWLER_VERSION : from.user_agent;
  to.contact = from.contact;
  to.extra_headers = from.headers;
  to.cookies = from.cookies;
  for (const std::string& url : urls) {
    if (Status status = AddCredentials(from, url, &to); !status.ok()) return status;
  }

  Result<AllowedNets> nets = AllowedNets::Parse(from.allow_nets);
  if (!nets.ok()) return nets.status();
  to.allowed_nets = std::move(nets).value();
  to.proxy = from.proxy;
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
  to.limits.max_body = from.max_body;
  to.limits.max_decoded = from.max_body;
  if (from.any_type) to.wanted_types.clear();
  return to;
}

}  // namespace crawler

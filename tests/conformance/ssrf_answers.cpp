#include <string>

#include "conformance/answers.hpp"
#include "url/address.hpp"
#include "url/url.hpp"

namespace crawler {

// What is decided before any connection; a host name is judged again by each of its addresses.
nlohmann::json AnswerSsrf(const nlohmann::json& test_case) {
  const AllowedNets none;
  const std::string kind = test_case.at("kind").get<std::string>();
  if (kind == "ip") {
    const auto address = IpAddress::FromText(test_case.at("ip").get<std::string>());
    return {{"blocked", !address || RefuseAddress(*address, none).has_value()}};
  }
  if (kind != "url") return {{"blocked", nullptr}};
  Url url;
  const bool followable =
      ParseUrl(test_case.at("url").get<std::string>(), nullptr, &url) == UrlKind::kFollowable;
  return {{"blocked", !followable || RefuseHost(url, none).has_value()}};
}

}  // namespace crawler

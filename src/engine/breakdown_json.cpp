#include "engine/breakdown_json.hpp"

#include <nlohmann/json.hpp>

namespace crawler {
namespace {

using Json = nlohmann::json;
using Domain = CrawlBreakdown::Domain;

Json DomainJson(const Domain& domain) {
  return {{"domain", domain.domain},
          {"requests", domain.requests},
          {"pages", domain.pages},
          {"errors", domain.errors},
          {"bytes", domain.bytes}};
}

Domain DomainFromJson(const Json& json) {
  const auto number = [&json](const char* name) { return json.value(name, std::uint64_t{0}); };
  return {json.value("domain", ""), number("requests"), number("pages"), number("errors"),
          number("bytes")};
}

}  // namespace

std::string ToJson(const CrawlBreakdown& breakdown) {
  Json json = {{"codes", Json::array()},
               {"domains", Json::array()},
               {"other_domains", breakdown.other_domains},
               {"others", DomainJson(breakdown.others)}};
  for (const CrawlBreakdown::Code& code : breakdown.codes) {
    json["codes"].push_back(
        {{"status", code.status}, {"responses", code.responses}, {"urls", code.urls}});
  }
  for (const Domain& domain : breakdown.domains) json["domains"].push_back(DomainJson(domain));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

CrawlBreakdown BreakdownFromJson(std::string_view text) {
  CrawlBreakdown breakdown;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return breakdown;
  try {
    for (const Json& code : json.value("codes", Json::array())) {
      breakdown.codes.push_back({code.value("status", 0), code.value("responses", std::uint64_t{0}),
                                 code.value("urls", std::uint64_t{0})});
    }
    for (const Json& domain : json.value("domains", Json::array())) {
      breakdown.domains.push_back(DomainFromJson(domain));
    }
    breakdown.other_domains = json.value("other_domains", std::uint64_t{0});
    breakdown.others = DomainFromJson(json.value("others", Json::object()));
  } catch (const Json::exception&) {
    return {};
  }
  return breakdown;
}

}  // namespace crawler

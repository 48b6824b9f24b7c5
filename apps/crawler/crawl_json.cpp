#include "crawl_json.hpp"

#include <string>

namespace {

using Json = nlohmann::ordered_json;

Json DomainJson(const crawler::CrawlBreakdown::Domain& domain) {
  return {{"requests", domain.requests},
          {"pages", domain.pages},
          {"errors", domain.errors},
          {"bytes", domain.bytes}};
}

}  // namespace

void AddStatistics(const crawler::CrawlStatistics& s, Json* json) {
  for (const auto& [name, value, help] : crawler::kCrawlCounts) (*json)[name] = s.*value;
  Json& run = (*json)["this_run"] = Json::object();
  for (const auto& [name, value] : crawler::kCrawlRunCounts) run[name] = s.this_run.*value;
  Json& phases = (*json)["phases"] = Json::array();
  for (const crawler::CrawlPhase& phase : s.phases) {
    phases.push_back({{"name", phase.name},
                      {"elapsed_ms", phase.elapsed.count()},
                      {"requests", phase.requests},
                      {"pages", phase.pages}});
  }
}

void AddBreakdown(const crawler::CrawlBreakdown& breakdown, Json* json) {
  Json& codes = (*json)["status_codes"] = Json::object();
  for (const crawler::CrawlBreakdown::Code& code : breakdown.codes) {
    codes[std::to_string(code.status)] = {{"responses", code.responses}, {"urls", code.urls}};
  }
  Json& domains = (*json)["domains"] = Json::object();
  for (const crawler::CrawlBreakdown::Domain& domain : breakdown.domains) {
    domains[domain.domain] = DomainJson(domain);
  }
  Json& others = (*json)["other_domains"] = DomainJson(breakdown.others);
  others["domains"] = breakdown.other_domains;
}

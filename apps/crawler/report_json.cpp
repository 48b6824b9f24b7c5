#include "report_json.hpp"

#include <nlohmann/json.hpp>

#include "json_text.hpp"

namespace {

using Json = nlohmann::ordered_json;
using Outcome = crawler::PageReport::Outcome;

const char* OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFetched:
      return "fetched";
    case Outcome::kRefused:
      return "refused by robots.txt";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kBadUrl:
      return "bad url";
    case Outcome::kBadOption:
      return "bad option";
  }
  return "unknown";
}

Json RobotsJson(const crawler::RobotsReport& robots) {
  Json json = {{"asked", robots.asked},      {"url", robots.url},
               {"status", robots.status},    {"message", robots.message},
               {"allowed", robots.allowed},  {"line", robots.line},
               {"rule", robots.rule},        {"crawl_delay_seconds", nullptr},
               {"sitemaps", robots.sitemaps}};
  if (robots.crawl_delay) {
    json["crawl_delay_seconds"] = static_cast<double>(robots.crawl_delay->count()) / 1000;
  }
  return json;
}

Json TimingsJson(const crawler::PageReport::Timings& timings) {
  const auto milliseconds = [](std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1000;
  };
  return {{"resolved_ms", milliseconds(timings.resolved)},
          {"connected_ms", milliseconds(timings.connected)},
          {"secured_ms", milliseconds(timings.secured)},
          {"first_byte_ms", milliseconds(timings.first_byte)},
          {"total_ms", milliseconds(timings.total)}};
}

// A list of [name, value], because names may repeat.
Json PairsJson(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json json = Json::array();
  for (const auto& [name, value] : pairs) json.push_back({name, value});
  return json;
}

Json LinksJson(const std::vector<crawler::LinkReport>& links) {
  Json json = Json::array();
  for (const crawler::LinkReport& link : links) {
    json.push_back({{"url", link.url},
                    {"tag", link.tag},
                    {"attribute", link.attribute},
                    {"text", link.text},
                    {"nofollow", link.nofollow},
                    {"followable", link.followable}});
  }
  return json;
}

}  // namespace

std::string ToJson(const crawler::PageReport& report) {
  const Json json = {{"url", report.url},
                     {"outcome", OutcomeName(report.outcome)},
                     {"failure", report.failure},
                     {"message", report.message},
                     {"hint", report.hint},
                     {"robots", RobotsJson(report.robots)},
                     {"status", report.status},
                     {"protocol", report.protocol},
                     {"address", report.address},
                     {"tls", report.tls},
                     {"redirect", report.redirect},
                     {"redirected_from", report.redirected_from},
                     {"timings", TimingsJson(report.timings)},
                     {"headers", PairsJson(report.headers)},
                     {"bytes_received", report.bytes_received},
                     {"bytes_decoded", report.bytes_decoded},
                     {"truncated", report.truncated},
                     {"document", report.document},
                     {"charset", report.charset},
                     {"title", report.title},
                     {"description", report.description},
                     {"language", report.language},
                     {"canonical", report.canonical},
                     {"noindex", report.noindex},
                     {"nofollow", report.nofollow},
                     {"meta", PairsJson(report.meta)},
                     {"links", LinksJson(report.links)},
                     {"text", report.text}};
  return JsonText(json);
}

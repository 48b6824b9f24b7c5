#include <nlohmann/json.hpp>

#include "crawl_json.hpp"
#include "crawl_report.hpp"
#include "json_text.hpp"
#include "report_words.hpp"

namespace {

using crawler::CrawlReport;
using crawler::HostReceipt;
using Json = nlohmann::ordered_json;

// {"total": …, "rows": […]}
template <typename Row, typename ToRow>
Json ListJson(const crawler::ReportList<Row>& list, ToRow to_row) {
  Json rows = Json::array();
  for (const Row& row : list.rows) rows.push_back(to_row(row));
  return {{"total", list.total}, {"rows", std::move(rows)}};
}

template <typename Row, typename ToRow>
Json ArrayJson(const std::vector<Row>& list, ToRow to_row) {
  Json rows = Json::array();
  for (const Row& row : list) rows.push_back(to_row(row));
  return rows;
}

Json CountJson(const crawler::ReportCount& row) {
  return {{"name", row.name}, {"urls", row.count}};
}

Json BrokenJson(const crawler::BrokenUrl& row) {
  return {{"url", row.url},
          {"status_code", row.status},
          {"fate", row.fate},
          {"reason", row.reason},
          {"links", row.links},
          {"sources", ArrayJson(row.sources, [](const crawler::BrokenUrl::Source& source) {
             return Json{{"url", source.url}, {"via", source.via}, {"text", source.text}};
           })}};
}

Json RedirectJson(const crawler::RedirectChain& row) {
  return {{"url", row.url},
          {"status_code", row.status},
          {"hops", row.hops},
          {"loop", row.loop},
          {"end_url", row.end_url},
          {"end_fate", row.end_fate},
          {"end_status", row.end_status},
          {"chain", row.chain}};
}

Json GroupJson(const crawler::DuplicateGroup& row) {
  return {{"url", row.url}, {"copies", row.copies}, {"others", row.others}};
}

Json RobotsJson(const HostReceipt::Robots& robots) {
  if (!robots.known) return nullptr;
  Json json = {{"status_code", robots.status},
               {"policy", robots.policy},
               {"sha256", robots.sha256},
               {"bytes", robots.bytes},
               {"fetched_at", UtcTime(robots.fetched)},
               {"crawl_delay_ms", nullptr}};
  if (robots.crawl_delay) json["crawl_delay_ms"] = robots.crawl_delay->count();
  json["rules"] = ListJson(robots.rules, [](const HostReceipt::Rule& rule) {
    return Json{{"line", rule.line}, {"text", rule.text}, {"refused", rule.refused}};
  });
  return json;
}

Json HostJson(const HostReceipt& row) {
  return {{"host", row.origin},
          {"requests", row.requests},
          {"pages", row.pages},
          {"bytes", row.bytes},
          {"http_errors", row.http_errors},
          {"server_errors", row.server_errors},
          {"failures", row.failures},
          {"backoffs", row.backoffs},
          {"longest_retry_after_ms", row.longest_retry_after.count()},
          {"refused", row.refused},
          {"given_up", row.given_up},
          {"first_request", UtcTime(row.first)},
          {"last_request", UtcTime(row.last)},
          {"requests_per_second", row.rate()},
          {"shortest_gap_ms", row.shortest_gap ? Json(row.shortest_gap->count()) : Json(nullptr)},
          {"asked_gap_ms", row.asked_gap.count()},
          {"mean_time_ms", static_cast<double>(row.mean_time.count()) / 1000},
          {"longest_time_ms", static_cast<double>(row.longest_time.count()) / 1000},
          {"robots", RobotsJson(row.robots)}};
}

Json ThroughputJson(const crawler::CrawlThroughput& throughput) {
  return {{"slot_ms", throughput.width.count()},
          {"total_ms", throughput.total.count()},
          {"resumed_at_ms", ArrayJson(throughput.resumed_at,
                                      [](std::chrono::milliseconds at) { return at.count(); })},
          {"slots", ArrayJson(throughput.slots, [](const crawler::CrawlThroughput::Slot& slot) {
             return Json{{"requests", slot.requests},
                         {"pages", slot.pages},
                         {"errors", slot.errors},
                         {"bytes", slot.bytes}};
           })}};
}

void AddShape(const CrawlReport& report, Json* json) {
  (*json)["fates"] = ArrayJson(report.fates, CountJson);
  (*json)["skipped"] = ArrayJson(report.skipped, CountJson);
  (*json)["status_codes"] = ArrayJson(report.codes, [](const crawler::StatusCodeCount& row) {
    return Json{{"status_code", row.status}, {"responses", row.responses}, {"urls", row.urls}};
  });
  (*json)["types"] = ListJson(report.types, [](const crawler::ContentTypeCount& row) {
    return Json{{"type", row.type}, {"pages", row.pages}, {"bytes", row.bytes}};
  });
  (*json)["depths"] = ArrayJson(report.depths, [](const crawler::DepthCount& row) {
    return Json{{"depth", row.depth}, {"pages", row.pages}};
  });
  (*json)["sizes"] = ArrayJson(report.sizes, [](const crawler::SizeCount& row) {
    return Json{{"below", row.below == 0 ? Json(nullptr) : Json(row.below)}, {"pages", row.pages}};
  });
  (*json)["throughput"] = ThroughputJson(report.throughput);
}

void AddProblems(const CrawlReport& report, Json* json) {
  (*json)["broken_links"] = report.broken_links;
  (*json)["broken"] = ListJson(report.broken, BrokenJson);
  (*json)["redirect_loops"] = report.redirect_loops;
  (*json)["long_redirects"] = report.long_redirects;
  (*json)["redirects"] = ListJson(report.redirects, RedirectJson);
  (*json)["duplicate_pages"] = report.duplicate_pages;
  (*json)["duplicates"] = ListJson(report.duplicates, GroupJson);
  (*json)["near_duplicate_pages"] = report.near_duplicate_pages;
  (*json)["pages_compared"] = report.pages_compared;
  (*json)["near_duplicates"] = ListJson(report.near_duplicates, GroupJson);
  (*json)["missing_titles"] =
      ListJson(report.missing_titles, [](const std::string& url) { return Json(url); });
  (*json)["shared_titles"] = ListJson(report.shared_titles, [](const crawler::SharedTitle& row) {
    return Json{{"title", row.title}, {"pages", row.pages}, {"urls", row.urls}};
  });
  (*json)["dead_letters"] = ListJson(report.dead_letters, [](const crawler::DeadLetter& row) {
    return Json{{"url", row.url}, {"reason", row.reason}, {"attempts", row.attempts}};
  });
}

}  // namespace

std::string ReportJson(const CrawlReport& report) {
  const crawler::CrawlStatistics& s = report.status.statistics;
  Json json = {{"state", report.status.state},    {"running", report.status.running},
               {"seeds", report.seeds},           {"round", report.rounds},
               {"began", UtcTime(report.began)},  {"ended", UtcTime(report.ended)},
               {"elapsed_ms", s.elapsed.count()}, {"elapsed_all_ms", s.elapsed_all.count()}};
  AddStatistics(s, &json["totals"]);
  AddShape(report, &json);
  AddProblems(report, &json);
  json["slow_hosts"] = ListJson(report.slow_hosts, HostJson);
  json["failing_hosts"] = ListJson(report.failing_hosts, HostJson);
  json["hosts"] = ListJson(report.hosts, HostJson);
  return JsonText(json);
}

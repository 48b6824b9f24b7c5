#include "serve/crawl_json.hpp"

#include <algorithm>
#include <chrono>

#include "base/ascii.hpp"
#include "base/clock.hpp"

namespace crawler {
namespace {

std::string Count(std::uint64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string WhyRunning(const CrawlView& view) {
  const CrawlStatistics& s = view.status.statistics;
  if (s.paused) return "It is paused; " + Count(s.urls_waiting, "URL waits.", "URLs wait.");
  if (s.phase == "indexing") return "The index is being made.";
  if (s.phase == "completion" || s.phase == "over") return "The crawl is being completed.";
  if (s.phase.empty() || s.phase == "starting") return "The crawl begins.";
  if (s.phase == "restoring") return "The stored crawl is being read.";
  if (const std::optional<HostHoldup>& holdup = view.activity.holdup) {
    std::string text = "All hosts have to wait; the last one due is " + holdup->host;
    if (holdup->due_in) {
      const double seconds = std::chrono::duration<double>(*holdup->due_in).count();
      text += " in " + std::to_string(static_cast<long>(std::max(seconds + 0.5, 1.0))) + " s";
    }
    text += " (" + holdup->why;
    if (!holdup->trouble.empty()) text += ", " + holdup->trouble;
    return text + ").";
  }
  return Count(s.urls_waiting, "URL waits", "URLs wait") + ", " +
         Count(s.urls_under_way, "request is under way.", "requests are under way.");
}

ServeJson DomainsJson(const CrawlBreakdown& breakdown) {
  ServeJson domains = ServeJson::array();
  for (const CrawlBreakdown::Domain& domain : breakdown.domains) {
    domains.push_back({{"domain", domain.domain},
                       {"requests", domain.requests},
                       {"pages", domain.pages},
                       {"errors", domain.errors},
                       {"bytes", domain.bytes}});
  }
  return domains;
}

void AddStatistics(const CrawlStatistics& s, ServeJson* json) {
  ServeJson& all = (*json)["statistics"] = ServeJson::object();
  for (const auto& [name, value, help] : kCrawlCounts) all[name] = s.*value;
  ServeJson& run = (*json)["this_run"] = ServeJson::object();
  for (const auto& [name, value] : kCrawlRunCounts) run[name] = s.this_run.*value;
  (*json)["elapsed_ms"] = s.elapsed.count();
  (*json)["elapsed_all_ms"] = s.elapsed_all.count();
  (*json)["eta_ms"] = s.eta ? ServeJson(s.eta->count()) : ServeJson(nullptr);
  (*json)["max_pages"] = s.max_pages;
  (*json)["phase"] = s.phase;
  ServeJson& phases = (*json)["phases"] = ServeJson::array();
  for (const CrawlPhase& phase : s.phases) {
    phases.push_back({{"name", phase.name},
                      {"elapsed_ms", phase.elapsed.count()},
                      {"requests", phase.requests},
                      {"pages", phase.pages}});
  }
}

ServeJson WhyJson(const SearchHit& hit) {
  ServeJson words = ServeJson::array();
  for (const ScorePart& part : hit.parts) {
    const auto count = [&part](Field field) {
      return part.counts[static_cast<std::size_t>(field)];
    };
    words.push_back({{"word", part.word},
                     {"body", count(Field::kBody)},
                     {"headings", count(Field::kHeading)},
                     {"title", count(Field::kTitle)},
                     {"url", count(Field::kUrl)},
                     {"anchors", count(Field::kAnchor)},
                     {"navigation", count(Field::kNavigation)},
                     {"idf", part.idf},
                     {"score", part.score}});
  }
  return {{"text_score", hit.text_score},
          {"static_factor", hit.static_factor},
          {"words", std::move(words)}};
}

ServeJson ResultJson(const QueryAnswer::Result& result, bool why) {
  const SearchHit& hit = result.hit;
  ServeJson highlights = ServeJson::array();
  for (const Snippet::Range& range : result.snippet.highlights) {
    const std::size_t begin = Utf16Offset(result.snippet.text, range.offset);
    const std::size_t end = Utf16Offset(result.snippet.text, range.offset + range.size);
    highlights.push_back({begin, end - begin});
  }
  ServeJson json = {{"url", hit.url},
                    {"title", hit.title},
                    {"snippet", result.snippet.text},
                    {"highlights", std::move(highlights)},
                    {"language", hit.language},
                    {"date", hit.date},
                    {"score", hit.score},
                    {"missing", hit.missing},
                    {"folded", hit.folded}};
  if (why) json["why"] = WhyJson(hit);
  return json;
}

}  // namespace

std::size_t Utf16Offset(std::string_view text, std::size_t offset) {
  std::size_t units = 0;
  for (const char c : text.substr(0, offset)) {
    if (!IsContinuation(c)) units += static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1;
  }
  return units;
}

std::string WhyNotFinished(const CrawlView& view) {
  const CrawlStatus& status = view.status;
  if (!status.error.empty()) return status.error;
  if (status.running) return WhyRunning(view);
  if (status.state == "finished") return "";
  const std::string wait = Count(status.statistics.urls_waiting, "URL waits.", "URLs wait.");
  if (status.state == "stopped") return "It was stopped; " + wait;
  if (status.state == "budget spent") return "A budget is spent; " + wait;
  if (status.state == "not complete") {
    return "Hosts were given up; a retry tries their URLs again.";
  }
  return "The process that crawled ended before the crawl was finished; " + wait;
}

ServeJson HoldupJson(const HostHoldup& holdup) {
  return {{"host", holdup.host},
          {"waiting", holdup.waiting},
          {"under_way", holdup.under_way},
          {"due_in_ms", holdup.due_in ? ServeJson(holdup.due_in->count()) : ServeJson(nullptr)},
          {"why", holdup.why},
          {"interval_ms", holdup.interval.count()},
          {"asked_by", holdup.asked_by},
          {"trouble", holdup.trouble}};
}

ServeJson StatusJson(const std::string& name, const CrawlView& view) {
  constexpr std::size_t kHoldupsShown = 20;
  const CrawlStatus& status = view.status;
  ServeJson json = {{"name", name},
                    {"state", status.state.empty() ? "starting" : status.state},
                    {"controllable", view.controllable},
                    {"retry_asked", view.retry_asked},
                    {"process", status.process},
                    {"as_of", ToMilliseconds(status.as_of)},
                    {"why_not_finished", WhyNotFinished(view)}};
  AddStatistics(status.statistics, &json);
  const std::optional<HostHoldup>& holdup = view.activity.holdup;
  json["activity"] = {{"url", view.activity.url},
                      {"holdup", holdup ? HoldupJson(*holdup) : ServeJson(nullptr)}};
  ServeJson& holdups = json["holdups"] = ServeJson::array();
  const std::size_t shown = std::min(status.holdups.size(), kHoldupsShown);
  for (std::size_t i = 0; i < shown; ++i) holdups.push_back(HoldupJson(status.holdups[i]));
  ServeJson& codes = json["codes"] = ServeJson::array();
  for (const CrawlBreakdown::Code& code : status.breakdown.codes) {
    codes.push_back({{"status", code.status}, {"responses", code.responses}, {"urls", code.urls}});
  }
  json["domains"] = DomainsJson(status.breakdown);
  return json;
}

ServeJson SummaryJson(const std::string& name, const std::string& folder, const CrawlView& view) {
  const CrawlStatus& status = view.status;
  const CrawlStatistics& s = status.statistics;
  const std::int64_t as_of = ToMilliseconds(status.as_of);
  return {{"name", name},
          {"folder", folder},
          {"state", status.state.empty() ? "starting" : status.state},
          {"error", status.error},
          {"controllable", view.controllable},
          {"pages", s.pages},
          {"requests", s.requests},
          {"errors", s.http_errors + s.failures},
          {"urls_waiting", s.urls_waiting},
          {"elapsed_all_ms", s.elapsed_all.count()},
          {"started_at", std::max<std::int64_t>(as_of - s.elapsed.count(), 0)},
          {"as_of", as_of}};
}

ServeJson SeriesJson(const CrawlSeries& series) {
  ServeJson points = ServeJson::array();
  for (const CrawlSeries::Point& point : series.points()) {
    points.push_back({{"t", point.at},
                      {"pages", point.pages},
                      {"requests", point.requests},
                      {"bytes", point.bytes},
                      {"errors", point.errors},
                      {"waiting", point.waiting},
                      {"under_way", point.under_way}});
  }
  return {{"interval_ms", series.interval().count()}, {"points", std::move(points)}};
}

ServeJson ExplanationJson(const UrlExplanation& e) {
  ServeJson json = {{"url", e.url},
                    {"known", e.known},
                    {"fate", e.fate},
                    {"scope", e.scope},
                    {"robots", e.robots},
                    {"via", e.via},
                    {"search", e.search},
                    {"depth", e.depth},
                    {"skipped", e.skipped},
                    {"due", e.due},
                    {"title", e.title},
                    {"truncated", e.truncated},
                    {"noindex", e.noindex},
                    {"canonical", e.canonical},
                    {"duplicate_of", e.duplicate_of},
                    {"dead_letter", e.dead_letter},
                    {"path", ServeJson::array()},
                    {"redirects", e.redirects},
                    {"redirect_loop", e.redirect_loop},
                    {"redirected_from", e.redirected_from},
                    {"attempts", ServeJson::array()},
                    {"links", e.links},
                    {"linked_by", ServeJson::array()}};
  for (const UrlExplanation::Step& step : e.path) {
    json["path"].push_back({{"url", step.url}, {"via", step.via}});
  }
  for (const UrlExplanation::Attempt& attempt : e.attempts) {
    json["attempts"].push_back({{"at", ToMilliseconds(attempt.at)},
                                {"outcome", attempt.outcome},
                                {"status", attempt.status},
                                {"detail", attempt.detail},
                                {"score", attempt.score},
                                {"address", attempt.address},
                                {"total_us", attempt.total.count()},
                                {"final", attempt.final}});
  }
  for (const UrlExplanation::Referrer& referrer : e.linked_by) {
    json["linked_by"].push_back(
        {{"url", referrer.url}, {"nofollow", referrer.nofollow}, {"text", referrer.text}});
  }
  return json;
}

ServeJson SearchJson(const std::string& query, const QueryAnswer& answer, bool why) {
  ServeJson suggestions = ServeJson::array();
  for (const QueryAnswer::Suggestion& suggestion : answer.suggestions) {
    ServeJson words = ServeJson::array();
    for (const SpellingSuggestion& word : suggestion.instead) words.push_back(word.shown);
    suggestions.push_back({{"word", suggestion.word}, {"instead", std::move(words)}});
  }
  ServeJson results = ServeJson::array();
  for (const QueryAnswer::Result& result : answer.results) {
    results.push_back(ResultJson(result, why));
  }
  return {{"query", query},
          {"total", answer.total},
          {"total_is_exact", answer.total_is_exact},
          {"did_you_mean", answer.did_you_mean},
          {"corrected", answer.corrected},
          {"suggestions", std::move(suggestions)},
          {"results", std::move(results)}};
}

}  // namespace crawler

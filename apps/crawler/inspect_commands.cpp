#include "inspect_commands.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <crawler/crawler.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "crawl_json.hpp"
#include "end_report.hpp"
#include "exit_codes.hpp"
#include "json_text.hpp"
#include "numbers.hpp"
#include "option_table.hpp"
#include "report_text.hpp"
#include "status_watch.hpp"

namespace {

using crawler::CrawlStatus;
using crawler::CrawlVerification;
using crawler::UrlExplanation;
using Json = nlohmann::ordered_json;
using std::chrono::duration;

std::string ToText(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto part = std::chrono::duration_cast<std::chrono::milliseconds>(time - whole);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), part.count());
}

std::string DueText(const crawler::HostHoldup& holdup) {
  if (!holdup.due_in) return "when that has ended";
  const double seconds = duration<double>(*holdup.due_in).count();
  return seconds <= 0 ? "now" : fmt::format("in {:.1f} s", seconds);
}

void PrintStatus(const CrawlStatus& status, const std::string& folder) {
  const crawler::CrawlStatistics& s = status.statistics;
  fmt::print("{}{}\n", status.state.empty() ? "starting" : status.state,
             status.running ? fmt::format(" (process {})", status.process) : std::string());
  // Of a crawl that nobody runs nothing is under way, and no host is ready.
  fmt::print("{}, {} known, {} waiting, {}hosts asked: {}{}\n", Counted(s.pages, "page", "pages"),
             Counted(s.urls_known, "URL", "URLs"), Thousands(s.urls_waiting),
             status.running ? fmt::format("{} under way, ", s.urls_under_way) : std::string(),
             Thousands(s.hosts_asked),
             status.running ? fmt::format(" ({} ready, {} waiting)", Thousands(s.hosts_ready),
                                          Thousands(s.hosts_waiting))
                            : std::string());
  if (const std::string changes = Changes(s); !changes.empty()) fmt::print("{}\n", changes);
  fmt::print(
      "{}, {} in {}; {}, {} failed, {} throttled, {} given up, {} refused by "
      "robots.txt\n",
      Counted(s.requests, "request", "requests"), Bytes(static_cast<double>(s.bytes)),
      Time(duration<double>(s.elapsed_all).count()),
      Counted(s.http_errors, "HTTP error", "HTTP errors"), Thousands(s.failures),
      Thousands(s.throttled), Thousands(s.dead_letters), Thousands(s.refused));
  fmt::print("last run: {}, {}, {} in {}\n", Counted(s.this_run.pages, "page", "pages"),
             Counted(s.this_run.requests, "request", "requests"),
             Bytes(static_cast<double>(s.this_run.bytes)),
             Time(duration<double>(s.elapsed).count()));
  fmt::print("as of {}\n", ToText(status.as_of));
  if (!status.running && status.state != "finished") {
    fmt::print("To go on: crawler resume {}\n", ShellWord(folder));
  }
  if (status.holdups.empty() || status.state == "finished") return;
  fmt::print("\nNot finished because of these hosts{}:\n",
             status.running ? " (due last first)" : "");
  for (const crawler::HostHoldup& holdup : status.holdups) {
    fmt::print("  {}  {} waiting", Printable(holdup.host), Thousands(holdup.waiting));
    if (status.running) {
      fmt::print(", {} under way; due {}: {}{}", holdup.under_way, DueText(holdup), holdup.why,
                 holdup.trouble.empty() ? "" : ", " + Printable(holdup.trouble));
    }
    fmt::print("\n");
  }
}

Json ToJson(const CrawlStatus& status) {
  const crawler::CrawlStatistics& s = status.statistics;
  Json json = {{"state", status.state},     {"running", status.running},
               {"process", status.process}, {"as_of", ToText(status.as_of)},
               {"phase", s.phase},          {"elapsed_ms", s.elapsed.count()}};
  json["elapsed_all_ms"] = s.elapsed_all.count();
  AddStatistics(s, &json);
  AddBreakdown(status.breakdown, &json);
  json["holdups"] = Json::array();
  for (const crawler::HostHoldup& holdup : status.holdups) {
    json["holdups"].push_back(
        {{"host", holdup.host},
         {"waiting", holdup.waiting},
         {"under_way", holdup.under_way},
         {"due_in_ms", holdup.due_in ? Json(holdup.due_in->count()) : Json(nullptr)},
         {"why", holdup.why},
         {"trouble", holdup.trouble}});
  }
  return json;
}

void PrintField(const char* name, const std::string& value) {
  if (!value.empty()) fmt::print("{:<13}{}\n", name, Printable(value));
}

constexpr std::size_t kFirstSteps = 3, kLastSteps = 17;  // Of a long path.

void PrintPath(const UrlExplanation& e) {
  if (e.path.empty()) return;
  fmt::print("path\n");
  const std::size_t steps = e.path.size();
  const bool all = steps <= kFirstSteps + kLastSteps;
  for (std::size_t i = 0; i < steps; ++i) {
    if (!all && i == kFirstSteps) {
      i = steps - kLastSteps;
      fmt::print("  … {} more\n", i - kFirstSteps);
    }
    fmt::print("  {:<9} {}\n", e.path[i].via, Printable(e.path[i].url));
  }
  fmt::print("  {:<9} {}\n", e.via, Printable(e.url));
}

void PrintRedirects(const UrlExplanation& e) {
  for (const std::string& target : e.redirects) PrintField("redirects to", target);
  if (e.redirect_loop) PrintField("", "which is a loop: that URL was there before");
}

void PrintReferrers(const UrlExplanation& e) {
  if (!e.redirected_from.empty()) fmt::print("redirected from\n");
  for (const std::string& source : e.redirected_from) fmt::print("  {}\n", Printable(source));
  if (e.links == 0 && !e.redirected_from.empty()) return;
  fmt::print("linked by {}\n", e.links == 0   ? std::string("no page that was stored")
                               : e.links == 1 ? std::string("1 page")
                                              : Thousands(e.links) + " pages");
  for (const UrlExplanation::Referrer& referrer : e.linked_by) {
    fmt::print("  {}{}{}\n", Printable(referrer.url), referrer.nofollow ? " (nofollow)" : "",
               referrer.text.empty() ? std::string() : "  \"" + Printable(referrer.text) + "\"");
  }
}

void PrintExplanation(const UrlExplanation& e) {
  PrintField("url", e.url);
  PrintField("fate", e.fate);
  PrintField("scope", e.scope);
  PrintField("robots.txt", e.robots);
  if (!e.known) {
    fmt::print("The crawl has not come across this URL.\n");
    return;
  }
  PrintField("found by", e.path.empty() ? e.via : e.via + " on " + e.path.back().url);
  PrintField("searched", e.search);
  PrintField("depth", std::to_string(e.depth));
  PrintField("skipped", e.skipped);
  PrintField("due", e.due);
  PrintField("title", e.title);
  PrintField("truncated", e.truncated);
  PrintField("noindex", e.noindex ? "the page asks not to be indexed, so no search finds it" : "");
  PrintField("canonical", e.canonical);
  PrintField("duplicate of", e.duplicate_of);
  PrintField("given up", e.dead_letter);
  PrintRedirects(e);
  if (!e.attempts.empty()) fmt::print("attempts\n");
  for (const UrlExplanation::Attempt& attempt : e.attempts) {
    fmt::print("  {}  {}{}  score {:.2f}{}{}{}\n", ToText(attempt.at), attempt.outcome,
               attempt.status == 0 ? std::string() : fmt::format(" {}", attempt.status),
               attempt.score,
               attempt.total.count() == 0
                   ? std::string()
                   : fmt::format("  {:.1f} ms", static_cast<double>(attempt.total.count()) / 1000),
               attempt.address.empty() ? std::string() : "  from " + attempt.address,
               attempt.detail.empty() ? std::string() : "  " + Printable(attempt.detail));
  }
  PrintPath(e);
  PrintReferrers(e);
}

Json ToJson(const UrlExplanation& e) {
  Json json = {{"url", e.url},
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
               {"path", Json::array()},
               {"redirects", e.redirects},
               {"redirect_loop", e.redirect_loop},
               {"redirected_from", e.redirected_from},
               {"attempts", Json::array()},
               {"links", e.links},
               {"linked_by", Json::array()}};
  for (const UrlExplanation::Step& step : e.path) {
    json["path"].push_back({{"url", step.url}, {"via", step.via}});
  }
  for (const UrlExplanation::Attempt& attempt : e.attempts) {
    json["attempts"].push_back({{"at", ToText(attempt.at)},
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

int RunVerify(const std::string& folder, bool as_json) {
  const CrawlVerification v = crawler::VerifyCrawl(folder);
  if (!v.error.empty()) return Fail(v.error, ExitCodeOfReading(v.outcome));
  if (as_json) {
    std::fputs(JsonText({{"ok", v.ok()},
                         {"problem_count", v.problem_count},
                         {"problems", v.problems},
                         {"urls", v.urls},
                         {"visits", v.visits},
                         {"pages", v.pages},
                         {"links", v.links},
                         {"warc_records", v.records}})
                   .c_str(),
               stdout);
    return v.ok() ? kExitOk : kExitFailed;
  }
  for (const std::string& problem : v.problems) fmt::print("{}\n", Printable(problem));
  if (v.problem_count > v.problems.size()) {
    fmt::print("… and {} more\n", v.problem_count - v.problems.size());
  }
  fmt::print("{}: {}, {}, {}, {}, {}; {}\n", v.ok() ? "ok" : "not ok",
             Counted(v.urls, "URL", "URLs"), Counted(v.visits, "visit", "visits"),
             Counted(v.pages, "page", "pages"), Counted(v.links, "link", "links"),
             Counted(v.records, "WARC record", "WARC records"),
             Counted(v.problem_count, "problem", "problems"));
  return v.ok() ? kExitOk : kExitFailed;
}

struct InspectArguments {
  std::string folder;
  std::string url;
  bool json = false;
  bool watch = false;  // Of `status`.
};

OptionTable<InspectArguments> AddCommon(CLI::App& command,
                                        const std::shared_ptr<InspectArguments>& arguments) {
  OptionTable<InspectArguments> add(command, arguments);
  add.Argument("dir", "The folder of the crawl", &InspectArguments::folder);
  add.Flag("--json", "Print JSON", &InspectArguments::json);
  return add;
}

}  // namespace

void AddInspectCommands(CLI::App& app, int* exit_code) {
  CLI::App* status =
      app.add_subcommand("status", "What a crawl is doing, and why it is not finished");
  auto status_arguments = std::make_shared<InspectArguments>();
  AddCommon(*status, status_arguments)
      .Flag("--watch", "Go on showing it until the crawl ends, or Ctrl-C", &InspectArguments::watch)
      ->excludes(status->get_option("--json"));
  status->footer(
      "Exit codes: 0 there is a crawl; 1 there is none; 4 it cannot be read; 5 it is locked.");
  status->callback([arguments = status_arguments, exit_code] {
    const CrawlStatus report = arguments->watch ? WatchCrawl(arguments->folder)
                                                : crawler::ReadCrawlStatus(arguments->folder);
    if (!report.error.empty()) {
      *exit_code = Fail(report.error, ExitCodeOfReading(report.outcome));
    } else if (arguments->json) {
      std::fputs(JsonText(ToJson(report)).c_str(), stdout);
    } else {
      PrintStatus(report, arguments->folder);
    }
  });

  CLI::App* explain =
      app.add_subcommand("explain", "What a crawl knows of a URL, and its decisions");
  auto explain_arguments = std::make_shared<InspectArguments>();
  AddCommon(*explain, explain_arguments)
      .Argument("url", "The URL; a path if the crawl has one host", &InspectArguments::url);
  explain->footer(
      "Exit codes: 0 the crawl knows the URL; 1 it does not, or there is no crawl; 2 a bad\n"
      "URL; 4 it cannot be read; 5 it is locked.");
  explain->callback([arguments = explain_arguments, exit_code] {
    const UrlExplanation report = crawler::ExplainUrl(arguments->folder, arguments->url);
    if (!report.error.empty()) {
      *exit_code = Fail(report.error, ExitCodeOfReading(report.outcome));
      return;
    }
    if (arguments->json) {
      std::fputs(JsonText(ToJson(report)).c_str(), stdout);
    } else {
      PrintExplanation(report);
    }
    *exit_code = report.known ? kExitOk : kExitFailed;
  });

  CLI::App* verify =
      app.add_subcommand("verify", "Check the folder of a crawl: catalogue, WARC, index");
  auto verify_arguments = std::make_shared<InspectArguments>();
  AddCommon(*verify, verify_arguments);
  verify->footer(
      "Exit codes: 0 everything agrees; 1 something does not, or there is no crawl; 4 it\n"
      "cannot be read; 5 a crawl runs.");
  verify->callback([arguments = verify_arguments, exit_code] {
    *exit_code = RunVerify(arguments->folder, arguments->json);
  });
}

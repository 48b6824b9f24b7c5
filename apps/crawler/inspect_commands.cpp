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

#include "exit_codes.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "report_text.hpp"

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

std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
  fmt::print("{} pages, {} URLs known, {} waiting, {} under way, {} hosts ({} ready, {} waiting)\n",
             Thousands(s.pages), Thousands(s.urls_known), Thousands(s.urls_waiting),
             s.urls_under_way, Thousands(s.hosts_known), Thousands(s.hosts_ready),
             Thousands(s.hosts_waiting));
  if (const std::string changes = Changes(s); !changes.empty()) fmt::print("{}\n", changes);
  fmt::print(
      "this run: {} requests, {} in {}; {} HTTP errors, {} failed, {} throttled, {} dead "
      "letters, {} refused by robots.txt\n",
      Thousands(s.requests), Bytes(static_cast<double>(s.bytes)),
      Time(duration<double>(s.elapsed).count()), Thousands(s.http_errors), Thousands(s.failures),
      Thousands(s.throttled), Thousands(s.dead_letters), Thousands(s.refused));
  fmt::print("as of {}\n", ToText(status.as_of));
  if (!status.running && status.state != "finished") {
    fmt::print("To go on: crawler resume {}\n", ShellWord(folder));
  }
  if (status.holdups.empty() || status.state == "finished") return;
  fmt::print("\nNot finished because of these hosts (due last first):\n");
  for (const crawler::HostHoldup& holdup : status.holdups) {
    fmt::print("  {}  {} waiting, {} under way; due {}: {}\n", Printable(holdup.host),
               Thousands(holdup.waiting), holdup.under_way, DueText(holdup), holdup.why);
  }
}

Json ToJson(const CrawlStatus& status) {
  const crawler::CrawlStatistics& s = status.statistics;
  Json json = {{"state", status.state},     {"running", status.running},
               {"process", status.process}, {"as_of", ToText(status.as_of)},
               {"phase", s.phase},          {"elapsed_ms", s.elapsed.count()}};
  for (const auto& [name, value] : crawler::kCrawlCounts) json[name] = s.*value;
  json["holdups"] = Json::array();
  for (const crawler::HostHoldup& holdup : status.holdups) {
    json["holdups"].push_back(
        {{"host", holdup.host},
         {"waiting", holdup.waiting},
         {"under_way", holdup.under_way},
         {"due_in_ms", holdup.due_in ? Json(holdup.due_in->count()) : Json(nullptr)},
         {"why", holdup.why}});
  }
  return json;
}

void PrintField(const char* name, const std::string& value) {
  if (!value.empty()) fmt::print("{:<13}{}\n", name, Printable(value));
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
  PrintField("found by", e.via);
  PrintField("depth", std::to_string(e.depth));
  PrintField("turned away", e.turned_away);
  PrintField("due", e.due);
  PrintField("title", e.title);
  PrintField("canonical", e.canonical);
  PrintField("duplicate of", e.duplicate_of);
  PrintField("dead letter", e.dead_letter);
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
  fmt::print("linked by {} pages\n", Thousands(e.links));
  for (const UrlExplanation::Referrer& referrer : e.linked_by) {
    fmt::print("  {}{}{}\n", Printable(referrer.url), referrer.nofollow ? " (nofollow)" : "",
               referrer.text.empty() ? std::string() : "  \"" + Printable(referrer.text) + "\"");
  }
}

Json ToJson(const UrlExplanation& e) {
  Json json = {{"url", e.url},
               {"known", e.known},
               {"fate", e.fate},
               {"scope", e.scope},
               {"robots", e.robots},
               {"via", e.via},
               {"depth", e.depth},
               {"turned_away", e.turned_away},
               {"due", e.due},
               {"title", e.title},
               {"canonical", e.canonical},
               {"duplicate_of", e.duplicate_of},
               {"dead_letter", e.dead_letter},
               {"attempts", Json::array()},
               {"links", e.links},
               {"linked_by", Json::array()}};
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
  if (!v.error.empty()) return Fail(v.error);
  if (as_json) {
    std::fputs(Dump({{"ok", v.ok()},
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
  fmt::print("{}: {} URLs, {} visits, {} pages, {} links, {} WARC records; {} problems\n",
             v.ok() ? "ok" : "not ok", Thousands(v.urls), Thousands(v.visits), Thousands(v.pages),
             Thousands(v.links), Thousands(v.records), Thousands(v.problem_count));
  return v.ok() ? kExitOk : kExitFailed;
}

struct InspectArguments {
  std::string folder;
  std::string url;
  bool json = false;
};

std::shared_ptr<InspectArguments> AddCommon(CLI::App& command) {
  auto arguments = std::make_shared<InspectArguments>();
  command.add_option("dir", arguments->folder, "The folder of the crawl")->required();
  command.add_flag("--json", arguments->json, "Print JSON");
  return arguments;
}

}  // namespace

void AddInspectCommands(CLI::App& app, int* exit_code) {
  CLI::App* status = app.add_subcommand(
      "status", "What a crawl is doing, and why it is not finished; also while it runs");
  auto status_arguments = AddCommon(*status);
  status->callback([arguments = status_arguments, exit_code] {
    const CrawlStatus report = crawler::ReadCrawlStatus(arguments->folder);
    if (!report.error.empty()) {
      *exit_code = Fail(report.error);
    } else if (arguments->json) {
      std::fputs(Dump(ToJson(report)).c_str(), stdout);
    } else {
      PrintStatus(report, arguments->folder);
    }
  });

  CLI::App* explain = app.add_subcommand(
      "explain",
      "What a crawl knows of a URL: who linked it, every decision with its rule, every "
      "attempt");
  auto explain_arguments = AddCommon(*explain);
  explain->add_option("url", explain_arguments->url, "The URL")->required();
  explain->footer("Exit codes: 0 the crawl knows the URL; 1 it does not, or there is no crawl.");
  explain->callback([arguments = explain_arguments, exit_code] {
    const UrlExplanation report = crawler::ExplainUrl(arguments->folder, arguments->url);
    if (!report.error.empty()) {
      *exit_code = Fail(report.error);
      return;
    }
    if (arguments->json) {
      std::fputs(Dump(ToJson(report)).c_str(), stdout);
    } else {
      PrintExplanation(report);
    }
    *exit_code = report.known ? kExitOk : kExitFailed;
  });

  CLI::App* verify = app.add_subcommand(
      "verify",
      "Check the folder of a crawl: catalogue against WARC files against frontier, and the index");
  auto verify_arguments = AddCommon(*verify);
  verify->footer("Exit codes: 0 everything agrees; 1 something does not, or cannot be read.");
  verify->callback([arguments = verify_arguments, exit_code] {
    *exit_code = RunVerify(arguments->folder, arguments->json);
  });
}

#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "numbers.hpp"
#include "report_text.hpp"

namespace {

using crawler::CrawlResult;
using crawler::CrawlStatistics;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr milliseconds kTerminalInterval{250};
constexpr milliseconds kLogInterval{10'000};

double Seconds(milliseconds time) { return duration<double>(time).count(); }

std::uint64_t Errors(const CrawlStatistics& s) { return s.failures + s.http_errors; }

std::string_view OutcomeName(CrawlResult::Outcome outcome) {
  switch (outcome) {
    case CrawlResult::Outcome::kFinished:
      return "finished";
    case CrawlResult::Outcome::kIncomplete:
      return "not complete";
    case CrawlResult::Outcome::kBudget:
      return "budget spent";
    case CrawlResult::Outcome::kStopped:
      return "stopped";
    case CrawlResult::Outcome::kBadOption:
      return "bad option";
    case CrawlResult::Outcome::kFolderBusy:
      return "folder busy";
    case CrawlResult::Outcome::kStorage:
      return "storage failed";
  }
  return "unknown";
}

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::Show(const CrawlStatistics& now) {
  if (quiet_) return;
  const milliseconds since = now.elapsed - last_.elapsed;
  if (since < (terminal_ ? kTerminalInterval : kLogInterval)) return;
  // A little smoothed, so that it can be read.
  const double weight = last_.elapsed.count() == 0 ? 1 : 0.4;
  const auto rate = [&](double before, std::uint64_t a, std::uint64_t b) {
    return before + weight * (static_cast<double>(b - a) / Seconds(since) - before);
  };
  pages_per_second_ = rate(pages_per_second_, last_.pages, now.pages);
  bytes_per_second_ = rate(bytes_per_second_, last_.bytes, now.bytes);
  last_ = now;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", Line(now).c_str());
    std::fflush(stderr);
    shown_ = true;
  } else {
    std::fprintf(stderr, "%s\n", Line(now).c_str());
  }
}

std::string Progress::Line(const CrawlStatistics& now) const {
  std::string line = fmt::format(
      "{} pages  {:.0f}/s  {}/s  {} queued  {} under way  hosts {} ready {} waiting  {} errors",
      Thousands(now.pages), pages_per_second_, Bytes(bytes_per_second_),
      Thousands(now.urls_waiting), now.urls_under_way, Thousands(now.hosts_ready),
      Thousands(now.hosts_waiting), Thousands(Errors(now)));
  if (now.eta) line += "  ETA " + Time(Seconds(*now.eta));
  if (now.phase != "expansion") line += "  " + now.phase;
  return line;
}

void Progress::Say(const std::string& sentence) {
  if (quiet_) return;
  Clear();
  std::fprintf(stderr, "crawler: %s\n", sentence.c_str());
}

void Progress::Clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::string Changes(const CrawlStatistics& s) {
  if (s.pages_new + s.pages_changed + s.pages_unchanged + s.pages_gone == 0) return "";
  return fmt::format("{} pages are new, {} changed, {} unchanged, {} gone", Thousands(s.pages_new),
                     Thousands(s.pages_changed), Thousands(s.pages_unchanged),
                     Thousands(s.pages_gone));
}

std::string Totals(const CrawlResult& result, const std::string& folder) {
  const CrawlStatistics& s = result.statistics;
  const double seconds = Seconds(s.elapsed);
  std::string text = std::string(OutcomeName(result.outcome));
  if (!result.message.empty()) text += ": " + Printable(result.message);
  if (s.phase.empty()) return text + "\n";  // It did not begin.
  text += fmt::format("\n{} pages, {} in {} ({:.0f} requests/s)\n", Thousands(s.pages),
                      Bytes(static_cast<double>(s.bytes)), Time(seconds),
                      seconds > 0 ? static_cast<double>(s.requests) / seconds : 0.0);
  if (const std::string changes = Changes(s); !changes.empty()) text += changes + "\n";
  text += fmt::format("{} URLs known on {} hosts, {} still waiting\n", Thousands(s.urls_known),
                      Thousands(s.hosts_known), Thousands(s.urls_waiting));
  text += fmt::format(
      "{} redirects, {} HTTP errors, {} failed requests, {} dead letters, {} refused by "
      "robots.txt, "
      "{} of other types, {} duplicates\n",
      Thousands(s.redirects), Thousands(s.http_errors), Thousands(s.failures),
      Thousands(s.dead_letters), Thousands(s.refused), Thousands(s.unwanted),
      Thousands(s.duplicates));
  if (result.outcome == CrawlResult::Outcome::kStopped ||
      result.outcome == CrawlResult::Outcome::kBudget ||
      result.outcome == CrawlResult::Outcome::kStorage) {
    text += fmt::format("To go on: crawler resume {}\n", ShellWord(folder));
  }
  for (const CrawlResult::GivenUpHost& host : result.given_up) {
    text += fmt::format("{} URLs of {} were not fetched: {}\n", Thousands(host.urls),
                        Printable(host.host), Printable(host.reason));
  }
  if (!result.given_up.empty()) {
    text += fmt::format("To try them again: crawler retry {}\n", ShellWord(folder));
  }
  return text;
}

std::string TotalsJson(const CrawlResult& result, const std::string& folder) {
  const CrawlStatistics& s = result.statistics;
  nlohmann::ordered_json json = {{"outcome", OutcomeName(result.outcome)},
                                 {"message", result.message},
                                 {"folder", folder},
                                 {"seconds", Seconds(s.elapsed)}};
  for (const auto& [name, value] : crawler::kCrawlCounts) json[name] = s.*value;
  nlohmann::ordered_json given_up = nlohmann::ordered_json::array();
  for (const CrawlResult::GivenUpHost& host : result.given_up) {
    given_up.push_back({{"host", host.host}, {"urls", host.urls}, {"reason", host.reason}});
  }
  json["given_up"] = std::move(given_up);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

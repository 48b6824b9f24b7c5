#include "end_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "crawl_json.hpp"
#include "json_text.hpp"
#include "numbers.hpp"
#include "report_text.hpp"
#include "terminal_text.hpp"

namespace {

using crawler::CrawlResult;
using crawler::CrawlStatistics;
using std::chrono::milliseconds;

// "12.3 s", "5:07"
std::string Lasted(milliseconds time) {
  const double seconds = Seconds(time);
  return seconds < 60 ? fmt::format("{:.1f} s", seconds) : Clock(seconds);
}

std::string WithCapital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

class EndWriter {
 public:
  explicit EndWriter(bool colours) : colours_(colours) {}
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_.push_back('\n');
  }
  std::string Bold(std::string_view text) const { return Styled(text, Style::kBold, colours_); }
  std::string Dim(std::string_view text) const { return Styled(text, Style::kDim, colours_); }
  std::string Red(std::string_view text) const { return Styled(text, Style::kRed, colours_); }
  std::string Take() { return std::move(text_); }

 private:
  const bool colours_;
  std::string text_;
};

// "4,390 pages from 1 host, 163 MB received": bodies as they came, those that are no pages
// included.
std::string Harvest(const CrawlStatistics& s) {
  return fmt::format("{} from {}, {} received", Counted(s.pages, "page", "pages"),
                     Counted(s.hosts_asked, "host", "hosts"), Bytes(static_cast<double>(s.bytes)));
}

void WriteGivenUp(const CrawlResult& result, EndWriter* out) {
  std::uint64_t urls = 0;
  for (const CrawlResult::GivenUpHost& host : result.given_up) urls += host.urls;
  const bool one = result.given_up.size() == 1;
  out->Line(
      "{} {} of {} {} not fetched.", out->Red("Not complete:"), Counted(urls, "URL", "URLs"),
      one ? Printable(result.given_up[0].host) : Counted(result.given_up.size(), "host", "hosts"),
      urls == 1 ? "was" : "were");
  for (const CrawlResult::GivenUpHost& host : result.given_up) {
    const std::string reason = Printable(host.reason);
    if (one) {
      out->Line("  {}.", WithCapital(reason));
    } else {
      out->Line("  {} of {}: {}.", Thousands(host.urls), Printable(host.host), reason);
    }
  }
}

// The first lines: how it ended, and what it has.
void WriteHead(const CrawlResult& result, EndWriter* out) {
  const CrawlStatistics& s = result.statistics;
  const std::string took = Lasted(s.elapsed);
  const std::string harvest = out->Bold(Harvest(s));
  // Without a page, the seeds tell why.
  if (!result.given_up.empty() && (s.pages > 0 || result.seed_failures.empty())) {
    WriteGivenUp(result, out);
  }
  switch (result.outcome) {
    case CrawlResult::Outcome::kFinished:
      if (s.pages > 0) out->Line("Finished in {}: {}.", took, harvest);
      break;
    case CrawlResult::Outcome::kIncomplete:
      if (s.pages > 0) out->Line("Ended after {}: {}.", took, harvest);
      break;
    case CrawlResult::Outcome::kBudget:
      out->Line("Stopped after {}, because --{} is reached: {}.", took, result.message, harvest);
      break;
    case CrawlResult::Outcome::kStopped:
      out->Line("Stopped on request after {}: {}.", took, harvest);
      break;
    default:
      out->Line("{} {}.", out->Red(fmt::format("Failed after {}:", took)),
                Printable(result.message));
      out->Line("  {}", harvest);
  }
  if (s.elapsed_all > s.elapsed && s.requests > s.this_run.requests) {
    out->Line("  This run: {}, {} received, {}; all runs: {} in {}",
              Counted(s.this_run.pages, "page", "pages"),
              Bytes(static_cast<double>(s.this_run.bytes)),
              Counted(s.this_run.requests, "request", "requests"),
              Counted(s.requests, "request", "requests"), Lasted(s.elapsed_all));
  }
  if (const std::string changes = Changes(s); !changes.empty()) out->Line("  {}", changes);
}

// "3 redirects · 2 not found · 1 refused by robots.txt": what is no page, and why.
std::string OtherEnds(const CrawlResult& result) {
  constexpr std::size_t kCodesShown = 4;
  const CrawlStatistics& s = result.statistics;
  std::uint64_t not_found = 0;
  std::vector<crawler::CrawlBreakdown::Code> codes;
  for (const crawler::CrawlBreakdown::Code& code : result.breakdown.codes) {
    if (code.status == 404 || code.status == 410) {
      not_found += code.urls;
    } else if (code.status >= 400 && code.urls > 0) {
      codes.push_back(code);
    }
  }
  std::stable_sort(codes.begin(), codes.end(),
                   [](const auto& a, const auto& b) { return a.urls > b.urls; });
  std::string text;
  const auto add = [&text](std::uint64_t number, std::string_view one, std::string_view many) {
    if (number > 0) text += (text.empty() ? "" : " · ") + Counted(number, one, many);
  };
  add(s.redirects, "redirect", "redirects");
  add(not_found, "not found", "not found");
  for (std::size_t i = 0; i < codes.size() && i < kCodesShown; ++i) {
    const std::string answered = fmt::format("answered {}", codes[i].status);
    add(codes[i].urls, answered, answered);
  }
  add(s.refused, "refused by robots.txt", "refused by robots.txt");
  add(s.unwanted, "of another type", "of other types");
  add(s.dead_letters, "given up", "given up");
  add(s.duplicates, "duplicate", "duplicates");
  return text;
}

// Where the URLs are that the reach of the scope leaves out, and the option that would follow them.
struct Elsewhere {
  std::string_view where;
  std::string_view option;
};

Elsewhere OutsideOf(crawler::CrawlScope scope) {
  switch (scope) {
    case crawler::CrawlScope::kPrefix:
      return {"outside the folders of the seeds", " (--scope host would)"};
    case crawler::CrawlScope::kHost:
      return {"on other hosts", " (--scope domain or web would)"};
    case crawler::CrawlScope::kDomain:
      return {"on other domains", " (--scope web would)"};
    case crawler::CrawlScope::kWeb:
      break;
  }
  return {"out of reach", ""};
}

void WriteLeftOut(const CrawlResult& result, const std::string& folder, EndWriter* out) {
  const CrawlStatistics& s = result.statistics;
  if (s.urls_waiting > 0) {
    out->Line("  {} of {} known URLs still {}", Thousands(s.urls_waiting), Thousands(s.urls_known),
              s.urls_waiting == 1 ? "waits" : "wait");
  }
  if (s.urls_elsewhere > 0) {
    const Elsewhere elsewhere = OutsideOf(result.scope);
    out->Line("  {} {} {} not followed{}", Counted(s.urls_elsewhere, "URL", "URLs"),
              elsewhere.where, s.urls_elsewhere == 1 ? "was" : "were", elsewhere.option);
  }
  // A repeated crawl knows URLs that nothing leads to any more.
  const std::uint64_t accounted = s.urls_done + s.urls_waiting + s.urls_elsewhere;
  if (s.urls_known > accounted && Changes(s).empty()) {
    out->Line("  {} skipped: too deep, nofollow or excluded (crawler explain {} URL says why)",
              Counted(s.urls_known - accounted, "URL was", "URLs were"), ShellWord(folder));
  }
}

void WriteSeeds(const CrawlResult& result, EndWriter* out) {
  const bool no_page = result.statistics.pages == 0;
  // A crawl that was stopped before its first page has not failed.
  const bool ended = result.outcome == CrawlResult::Outcome::kFinished ||
                     result.outcome == CrawlResult::Outcome::kIncomplete;
  if (no_page && (ended || !result.seed_failures.empty())) {
    out->Line("{}", out->Red("No page could be crawled."));
  }
  if (result.seed_failures.empty()) return;
  if (!no_page)
    out->Line("{}", out->Red(result.seeds_failed == 1 ? "A seed failed:" : "Seeds failed:"));
  for (const CrawlResult::SeedFailure& seed : result.seed_failures) {
    out->Line("  {} {}.", Printable(seed.url), Printable(seed.what));
    if (!seed.hint.empty()) out->Line("  {}", out->Dim(Printable(seed.hint)));
  }
  if (result.seeds_failed > result.seed_failures.size()) {
    out->Line("  … and {} more.", Thousands(result.seeds_failed - result.seed_failures.size()));
  }
}

void WriteStored(const CrawlResult& result, const std::string& folder, EndWriter* out) {
  std::string text = fmt::format("Stored in {}: catalogue {}", Printable(folder),
                                 Bytes(static_cast<double>(result.catalogue_bytes)));
  if (result.warc_bytes > 0) text += ", WARC " + Bytes(static_cast<double>(result.warc_bytes));
  if (result.indexed_pages > 0) {
    text += ", index of " + Counted(result.indexed_pages, "page", "pages");
  }
  out->Line("{}.", text);
}

void WriteNext(const CrawlResult& result, const std::string& folder, EndWriter* out) {
  const std::string word = ShellWord(folder);
  switch (result.outcome) {
    case CrawlResult::Outcome::kBudget:
      // Time is counted afresh by every run, the others over all of them.
      if (result.message != "max-time") {
        out->Line("A larger --{} lets it go on, 0 without a limit.", result.message);
      }
      [[fallthrough]];
    case CrawlResult::Outcome::kStopped:
    case CrawlResult::Outcome::kStorage:
    case CrawlResult::Outcome::kCallback:
    case CrawlResult::Outcome::kOutOfMemory:
      out->Line("To go on: crawler resume {}", word);
      break;
    default:
      break;
  }
  const bool failed = result.statistics.pages == 0 && !result.seed_failures.empty();
  const bool ended = result.outcome == CrawlResult::Outcome::kFinished ||
                     result.outcome == CrawlResult::Outcome::kIncomplete;
  if (failed && ended) {
    out->Line("To try again: crawler resume {}, with the options that help", word);
  } else if (!result.given_up.empty()) {
    out->Line("To try them again: crawler retry {}", word);
  }
  if (result.indexed_pages > 0 && result.outcome == CrawlResult::Outcome::kFinished) {
    out->Line("Next: crawler search {} WORDS · crawler report {} --html report.html", word, word);
  }
}

std::string_view CrawlOutcomeName(CrawlResult::Outcome outcome) {
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
    case CrawlResult::Outcome::kNoCrawl:
      return "no crawl";
    case CrawlResult::Outcome::kFolderBusy:
      return "folder busy";
    case CrawlResult::Outcome::kStorage:
      return "storage failed";
    case CrawlResult::Outcome::kCallback:
      return "a callback failed";
    case CrawlResult::Outcome::kOutOfMemory:
      return "out of memory";
  }
  return "unknown";
}

}  // namespace

std::string Changes(const CrawlStatistics& s) {
  if (s.pages_new + s.pages_changed + s.pages_unchanged + s.pages_gone == 0) return "";
  return fmt::format("{} pages are new, {} changed, {} unchanged, {} gone", Thousands(s.pages_new),
                     Thousands(s.pages_changed), Thousands(s.pages_unchanged),
                     Thousands(s.pages_gone));
}

std::string EndReport(const CrawlResult& result, const std::string& folder, bool colours) {
  EndWriter out(colours);
  const CrawlStatistics& s = result.statistics;
  if (s.phase.empty()) {  // It did not begin.
    out.Line("{}", out.Red(Printable(result.message)));
    return out.Take();
  }
  WriteHead(result, &out);
  if (s.pages > 0) {
    if (const std::string ends = OtherEnds(result); !ends.empty()) out.Line("  {}", ends);
    WriteLeftOut(result, folder, &out);
  }
  WriteSeeds(result, &out);
  if (s.pages > 0) WriteStored(result, folder, &out);
  WriteNext(result, folder, &out);
  return out.Take();
}

std::string EndReportJson(const CrawlResult& result, const std::string& folder) {
  using Json = nlohmann::ordered_json;
  const CrawlStatistics& s = result.statistics;
  Json json = {{"outcome", CrawlOutcomeName(result.outcome)},
               {"message", result.message},
               {"folder", folder},
               {"seconds", Seconds(s.elapsed)},
               {"seconds_all", Seconds(s.elapsed_all)}};
  AddStatistics(s, &json);
  AddBreakdown(result.breakdown, &json);
  Json& given_up = json["given_up"] = Json::array();
  for (const CrawlResult::GivenUpHost& host : result.given_up) {
    given_up.push_back({{"host", host.host}, {"urls", host.urls}, {"reason", host.reason}});
  }
  Json& seeds = json["seed_failures"] = Json::array();
  for (const CrawlResult::SeedFailure& seed : result.seed_failures) {
    seeds.push_back({{"url", seed.url}, {"what", seed.what}, {"hint", seed.hint}});
  }
  json["seeds_failed"] = result.seeds_failed;
  json["catalogue_bytes"] = result.catalogue_bytes;
  json["warc_bytes"] = result.warc_bytes;
  json["indexed_pages"] = result.indexed_pages;
  return JsonText(json);
}

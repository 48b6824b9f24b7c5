#include "status_lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "numbers.hpp"
#include "report_text.hpp"

namespace {

using crawler::CrawlActivity;
using crawler::CrawlStatistics;
using crawler::HostHoldup;
using std::chrono::milliseconds;

constexpr std::string_view kSeparator = " · ";
/// Rows from which on a second line does not take the screen away from other output.
constexpr std::size_t kRowsForTwo = 4;
constexpr std::size_t kColumnsForActivity = 20;

/// A part of the line, and a shorter form of it that is tried before it is left out.
struct Part {
  std::string text;
  std::string shorter;
  int keep = 0;  ///< Parts with less of it go first.
  Style style = Style::kPlain;
};

std::string Rate(double pages_per_second) {
  if (pages_per_second < 0.05) return "0 pages/s";
  if (pages_per_second < 10) return fmt::format("{:.1f} pages/s", pages_per_second);
  return Thousands(static_cast<std::uint64_t>(std::lround(pages_per_second))) + " pages/s";
}

Part Done(const CrawlStatistics& s, const Pace& pace) {
  const std::uint64_t known = s.urls_done + s.urls_waiting + s.urls_under_way;
  Part part;
  part.keep = 4;
  part.style = Style::kBold;
  if (s.max_pages > 0 && s.max_pages <= known) {
    part.text = fmt::format("{} of {} pages", Thousands(s.pages), Thousands(s.max_pages));
    part.shorter = Thousands(s.pages) + " pages";
  } else {
    part.text = pace.grows
                    ? fmt::format("{} of at least {}", Thousands(s.urls_done), Thousands(known))
                    : fmt::format("{} of {} known", Thousands(s.urls_done), Thousands(known));
    part.shorter = Thousands(s.urls_done) + " done";
  }
  return part;
}

std::vector<Part> Parts(const CrawlStatistics& s, const Pace& pace) {
  const std::string elapsed = Clock(Seconds(s.elapsed));
  if (s.phase == "starting" || s.phase == "restoring") {
    return {{"reading the stored crawl", "reading", 9}, {elapsed, "", 5}};
  }
  if (s.phase == "indexing") {
    return {{fmt::format("making the index of {} pages", Thousands(s.pages)), "indexing", 9},
            {elapsed, "", 5}};
  }
  if (s.phase == "completion" || s.phase == "over") {
    return {{"finishing", "", 9}, {elapsed, "", 5}};
  }
  const std::uint64_t errors = s.this_run.failures + s.this_run.http_errors;
  std::vector<Part> parts;
  if (s.paused) parts.push_back({"paused", "", 9, Style::kBold});
  parts.push_back(Done(s, pace));
  parts.push_back({Rate(pace.pages_per_second), "", 6});
  parts.push_back({Bytes(pace.bytes_per_second) + "/s", "", 1});
  parts.push_back({Thousands(errors) + (errors == 1 ? " error" : " errors"), "",
                   errors == 0 ? 2 : 7, errors == 0 ? Style::kPlain : Style::kRed});
  parts.push_back({elapsed, "", 8});
  if (pace.left && pace.left->count() > 0) {
    const std::string left = Clock(Seconds(*pace.left));
    parts.push_back({(pace.at_least ? "at least " : "about ") + left + " left", "", 5});
  }
  return parts;
}

std::size_t ColumnsOfParts(const std::vector<Part>& parts) {
  std::size_t columns = 0;
  for (const Part& part : parts) columns += ColumnsOf(part.text) + ColumnsOf(kSeparator);
  return columns - std::min(columns, ColumnsOf(kSeparator));
}

// Shortens or leaves out the part that matters least, until the rest fits. The first part stays.
StyledLine Fit(std::vector<Part> parts, std::size_t columns) {
  while (ColumnsOfParts(parts) > columns) {
    const auto least = std::min_element(
        parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.keep < b.keep; });
    if (!least->shorter.empty()) {
      least->text = std::exchange(least->shorter, "");
      least->keep = 9;  // The pages go last.
    } else if (parts.size() > 1) {
      parts.erase(least);
    } else {
      least->text = FitEnd(least->text, columns);
      break;
    }
  }
  StyledLine line;
  for (Part& part : parts) {
    if (!line.empty()) line.push_back({std::string(kSeparator)});
    line.push_back({std::move(part.text), part.style});
  }
  return line;
}

std::string_view WithoutScheme(std::string_view url) {
  const std::size_t scheme = url.find("://");
  return scheme == std::string_view::npos ? url : url.substr(scheme + 3);
}

// "14 s", "0.5 s", "5:00"
std::string Wait(milliseconds time) {
  if (time < milliseconds(1'000)) return fmt::format("{:.1g} s", Seconds(time));
  if (time < milliseconds(60'000)) return fmt::format("{:.0f} s", Seconds(time));
  return Clock(Seconds(time));
}

std::string DescribeHoldup(const HostHoldup& holdup) {
  const std::string host(WithoutScheme(holdup.host));
  const std::string trouble = holdup.trouble.empty() ? "" : ": " + holdup.trouble;
  const std::string_view why = holdup.why;
  if (why == "backoff" && holdup.due_in) {
    return fmt::format("{} is backing off for {}{}", host, Wait(*holdup.due_in), trouble);
  }
  if (why == "retry" && holdup.due_in) {
    return fmt::format("waiting for {}: another attempt in {}{}", host, Wait(*holdup.due_in),
                       trouble);
  }
  if (why == "politeness") {
    return fmt::format("waiting for {}: {} between requests ({})", host, Wait(holdup.interval),
                       holdup.asked_by);
  }
  if (why == "slowed down after errors") {
    return fmt::format("{} is asked less often after errors{}", host, trouble);
  }
  if (why == "request under way") return fmt::format("waiting for an answer from {}", host);
  if (why == "domain limit") return fmt::format("waiting for {}: --per-domain", host);
  if (why == "address limit") return fmt::format("waiting for {}: --per-address", host);
  return "";
}

}  // namespace

std::string DescribeActivity(const CrawlActivity& activity) {
  if (!activity.url.empty()) return Printable(WithoutScheme(activity.url));
  return activity.holdup ? Printable(DescribeHoldup(*activity.holdup)) : "";
}

std::vector<StyledLine> StatusLines(const CrawlStatistics& statistics,
                                    const CrawlActivity& activity, const Pace& pace,
                                    std::size_t columns, std::size_t rows) {
  // A full last column makes some terminals go to the next line.
  const std::size_t room = columns > 1 ? columns - 1 : 1;
  std::vector<StyledLine> lines = {Fit(Parts(statistics, pace), room)};
  const bool crawling = statistics.phase == "discovery" || statistics.phase == "expansion";
  if (!crawling || rows < kRowsForTwo || room < kColumnsForActivity) return lines;
  const std::string sentence = DescribeActivity(activity);
  const std::string text =
      activity.url.empty() ? FitEnd(sentence, room) : FitMiddle(sentence, room);
  if (!text.empty()) lines.push_back({{text, Style::kDim}});
  return lines;
}

std::string PlainStatus(const CrawlStatistics& statistics, const Pace& pace) {
  constexpr std::size_t kAnyWidth = 10'000;
  return statistics.phase + ": " + Render(Fit(Parts(statistics, pace), kAnyWidth), false);
}

#include "report_words.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "end_report.hpp"
#include "numbers.hpp"
#include "report_text.hpp"

namespace {

using crawler::CrawlReport;
using crawler::HostReceipt;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::pair<int, const char*> kCodes[] = {{200, "ok"},
                                                  {203, "from a proxy"},
                                                  {204, "no content"},
                                                  {206, "partial"},
                                                  {301, "moved"},
                                                  {302, "found"},
                                                  {303, "see other"},
                                                  {304, "not modified"},
                                                  {307, "redirect"},
                                                  {308, "moved"},
                                                  {400, "bad request"},
                                                  {401, "unauthorised"},
                                                  {403, "forbidden"},
                                                  {404, "not found"},
                                                  {405, "not allowed"},
                                                  {406, "not acceptable"},
                                                  {408, "timeout"},
                                                  {410, "gone"},
                                                  {429, "too many"},
                                                  {451, "legal reasons"},
                                                  {500, "server error"},
                                                  {501, "unsupported"},
                                                  {502, "bad gateway"},
                                                  {503, "unavailable"},
                                                  {504, "gateway timeout"}};

std::uint64_t CountOf(const std::vector<crawler::ReportCount>& counts, std::string_view name) {
  for (const crawler::ReportCount& count : counts) {
    if (count.name == name) return count.count;
  }
  return 0;
}

void AddTotals(const CrawlReport& report, std::vector<std::string>* out) {
  const crawler::CrawlStatistics& s = report.status.statistics;
  const double seconds = std::chrono::duration<double>(report.throughput.total).count();
  std::string text = fmt::format("{} ({}) from {} in {}", Counted(s.pages, "page", "pages"),
                                 Bytes(static_cast<double>(s.bytes)),
                                 Counted(report.hosts.total, "host", "hosts"), Time(seconds));
  if (seconds >= 1) {
    text += fmt::format(", {:.1f} requests/s", static_cast<double>(s.requests) / seconds);
  }
  out->push_back(text + ".");
  if (const std::string changes = Changes(s); !changes.empty()) out->push_back(changes + ".");
}

void AddProblems(const CrawlReport& report, std::vector<std::string>* out) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t count, const char* one, const char* many) {
    if (count > 0) parts.push_back(Counted(count, one, many));
  };
  add(report.broken.total, "broken URL", "broken URLs");
  add(report.redirect_loops, "redirect that never ends", "redirects that never end");
  add(report.long_redirects, "redirect of several hops", "redirects of several hops");
  add(report.failing_hosts.total, "host in trouble", "hosts in trouble");
  add(report.duplicate_pages, "duplicate page", "duplicate pages");
  add(report.near_duplicate_pages, "near-duplicate", "near-duplicates");
  add(report.missing_titles.total, "page without a title", "pages without a title");
  out->push_back(parts.empty() ? "Nothing needs action."
                               : fmt::format("To look at: {}.", fmt::join(parts, ", ")));
}

void AddRest(const CrawlReport& report, const std::string& folder, std::vector<std::string>* out) {
  const std::uint64_t waiting = CountOf(report.fates, "waiting");
  const std::uint64_t refused = CountOf(report.fates, "refused");
  if (refused > 0) {
    out->push_back(Counted(refused, "URL was", "URLs were") + " refused by robots.txt.");
  }
  if (report.dead_letters.total > 0) {
    out->push_back(fmt::format("{} given up; to try again: crawler retry {}",
                               Counted(report.dead_letters.total, "URL was", "URLs were"),
                               ShellWord(folder)));
  }
  if (report.status.running) {
    out->push_back(fmt::format("The crawl is running; {} so far.",
                               Counted(waiting, "URL waits", "URLs wait")));
  } else if (waiting > 0) {
    out->push_back(fmt::format("{} to be fetched; to go on: crawler resume {}",
                               Counted(waiting, "URL waits", "URLs wait"), ShellWord(folder)));
  } else {
    out->push_back("No URL is waiting.");
  }
}

}  // namespace

std::vector<std::string> SummaryOf(const CrawlReport& report, const std::string& folder) {
  std::vector<std::string> sentences;
  AddTotals(report, &sentences);
  AddProblems(report, &sentences);
  AddRest(report, folder, &sentences);
  return sentences;
}

std::string TroubleOf(const crawler::BrokenUrl& broken) {
  if (broken.status != 0) return CodeText(broken.status);
  return broken.reason.empty() ? broken.fate : broken.reason;
}

std::string EndOf(const crawler::RedirectChain& chain) {
  if (chain.loop) return "loop";
  if (chain.end_status != 0) return CodeText(chain.end_status);
  return chain.end_fate;
}

std::string PaceOf(const HostReceipt& host) {
  std::string text;
  if (host.rate() > 0) text = fmt::format("{:.2f} requests/s", host.rate());
  if (host.shortest_gap) {
    text +=
        fmt::format("{}shortest gap {}", text.empty() ? "" : ", ", ShortTime(*host.shortest_gap));
  }
  if (host.asked_gap.count() > 0) {
    text += fmt::format("{}asked for {}", text.empty() ? "" : ", ", ShortTime(host.asked_gap));
  }
  return text;
}

std::string RobotsOf(const HostReceipt& host) {
  const HostReceipt::Robots& robots = host.robots;
  if (!robots.known) return "not asked";
  if (robots.policy != "rules") {
    return robots.status == 0 ? robots.policy
                              : fmt::format("{} ({})", robots.policy, robots.status);
  }
  return fmt::format("{}, {} for this crawler", robots.status,
                     Counted(robots.rules.total, "rule", "rules"));
}

std::string CodeText(int status) {
  for (const auto& [code, text] : kCodes) {
    if (code == status) return fmt::format("{} {}", status, text);
  }
  return std::to_string(status);
}

std::vector<std::string> SizeNames(const std::vector<crawler::SizeCount>& sizes) {
  std::vector<std::string> names;
  std::uint64_t from = 0;
  for (const crawler::SizeCount& size : sizes) {
    if (size.below == 0) {
      names.push_back(Bytes(static_cast<double>(from)) + " and more");
    } else {
      names.push_back("below " + Bytes(static_cast<double>(size.below)));
    }
    from = size.below;
  }
  return names;
}

std::string ShortTime(microseconds time) {
  const auto count = static_cast<double>(time.count());
  if (count < 1000) return fmt::format("{} µs", time.count());
  if (count < 1e6) return fmt::format("{:.0f} ms", count / 1e3);
  if (count < 60e6) return fmt::format("{:.2f} s", count / 1e6);
  return Time(count / 1e6);
}

std::string UtcTime(milliseconds since_1970) {
  if (since_1970.count() == 0) return "";
  const std::time_t seconds = since_1970.count() / 1000;
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));  // NOLINT
}

std::string ExportCommand(const std::string& folder, std::string_view what) {
  return fmt::format("crawler export {} {}", ShellWord(folder), what);
}

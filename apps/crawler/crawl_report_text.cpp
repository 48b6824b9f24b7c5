#include <fmt/format.h>

#include <iterator>

#include "crawl_report.hpp"
#include "numbers.hpp"
#include "report_text.hpp"
#include "report_words.hpp"

namespace {

using crawler::CrawlReport;
using crawler::HostReceipt;

class TextReport {
 public:
  TextReport(const CrawlReport& report, const std::string& folder)
      : report_(report), folder_(folder) {}

  std::string Write() {
    Head();
    Broken();
    Redirects();
    Hosts("Hosts in trouble", report_.failing_hosts);
    Hosts("Slow hosts", report_.slow_hosts);
    DeadLetters();
    Duplicates("Duplicates", report_.duplicates, "with the same content");
    Duplicates("Near-duplicates", report_.near_duplicates, "with nearly the same text");
    Titles();
    Course();
    Receipts();
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_.push_back('\n');
  }
  void Heading(const std::string& text) { Line("\n{}", text); }
  void More(std::uint64_t left_out, std::string_view what) {
    if (left_out == 0) return;
    Line("  and {} more: {}", Thousands(left_out), ExportCommand(folder_, what));
  }
  void Bar(std::string_view name, std::uint64_t count, std::uint64_t of) {
    constexpr std::size_t kColumns = 30;
    const auto columns = static_cast<std::size_t>(of == 0 ? 0 : (count * kColumns + of - 1) / of);
    Line("  {:<24} {:>12}  {}", Shortened(name, 24), Thousands(count), std::string(columns, '#'));
  }

  void Head();
  void Broken();
  void Redirects();
  void Hosts(const char* title, const crawler::ReportList<HostReceipt>& hosts);
  void DeadLetters();
  void Duplicates(const char* title, const crawler::ReportList<crawler::DuplicateGroup>& groups,
                  const char* how);
  void Titles();
  void Course();
  void Receipts();

  const CrawlReport& report_;
  const std::string& folder_;
  std::string out_;
};

void TextReport::Head() {
  const std::string seed = report_.seeds.empty() ? folder_ : report_.seeds.front();
  std::string more;
  if (report_.seeds.size() > 1) {
    more = fmt::format(" and {}", Counted(report_.seeds.size() - 1, "other seed", "other seeds"));
  }
  Line("Crawl of {}{}: {}{}", Printable(seed), more, Printable(report_.status.state),
       report_.rounds > 1 ? fmt::format(", round {}", report_.rounds) : "");
  if (report_.began.count() != 0) {
    Line("{} to {}", UtcTime(report_.began), UtcTime(report_.ended));
  }
  for (const std::string& sentence : SummaryOf(report_, folder_)) Line("{}", sentence);
  const crawler::CrawlStatistics& s = report_.status.statistics;
  if (s.this_run.requests != s.requests) {
    Line("Last run: {}, {} in {}.", Counted(s.this_run.pages, "page", "pages"),
         Counted(s.this_run.requests, "request", "requests"), Time(Seconds(s.elapsed)));
  }
}

void TextReport::Broken() {
  if (report_.broken.total == 0) return;
  Heading(fmt::format("Broken URLs: {}, {}", Thousands(report_.broken.total),
                      Counted(report_.broken_links, "link", "links")));
  for (const crawler::BrokenUrl& broken : report_.broken.rows) {
    Line("  {}: {}", Printable(broken.url), Printable(TroubleOf(broken)));
    for (const crawler::BrokenUrl::Source& source : broken.sources) {
      if (source.url.empty()) {
        Line("    {}", Printable(source.via));
        continue;
      }
      Line("    {} {}{}", source.via == "link" ? "on" : Printable(source.via + " of"),
           Printable(source.url),
           source.text.empty() ? "" : " \"" + Shortened(source.text, 60) + "\"");
    }
    if (broken.links > broken.sources.size()) {
      Line("    and {} more", Thousands(broken.links - broken.sources.size()));
    }
  }
  More(report_.broken.left_out(), "broken");
}

void TextReport::Redirects() {
  if (report_.redirects.total == 0) return;
  Heading(fmt::format("Redirects: {} ({}, {} of several hops)", Thousands(report_.redirects.total),
                      Counted(report_.redirect_loops, "loop", "loops"),
                      Thousands(report_.long_redirects)));
  for (const crawler::RedirectChain& chain : report_.redirects.rows) {
    Line("  {}: {}", Printable(fmt::format("{}", fmt::join(chain.chain, " -> "))), EndOf(chain));
  }
  More(report_.redirects.left_out(), "redirects");
}

void TextReport::Hosts(const char* title, const crawler::ReportList<HostReceipt>& hosts) {
  if (hosts.total == 0) return;
  Heading(fmt::format("{}: {}", title, Thousands(hosts.total)));
  for (const HostReceipt& host : hosts.rows) {
    Line("  {}: {}, {} HTTP errors, {} failed, {} backoffs, {} given up; {} per answer",
         Printable(host.origin), Counted(host.requests, "request", "requests"),
         Thousands(host.http_errors), Thousands(host.failures), Thousands(host.backoffs),
         Thousands(host.given_up), ShortTime(host.mean_time));
  }
  More(hosts.left_out(), "hosts");
}

void TextReport::DeadLetters() {
  if (report_.dead_letters.total == 0) return;
  Heading(fmt::format("Given up: {}", Counted(report_.dead_letters.total, "URL", "URLs")));
  for (const crawler::DeadLetter& letter : report_.dead_letters.rows) {
    Line("  {}: {} ({})", Printable(letter.url), Printable(letter.reason),
         Counted(letter.attempts, "attempt", "attempts"));
  }
  More(report_.dead_letters.left_out(), "dead-letters");
}

void TextReport::Duplicates(const char* title,
                            const crawler::ReportList<crawler::DuplicateGroup>& groups,
                            const char* how) {
  if (groups.total == 0) return;
  Heading(fmt::format("{}: {} {}", title, Counted(groups.total, "group", "groups"), how));
  for (const crawler::DuplicateGroup& group : groups.rows) {
    Line("  {} and {}", Printable(group.url), Counted(group.copies, "other", "others"));
    for (const std::string& other : group.others) Line("    {}", Printable(other));
    if (group.copies > group.others.size()) {
      Line("    and {} more", Thousands(group.copies - group.others.size()));
    }
  }
  More(groups.left_out(), "pages");
}

void TextReport::Titles() {
  if (report_.missing_titles.total > 0) {
    Heading(
        fmt::format("Without a title: {}", Counted(report_.missing_titles.total, "page", "pages")));
    for (const std::string& url : report_.missing_titles.rows) Line("  {}", Printable(url));
    More(report_.missing_titles.left_out(), "titles");
  }
  if (report_.shared_titles.total == 0) return;
  Heading(fmt::format("Titles of several pages: {}", Thousands(report_.shared_titles.total)));
  for (const crawler::SharedTitle& title : report_.shared_titles.rows) {
    Line("  {} pages \"{}\", e.g. {}", Thousands(title.pages), Shortened(title.title, 80),
         Printable(fmt::format("{}", fmt::join(title.urls, ", "))));
  }
  More(report_.shared_titles.left_out(), "titles");
}

void TextReport::Course() {
  const std::uint64_t pages = [this] {
    std::uint64_t sum = 0;
    for (const crawler::DepthCount& depth : report_.depths) sum += depth.pages;
    return sum;
  }();
  Heading("URLs");
  const std::uint64_t urls = report_.status.statistics.urls_known;
  for (const crawler::ReportCount& fate : report_.fates) Bar(fate.name, fate.count, urls);
  for (const crawler::ReportCount& skip : report_.skipped) Bar("  " + skip.name, skip.count, urls);
  std::uint64_t responses = 0;
  for (const crawler::StatusCodeCount& code : report_.codes) responses += code.responses;
  Heading("Responses by status code");
  for (const crawler::StatusCodeCount& code : report_.codes) {
    Bar(CodeText(code.status), code.responses, responses);
  }
  Heading("Pages by type");
  for (const crawler::ContentTypeCount& type : report_.types.rows) {
    Bar(type.type.empty() ? "none" : type.type, type.pages, pages);
  }
  Heading("Pages by depth");
  for (const crawler::DepthCount& depth : report_.depths) {
    Bar(std::to_string(depth.depth), depth.pages, pages);
  }
  Heading("Pages by size");
  const std::vector<std::string> names = SizeNames(report_.sizes);
  for (std::size_t i = 0; i < names.size(); ++i) Bar(names[i], report_.sizes[i].pages, pages);
}

void TextReport::Receipts() {
  if (report_.hosts.total == 0) return;
  Heading(fmt::format("Politeness: {}", Counted(report_.hosts.total, "host", "hosts")));
  for (const HostReceipt& host : report_.hosts.rows) {
    const std::string pace = PaceOf(host);
    Line("  {}: {}{}{}", Printable(host.origin), Counted(host.requests, "request", "requests"),
         pace.empty() ? "" : ", ", pace);
    Line("    {}, {}; {} refused by robots.txt", Counted(host.backoffs, "backoff", "backoffs"),
         Counted(host.failures, "failure", "failures"), Thousands(host.refused));
    Line("    robots.txt: {}{}", RobotsOf(host),
         host.robots.sha256.empty() ? "" : ", sha256 " + host.robots.sha256);
    for (const HostReceipt::Rule& rule : host.robots.rules.rows) {
      if (rule.refused == 0) continue;
      Line("      line {} refused {}: {}", rule.line, Thousands(rule.refused),
           Shortened(rule.text, 100));
    }
  }
  More(report_.hosts.left_out(), "hosts");
}

}  // namespace

std::string ReportText(const CrawlReport& report, const std::string& folder) {
  return TextReport(report, folder).Write();
}

#include <crawler/crawler.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "crawl_report.hpp"
#include "html_plot.hpp"
#include "html_text.hpp"
#include "numbers.hpp"
#include "report_assets.hpp"
#include "report_text.hpp"
#include "report_words.hpp"

namespace {

using crawler::CrawlReport;
using crawler::HostReceipt;
using crawler::ReportList;

class HtmlReport {
 public:
  HtmlReport(const CrawlReport& report, const std::string& folder)
      : report_(report), folder_(folder) {}

  std::string Write() {
    Head();
    Summary();
    Action();
    Course();
    Politeness();
    Add("</main><footer class=\"wrap\">Made by crawler {} from <code>{}</code>. Times are UTC."
        "</footer>\n<script>{}</script></body></html>\n",
        Html(crawl_version()), Html(folder_), kReportScript);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void Card(std::string_view title, const std::string& count, std::string_view content,
            std::string_view more = "") {
    Add("<div class=\"card\"><h3>{}<span class=\"n\">{}</span></h3>\n{}{}</div>\n", Html(title),
        Html(count), content, more);
  }
  std::string More(std::uint64_t left_out, std::string_view what) const {
    const std::string lead =
        left_out == 0 ? "All as CSV:" : fmt::format("and {} more:", Thousands(left_out));
    return fmt::format("<p class=\"more\">{} <code>{}</code></p>\n", lead,
                       Html(ExportCommand(folder_, what)));
  }
  static std::string AndMore(std::uint64_t all, std::size_t shown) {
    if (all <= shown) return "";
    return fmt::format("<span class=\"from\">and {} more</span>", Thousands(all - shown));
  }

  void Head();
  void Summary();
  void Tile(const std::string& number, const std::string& name, bool bad = false);
  void Action();
  void Broken();
  void Redirects();
  void Hosts(const char* title, const ReportList<HostReceipt>& hosts);
  void DeadLetters();
  void Duplicates(const char* title, const ReportList<crawler::DuplicateGroup>& groups,
                  std::uint64_t pages, const std::string& note);
  void Titles();
  void Course();
  void Politeness();
  void Receipt(const HostReceipt& host);
  std::string Rules(const HostReceipt& host) const;

  const CrawlReport& report_;
  const std::string& folder_;
  std::string out_;
};

const char* StateClass(const crawler::CrawlStatus& status) {
  if (status.state == "finished" || status.state == "budget spent") return "state good";
  return status.running || status.state == "stopped" ? "state" : "state bad";
}

void HtmlReport::Head() {
  const std::string seed = report_.seeds.empty() ? folder_ : report_.seeds.front();
  Add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">"
      "<meta name=\"robots\" content=\"noindex\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>Crawl report: {}</title>\n<style>{}</style>"
      "</head>\n<body>",
      kReportScriptHash, Html(seed), kReportStyle);
  std::string more;
  if (report_.seeds.size() > 1) {
    more = fmt::format("and {}", Counted(report_.seeds.size() - 1, "other seed", "other seeds"));
  }
  std::string when = "Nothing was requested yet";
  if (report_.began.count() != 0) {
    when = UtcTime(report_.began) + " to " + UtcTime(report_.ended);
  }
  if (report_.rounds > 1) when += fmt::format(" · round {}", report_.rounds);
  Add("<header class=\"top\"><div class=\"wrap\"><p class=\"brand\">Crawl report</p>"
      "<h1>{} {}<span class=\"{}\">{}</span></h1><p class=\"when\">{}</p>\n"
      "<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a>"
      "<a href=\"#action\">What needs action</a><a href=\"#course\">How the crawl went</a>"
      "<a href=\"#politeness\">Politeness</a></nav></div></header>\n<main class=\"wrap\">\n",
      HtmlLink(seed), Html(more), StateClass(report_.status),
      Html(report_.status.state.empty() ? "starting" : report_.status.state), Html(when));
}

void HtmlReport::Tile(const std::string& number, const std::string& name, bool bad) {
  Add("<div class=\"tile{}\"><b>{}</b><span>{}</span></div>", bad ? " bad" : "", Html(number),
      Html(name));
}

void HtmlReport::Summary() {
  const crawler::CrawlStatistics& s = report_.status.statistics;
  const std::uint64_t errors = s.http_errors + s.failures;
  Add("<section id=\"summary\"><div class=\"card summary\">");
  for (const std::string& sentence : SummaryOf(report_, folder_)) Add("<p>{}</p>", Html(sentence));
  if (s.this_run.requests != s.requests) {
    Add("<p>Last run: {}, {} in {}.</p>", Counted(s.this_run.pages, "page", "pages"),
        Counted(s.this_run.requests, "request", "requests"), Time(Seconds(s.elapsed)));
  }
  Add("</div>\n<div class=\"tiles\">");
  Tile(Thousands(s.pages), "pages");
  Tile(Thousands(s.requests), "requests");
  Tile(Bytes(static_cast<double>(s.bytes)), "received");
  Tile(Thousands(s.urls_known), "URLs known");
  Tile(Thousands(report_.broken.total), "broken URLs", report_.broken.total > 0);
  Tile(Thousands(errors), "errors", errors > 0);
  Add("</div></section>\n");
}

void HtmlReport::Action() {
  Add("<section id=\"action\"><h2>What needs action</h2>\n"
      "<p class=\"lead\">Problems that visitors meet, and pages that a search engine may ignore."
      "</p>\n");
  const std::size_t before = out_.size();
  Broken();
  Redirects();
  Hosts("Hosts in trouble", report_.failing_hosts);
  Hosts("Slow hosts", report_.slow_hosts);
  DeadLetters();
  Duplicates("Duplicate pages", report_.duplicates, report_.duplicate_pages, "");
  std::string note;
  if (report_.pages_compared >= 100'000) {
    note = fmt::format("Of the first {} pages.", Thousands(report_.pages_compared));
  }
  Duplicates("Near-duplicates", report_.near_duplicates, report_.near_duplicate_pages, note);
  Titles();
  if (out_.size() == before) {
    Add("<div class=\"card\"><p class=\"ok\">Nothing: no broken link, no redirect, no duplicate, "
        "and every page has a title of its own.</p></div>\n");
  }
  Add("</section>\n");
}

void HtmlReport::Broken() {
  if (report_.broken.total == 0) return;
  HtmlTable table(
      {{"URL", false, true}, {"Problem"}, {"Links", true}, {"Linked from", false, true}});
  for (const crawler::BrokenUrl& broken : report_.broken.rows) {
    std::string sources;
    for (const crawler::BrokenUrl::Source& source : broken.sources) {
      const std::string text =
          source.text.empty() ? "" : " “" + Html(Shortened(source.text, 60)) + "”";
      const std::string how = source.via == "link" ? "" : Html(source.via) + " ";
      sources += fmt::format("<span class=\"from\">{}{}{}</span>", how, HtmlLink(source.url), text);
    }
    table.BeginRow();
    table.Cell(HtmlLink(broken.url));
    table.Cell(fmt::format("<span class=\"tag bad\">{}</span>", Html(TroubleOf(broken))));
    table.Number(broken.links);
    table.Cell(sources + AndMore(broken.links, broken.sources.size()));
    table.EndRow();
  }
  Card("Broken links",
       fmt::format("{}, {}", Counted(report_.broken.total, "URL", "URLs"),
                   Counted(report_.broken_links, "link", "links")),
       table.Take(), More(report_.broken.left_out(), "broken"));
}

void HtmlReport::Redirects() {
  if (report_.redirects.total == 0) return;
  HtmlTable table({{"Chain", false, true}, {"Hops", true}, {"Ends with"}});
  for (const crawler::RedirectChain& chain : report_.redirects.rows) {
    std::string hops;
    for (const std::string& url : chain.chain) {
      if (!hops.empty()) hops += "<span class=\"hop\">→</span>";
      hops += HtmlLink(url);
    }
    const bool bad = chain.loop || chain.end_status >= 400 || chain.end_fate == "failed";
    table.BeginRow();
    table.Cell(hops);
    table.Number(std::uint64_t{chain.hops});
    table.Cell(
        fmt::format("<span class=\"tag{}\">{}</span>", bad ? " bad" : "", Html(EndOf(chain))));
    table.EndRow();
  }
  Card("Redirects",
       fmt::format("{}, {} of several hops, {}", Thousands(report_.redirects.total),
                   Thousands(report_.long_redirects),
                   Counted(report_.redirect_loops, "loop", "loops")),
       table.Take(), More(report_.redirects.left_out(), "redirects"));
}

void HtmlReport::Hosts(const char* title, const ReportList<HostReceipt>& hosts) {
  if (hosts.total == 0) return;
  HtmlTable table({{"Host", false, true},
                   {"Requests", true},
                   {"5xx", true},
                   {"No answer", true},
                   {"Backoffs", true},
                   {"Given up", true},
                   {"Time per answer", true}});
  for (const HostReceipt& host : hosts.rows) {
    table.BeginRow();
    table.Cell(HtmlLink(host.origin));
    for (const std::uint64_t number :
         {host.requests, host.server_errors, host.failures, host.backoffs, host.given_up}) {
      table.Number(number);
    }
    table.Number(static_cast<double>(host.mean_time.count()), ShortTime(host.mean_time));
    table.EndRow();
  }
  Card(title, Thousands(hosts.total), table.Take(), More(hosts.left_out(), "hosts"));
}

void HtmlReport::DeadLetters() {
  if (report_.dead_letters.total == 0) return;
  HtmlTable table({{"URL", false, true}, {"Reason"}, {"Attempts", true}});
  for (const crawler::DeadLetter& letter : report_.dead_letters.rows) {
    table.BeginRow();
    table.Cell(HtmlLink(letter.url));
    table.Cell(Html(letter.reason));
    table.Number(letter.attempts);
    table.EndRow();
  }
  Card("Given up", Counted(report_.dead_letters.total, "URL", "URLs"), table.Take(),
       More(report_.dead_letters.left_out(), "dead-letters"));
}

void HtmlReport::Duplicates(const char* title, const ReportList<crawler::DuplicateGroup>& groups,
                            std::uint64_t pages, const std::string& note) {
  if (groups.total == 0) return;
  HtmlTable table({{"Page", false, true}, {"Others", true}, {"The others", false, true}});
  for (const crawler::DuplicateGroup& group : groups.rows) {
    std::string others;
    for (const std::string& url : group.others) {
      others += fmt::format("<span class=\"from\">{}</span>", HtmlLink(url));
    }
    table.BeginRow();
    table.Cell(HtmlLink(group.url));
    table.Number(group.copies);
    table.Cell(others + AndMore(group.copies, group.others.size()));
    table.EndRow();
  }
  Card(title,
       fmt::format("{} in {}. {}", Counted(pages, "page", "pages"),
                   Counted(groups.total, "group", "groups"), note),
       table.Take(), More(groups.left_out(), "pages"));
}

void HtmlReport::Titles() {
  if (report_.missing_titles.total > 0) {
    HtmlTable table({{"Page", false, true}});
    for (const std::string& url : report_.missing_titles.rows) {
      table.BeginRow();
      table.Cell(HtmlLink(url));
      table.EndRow();
    }
    Card("Without a title", Counted(report_.missing_titles.total, "page", "pages"), table.Take(),
         More(report_.missing_titles.left_out(), "titles"));
  }
  if (report_.shared_titles.total == 0) return;
  HtmlTable table({{"Title", false, true}, {"Pages", true}, {"For example", false, true}});
  for (const crawler::SharedTitle& title : report_.shared_titles.rows) {
    std::string examples;
    for (const std::string& url : title.urls) {
      examples += fmt::format("<span class=\"from\">{}</span>", HtmlLink(url));
    }
    table.BeginRow();
    table.Cell(Html(Shortened(title.title, 200)));
    table.Number(title.pages);
    table.Cell(examples);
    table.EndRow();
  }
  Card("Titles that several pages share", Thousands(report_.shared_titles.total), table.Take(),
       More(report_.shared_titles.left_out(), "titles"));
}

std::vector<Bar> FateBars(const CrawlReport& report) {
  std::vector<Bar> bars;
  for (const crawler::ReportCount& fate : report.fates) {
    const bool bad = fate.name == "http error" || fate.name == "failed" || fate.name == "given up";
    bars.push_back({fate.name, fate.count, bad, ""});
  }
  return bars;
}

std::vector<Bar> CodeBars(const CrawlReport& report) {
  std::vector<Bar> bars;
  for (const crawler::StatusCodeCount& code : report.codes) {
    bars.push_back({CodeText(code.status), code.responses, code.status >= 400, ""});
  }
  return bars;
}

std::vector<Bar> TypeBars(const CrawlReport& report) {
  constexpr std::size_t kMost = 12;
  std::vector<Bar> bars;
  for (const crawler::ContentTypeCount& type : report.types.rows) {
    if (bars.size() == kMost) break;
    bars.push_back({type.type.empty() ? "none" : Shortened(type.type, 60), type.pages, false,
                    Bytes(static_cast<double>(type.bytes))});
  }
  return bars;
}

std::vector<Bar> DepthBars(const CrawlReport& report) {
  std::vector<Bar> bars;
  for (const crawler::DepthCount& depth : report.depths) {
    bars.push_back({std::to_string(depth.depth), depth.pages, false, ""});
  }
  return bars;
}

std::vector<Bar> SizeBars(const CrawlReport& report) {
  std::vector<Bar> bars;
  const std::vector<std::string> names = SizeNames(report.sizes);
  for (std::size_t i = 0; i < names.size(); ++i) {
    bars.push_back({names[i], report.sizes[i].pages, false, ""});
  }
  return bars;
}

std::vector<Bar> SkipBars(const CrawlReport& report) {
  std::vector<Bar> bars;
  for (const crawler::ReportCount& skip : report.skipped) {
    bars.push_back({skip.name, skip.count, false, ""});
  }
  return bars;
}

void HtmlReport::Course() {
  Add("<section id=\"course\"><h2>How the crawl went</h2>\n"
      "<p class=\"lead\">Requests over time, and what came back.</p>\n");
  if (const std::string plot = ThroughputPlot(report_.throughput); !plot.empty()) {
    const std::string legend = fmt::format(
        "<ul class=\"legend\"><li><i></i>pages per second</li><li><i class=\"e\"></i>errors per "
        "second</li><li>one step is {}</li>{}</ul>\n",
        Time(Seconds(report_.throughput.width)),
        report_.throughput.resumed_at.empty() ? "" : "<li>dotted: the crawl was resumed</li>");
    Card("Throughput", "", plot, legend);
  }
  Add("<div class=\"two\">\n");
  Card("Status codes", "responses", BarPlot(CodeBars(report_)));
  Card("URLs", "what became of them", BarPlot(FateBars(report_)), More(0, "urls"));
  if (!report_.skipped.empty()) Card("Skipped URLs", "why", BarPlot(SkipBars(report_)));
  Card("Types", "pages", BarPlot(TypeBars(report_)), More(0, "pages"));
  Card("Depth", "links from a seed", BarPlot(DepthBars(report_)));
  Card("Size", "pages", BarPlot(SizeBars(report_)));
  Add("</div></section>\n");
}

std::string HtmlReport::Rules(const HostReceipt& host) const {
  const ReportList<HostReceipt::Rule>& rules = host.robots.rules;
  if (rules.rows.empty()) return "none for this crawler";
  std::string out = "<ol class=\"rules\">";
  for (const HostReceipt::Rule& rule : rules.rows) {
    out += fmt::format("<li>line {}: <code>{}</code>{}</li>", rule.line,
                       Html(Shortened(rule.text, 200)),
                       rule.refused == 0 ? ""
                                         : fmt::format(" <span class=\"tag\">refused {}</span>",
                                                       Counted(rule.refused, "URL", "URLs")));
  }
  out += "</ol>";
  if (rules.left_out() > 0) out += fmt::format("and {} more", Thousands(rules.left_out()));
  return out;
}

void HtmlReport::Receipt(const HostReceipt& host) {
  const auto field = [this](const char* name, const std::string& markup) {
    if (!markup.empty()) Add("<dt>{}</dt><dd>{}</dd>", name, markup);
  };
  Add("<details{}><summary><b>{}</b><span>{}{}{}</span></summary><dl>",
      report_.hosts.rows.size() == 1 ? " open" : "", Html(host.origin),
      Counted(host.requests, "request", "requests"), host.rate() > 0 ? " · " : "",
      host.rate() > 0 ? fmt::format("{:.2f}/s", host.rate()) : "");
  if (host.first.count() != 0) {
    field("Asked", Html(UtcTime(host.first) + " to " + UtcTime(host.last)));
  }
  if (host.shortest_gap) {
    const bool kept = *host.shortest_gap >= host.asked_gap;
    field("Shortest gap", fmt::format("{} <span class=\"tag{}\">{}</span>",
                                      Html(ShortTime(*host.shortest_gap)), kept ? " good" : "",
                                      kept ? Html("asked for " + ShortTime(host.asked_gap))
                                           : Html("shorter than " + ShortTime(host.asked_gap))));
  }
  field("Answers", Html(fmt::format("{} pages, {} HTTP errors, {} without an answer; {} on average",
                                    Thousands(host.pages), Thousands(host.http_errors),
                                    Thousands(host.failures), ShortTime(host.mean_time))));
  std::string backoffs = Thousands(host.backoffs);
  if (host.longest_retry_after.count() > 0) {
    backoffs += ", longest Retry-After " + ShortTime(host.longest_retry_after);
  }
  field("Backoffs", Html(backoffs));
  field("robots.txt", Html(RobotsOf(host)));
  if (!host.robots.sha256.empty()) {
    field("SHA-256", fmt::format("<code>{}</code> ({} bytes, {})", host.robots.sha256,
                                 Thousands(host.robots.bytes), Html(UtcTime(host.robots.fetched))));
    field("Rules", Rules(host));
  }
  Add("</dl></details>\n");
}

void HtmlReport::Politeness() {
  Add("<section id=\"politeness\"><h2>Politeness</h2>\n<p class=\"lead\">A receipt per host: the "
      "rules that it had set, and the requests that it was sent. A gap is the time from the start "
      "of one request to the start of the next.</p>\n<div class=\"card\">\n");
  if (report_.hosts.total == 0) Add("<p>No host was asked yet.</p>");
  for (const HostReceipt& host : report_.hosts.rows) Receipt(host);
  Add("{}</div></section>\n", More(report_.hosts.left_out(), "hosts"));
}

}  // namespace

std::string ReportHtml(const CrawlReport& report, const std::string& folder) {
  return HtmlReport(report, folder).Write();
}

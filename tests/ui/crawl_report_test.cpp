#include "crawl_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "html_plot.hpp"
#include "html_text.hpp"
#include "report_words.hpp"

namespace {

using crawler::CrawlReport;
using std::chrono::milliseconds;

constexpr const char* kEvil =
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> \x1b[31m \xe2\x80\xae \xff";
constexpr const char* kEvilUrl = "http://a/\"onmouseover=alert(1)><script>x</script>";

crawler::HostReceipt Host(const std::string& origin) {
  crawler::HostReceipt host;
  host.origin = origin;
  host.requests = 11;
  host.active = milliseconds(10'000);
  host.first = milliseconds(1'000);
  host.last = milliseconds(11'000);
  host.shortest_gap = milliseconds(990);
  host.asked_gap = milliseconds(1'000);
  host.robots.known = true;
  host.robots.status = 200;
  host.robots.policy = "rules";
  host.robots.sha256 = "abc";
  host.robots.rules = {{{3, std::string("Disallow: ") + kEvil, 7}}, 2};
  return host;
}

/// A report whose every text is hostile.
CrawlReport Hostile() {
  CrawlReport report;
  report.status.state = kEvil;
  report.seeds = {kEvilUrl, "javascript:alert(1)"};
  report.began = milliseconds(1'000);
  report.ended = milliseconds(61'000);
  report.fates = {{kEvil, 3}};
  report.skipped = {{kEvil, 3}};
  report.codes = {{200, 5, 5}, {404, 1, 1}};
  report.types = {{{kEvil, 5, 5'000}}, 3};
  report.depths = {{0, 1}, {1, 4}};
  report.sizes = {{1'000, 5}, {0, 0}};
  report.throughput = {milliseconds(1'000),
                       milliseconds(2'500),
                       {{3, 2, 1, 9}, {}, {1, 1, 0, 3}},
                       {milliseconds(1'500)}};
  report.broken = {
      {{kEvilUrl, "failed", kEvil, 0, 9, {{kEvilUrl, "link", kEvil}, {"", "seed", ""}}}}, 1'235};
  report.broken_links = 9;
  report.redirects = {
      {{"http://a/1", "http://a/1", "redirect", {"http://a/1", kEvilUrl}, 301, 301, 2, true}}, 1};
  report.redirect_loops = 1;
  report.duplicates = {{{kEvilUrl, 7, {kEvilUrl}}}, 1};
  report.near_duplicates = report.duplicates;
  report.missing_titles = {{kEvilUrl, "javascript:alert(1)"}, 2};
  report.shared_titles = {{{kEvil, 5, {kEvilUrl}}}, 1};
  report.dead_letters = {{{kEvilUrl, kEvil, 4}}, 1};
  report.hosts = {{Host(kEvilUrl)}, 3};
  report.slow_hosts = report.failing_hosts = report.hosts;
  return report;
}

std::size_t CountIn(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(CrawlReport, HtmlHasNoMarkupOfTheWeb) {
  const std::string html = ReportHtml(Hostile(), "/tmp/a b<script>");
  EXPECT_EQ(CountIn(html, "<script"), 1u) << "only that of the report";
  EXPECT_EQ(CountIn(html, "<img"), 0u);
  EXPECT_EQ(CountIn(html, "href=\"javascript"), 0u);
  EXPECT_EQ(CountIn(html, "\"onmouseover"), 0u);
  EXPECT_EQ(CountIn(html, "\x1b"), 0u);
  EXPECT_EQ(CountIn(html, "\xe2\x80\xae"), 0u) << "text that runs from right to left";
  EXPECT_EQ(CountIn(html, "\xff"), 0u);
  EXPECT_GT(CountIn(html, "&lt;script&gt;alert(1)&lt;/script&gt;"), 5u);
  EXPECT_NE(html.find("Content-Security-Policy"), html.npos);
}

TEST(CrawlReport, EveryLinkGivesNothingAway) {
  const std::string html = ReportHtml(Hostile(), "x");
  EXPECT_EQ(CountIn(html, "<a href=\"http"), CountIn(html, "rel=\"noopener noreferrer nofollow\""));
  EXPECT_GT(CountIn(html, "<a href=\"http"), 5u);
}

TEST(CrawlReport, RestsAreNamedWithTheCommandThatGivesThem) {
  const CrawlReport report = Hostile();
  EXPECT_NE(ReportText(report, "my crawl").find("and 1,234 more: crawler export 'my crawl' broken"),
            std::string::npos);
  EXPECT_NE(ReportHtml(report, "my crawl")
                .find("and 1,234 more: <code>crawler export &#39;my "
                      "crawl&#39; broken</code>"),
            std::string::npos);
}

TEST(CrawlReport, TextIsSafeForATerminal) {
  const std::string text = ReportText(Hostile(), "x");
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_EQ(text.find("\xe2\x80\xae"), text.npos);
  EXPECT_NE(text.find("1.00 requests/s, shortest gap 990 ms, asked for 1.00 s"), text.npos) << text;
  EXPECT_NE(text.find("line 3 refused 7"), text.npos);
}

TEST(CrawlReport, JsonHasAllParts) {
  const std::string text = ReportJson(Hostile());
  EXPECT_EQ(text.find('\x1b'), text.npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["broken"]["total"], 1'235);
  EXPECT_EQ(json["broken"]["rows"][0]["url"], kEvilUrl);
  EXPECT_EQ(json["redirects"]["rows"][0]["loop"], true);
  EXPECT_EQ(json["hosts"]["rows"][0]["shortest_gap_ms"], 990);
  EXPECT_EQ(json["hosts"]["rows"][0]["robots"]["rules"]["total"], 2);
  EXPECT_EQ(json["throughput"]["slots"].size(), 3u);
  EXPECT_TRUE(json["totals"]["this_run"].is_object());
}

TEST(CrawlReport, AnEmptyCrawl) {
  const std::string html = ReportHtml({}, "x");
  EXPECT_NE(html.find("Nothing was requested yet"), html.npos);
  EXPECT_NE(html.find("No host was asked yet"), html.npos);
  EXPECT_NE(html.find("Nothing: no broken link"), html.npos);
  EXPECT_NE(ReportText({}, "x").find("0 pages (0 B) from 0 hosts"), std::string::npos);
}

TEST(CrawlReport, PlotsOfNothingAndOfOneMoment) {
  EXPECT_EQ(ThroughputPlot({}), "");
  EXPECT_EQ(ThroughputPlot({milliseconds(100), milliseconds(0), {{1, 1, 0, 1}}, {}}), "");
  const std::string plot =
      ThroughputPlot({milliseconds(100), milliseconds(100), {{5, 5, 0, 1}, {1, 1, 0, 0}}, {}});
  EXPECT_EQ(plot.find("nan"), plot.npos);
  EXPECT_EQ(plot.find("inf"), plot.npos);
  EXPECT_NE(BarPlot({{"a", 0, false, ""}}).find("--w:0.0%"), std::string::npos);
}

TEST(CrawlReport, WordsForNumbers) {
  EXPECT_EQ(CodeText(404), "404 not found");
  EXPECT_EQ(CodeText(799), "799");
  EXPECT_EQ(ShortTime(std::chrono::microseconds(999)), "999 µs");
  EXPECT_EQ(ShortTime(milliseconds(1'250)), "1.25 s");
  EXPECT_EQ(UtcTime(milliseconds(1'000)), "1970-01-01 00:00:01 UTC");
  EXPECT_EQ(HtmlLink("ftp://a/"), "ftp://a/");
}

}  // namespace

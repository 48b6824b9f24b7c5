#include "end_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace {

using crawler::CrawlResult;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = CrawlResult::Outcome;

CrawlResult Finished() {
  CrawlResult result;
  crawler::CrawlStatistics& s = result.statistics;
  s.phase = "over";
  s.elapsed = s.elapsed_all = seconds(75);
  s.pages = 4'390;
  s.bytes = 163'000'000;
  s.hosts_asked = 1;
  s.hosts_known = 40;
  s.redirects = 3;
  s.refused = 1;
  s.urls_elsewhere = 297;
  s.urls_known = 4'693;
  s.urls_done = 4'396;
  result.breakdown.codes = {{200, 4'390, 4'390}, {301, 3, 3}, {404, 2, 2}};
  result.catalogue_bytes = 44'000'000;
  result.warc_bytes = 31'000'000;
  result.indexed_pages = 4'390;
  return result;
}

TEST(EndReport, SaysWhatHappenedWhereItIsAndWhatIsNext) {
  EXPECT_EQ(EndReport(Finished(), "docs", false),
            "Finished in 1:15: 4,390 pages from 1 host, 163 MB received.\n"
            "  3 redirects · 2 not found · 1 refused by robots.txt\n"
            "  297 URLs on other hosts were not followed (--scope domain or web would)\n"
            "Stored in docs: catalogue 44 MB, WARC 31 MB, index of 4,390 pages.\n"
            "Next: crawler search docs WORDS · crawler report docs --html report.html\n");
}

TEST(EndReport, ColoursAddNothing) {
  std::string text = EndReport(Finished(), "docs", true);
  EXPECT_THAT(text, HasSubstr("\033["));
  for (std::size_t at = 0; (at = text.find('\033')) != std::string::npos;) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  EXPECT_EQ(text, EndReport(Finished(), "docs", false));
}

TEST(EndReport, TellsThisRunFromAllRuns) {
  CrawlResult result = Finished();
  result.statistics.elapsed_all = seconds(100);
  result.statistics.requests = 5'000;
  result.statistics.this_run.pages = 1;
  result.statistics.this_run.requests = 12;
  result.statistics.this_run.bytes = 2'000;
  EXPECT_THAT(
      EndReport(result, "docs", false),
      HasSubstr("\n  This run: 1 page, 2.0 kB received, 12 requests; all runs: 5,000 requests in "
                "1:40\n"));
}

TEST(EndReport, ABudgetLeavesUrlsAndSaysHowToGoOn) {
  CrawlResult result = Finished();
  result.outcome = Outcome::kBudget;
  result.message = "max-pages";
  result.statistics.urls_waiting = 20;
  const std::string text = EndReport(result, "my docs", false);
  EXPECT_THAT(text, HasSubstr("Stopped after 1:15, because --max-pages is reached: 4,390 pages"));
  EXPECT_THAT(text, HasSubstr("\n  20 of 4,693 known URLs still wait\n"));
  EXPECT_THAT(text, HasSubstr("\nA larger --max-pages lets it go on, 0 without a limit.\n"
                              "To go on: crawler resume 'my docs'\n"));
  EXPECT_THAT(text, Not(HasSubstr("Next:")));
}

TEST(EndReport, AHostThatWasGivenUpComesFirst) {
  CrawlResult result = Finished();
  result.outcome = Outcome::kIncomplete;
  result.statistics.dead_letters = 20;
  result.given_up = {{"https://example.org", 20, "its host was given up at 14:03"}};
  const std::string text = EndReport(result, "docs", false);
  EXPECT_THAT(text, HasSubstr("Not complete: 20 URLs of https://example.org were not fetched.\n"
                              "  Its host was given up at 14:03.\n"
                              "Ended after 1:15: 4,390 pages"));
  EXPECT_THAT(text, HasSubstr(" · 20 given up\n"));
  EXPECT_THAT(text, HasSubstr("To try them again: crawler retry docs\n"));
}

TEST(EndReport, WithoutAPageTheSeedsSayWhy) {
  CrawlResult result;
  result.statistics.phase = "over";
  result.seed_failures = {{"http://127.0.0.1:8080/",
                           "was refused: 127.0.0.1 is loopback (127.0.0.0/8)",
                           "If the server is yours, add --allow-net 127.0.0.0/8."}};
  result.seeds_failed = 3;
  EXPECT_EQ(EndReport(result, "docs", false),
            "No page could be crawled.\n"
            "  http://127.0.0.1:8080/ was refused: 127.0.0.1 is loopback (127.0.0.0/8).\n"
            "  If the server is yours, add --allow-net 127.0.0.0/8.\n"
            "  … and 2 more.\n"
            "To try again: crawler resume docs, with the options that help\n");
}

TEST(EndReport, NothingFromTheWebMovesTheCursor) {
  CrawlResult result = Finished();
  result.outcome = Outcome::kIncomplete;
  result.given_up = {{"https://a\033[2J", 1, "\033]0;x\007"}};
  result.seed_failures = {{"http://b/\033[1A", "answered \r\n",
                           "\x9b"
                           "1m"}};
  const std::string text = EndReport(result, "docs", false);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x9b'), std::string::npos);
}

TEST(EndReport, JsonHasEverything) {
  CrawlResult result = Finished();
  result.statistics.this_run.pages = 7;
  result.breakdown.domains = {{"example.org", 10, 8, 2, 1'000}};
  result.breakdown.other_domains = 5;
  result.breakdown.others = {"", 6, 5, 1, 50};
  result.seed_failures = {{"http://x/", "answered 403 (forbidden)", "Check the URL."}};
  result.seeds_failed = 1;
  const auto json = nlohmann::json::parse(EndReportJson(result, "docs"));
  EXPECT_EQ(json["pages"], 4'390);
  EXPECT_EQ(json["this_run"]["pages"], 7);
  EXPECT_EQ(json["hosts_asked"], 1);
  EXPECT_EQ(json["status_codes"]["404"]["urls"], 2);
  EXPECT_EQ(json["domains"]["example.org"]["errors"], 2);
  EXPECT_EQ(json["other_domains"]["domains"], 5);
  EXPECT_EQ(json["other_domains"]["pages"], 5);
  EXPECT_EQ(json["seed_failures"][0]["what"], "answered 403 (forbidden)");
  EXPECT_EQ(json["seed_failures"][0]["hint"], "Check the URL.");
  EXPECT_EQ(json["warc_bytes"], 31'000'000);
}

}  // namespace

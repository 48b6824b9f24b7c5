#include "engine/visit_reporter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "unit/engine/test_response.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;
using Verdict = Frontier::Verdict;

TEST(VisitReporter, TellsLinksThenThePage) {
  const auto scope = TestScope(Reach::kHost);
  LinkOffers links(*scope, {}, -1);
  links.AddLink("http://e.com/a", 1, false, 0);
  links.AddLink("http://e.com/b", 1, true, 0);
  PageRow row;
  row.url = "http://e.com/page";
  row.title = "Title";
  row.content_type = "text/html";
  row.status = 203;
  row.depth = 2;
  row.score = 250;
  row.size = 4;

  std::vector<std::string> told;
  CrawlCallbacks callbacks;
  callbacks.on_edge = [&](std::string_view from, std::string_view to, bool nofollow) {
    told.push_back(std::string(from) + " -> " + std::string(to) + (nofollow ? " nofollow" : ""));
  };
  callbacks.on_page = [&](const CrawledPage& page) {
    told.emplace_back(page.url);
    EXPECT_EQ(page.title, "Title");
    EXPECT_EQ(page.text, "text");
    EXPECT_EQ(page.body, "body");
    EXPECT_EQ(page.content_type, "text/html");
    EXPECT_EQ(page.status, 203);
    EXPECT_EQ(page.depth, 2);
    EXPECT_DOUBLE_EQ(page.score, 2.5);
    EXPECT_EQ(page.size, 4u);
    EXPECT_EQ(page.change, "changed");
  };
  const Logger logger;
  VisitReporter(logger, callbacks).PageFound({row, PageChange::kChanged, "text", "body", links});
  EXPECT_EQ(told, (Lines{"http://e.com/page -> http://e.com/a",
                         "http://e.com/page -> http://e.com/b nofollow", "http://e.com/page"}));
  // Without callbacks nobody is told.
  const CrawlCallbacks none;
  VisitReporter(logger, none).PageFound({row, PageChange::kNone, "text", "body", links});
  EXPECT_EQ(told.size(), 3u);
}

TEST(VisitReporter, TellsOnlyOfUnchangedAndGonePages) {
  Frontier::Lease lease;
  lease.url = "http://e.com/page";
  lease.depth = 2;
  lease.score = 250;
  std::vector<std::string> told;
  CrawlCallbacks callbacks;
  callbacks.on_known_page = [&](const CrawledPage& page) {
    EXPECT_EQ(page.url, "http://e.com/page");
    EXPECT_EQ(page.depth, 2);
    EXPECT_DOUBLE_EQ(page.score, 2.5);
    told.push_back(std::string(page.change) + " " + std::to_string(page.status) + " " +
                   std::to_string(page.size));
  };
  const Logger logger;
  VisitReporter reporter(logger, callbacks);
  for (const PageChange change : {PageChange::kNone, PageChange::kNew, PageChange::kChanged,
                                  PageChange::kUnchanged, PageChange::kGone, PageChange::kKept}) {
    VisitEnd end;
    end.change = change;
    reporter.VisitEnded(lease, TestResponse(404, "gone"),
                        TestClass(Kind::kDone, VisitOutcome::kHttpError), end, TimePoint());
    reporter.Refused(lease, {}, change);
  }
  EXPECT_EQ(told, (Lines{"unchanged 404 4", "unchanged 0 0", "gone 404 4", "gone 0 0"}));
}

class VisitReporterLogTest : public testing::Test {
 protected:
  // The lines without time, level and thread, e.g. "URL failed {…}".
  std::vector<std::string> Log(const FetchResult& result, const ResponseClass& response,
                               Verdict verdict, LogLevel level = LogLevel::kDebug) {
    std::vector<std::string> lines;
    const Logger logger(
        [&lines](LogLevel, std::string_view line) {
          lines.emplace_back(line.substr(line.find(" - ") + 3));
        },
        level);
    Frontier::Lease lease;
    lease.url = "http://e.com/";
    lease.failures = 1;
    lease.depth = 2;
    const CrawlCallbacks none;
    VisitReporter(logger, none)
        .VisitEnded(lease, result, response,
                    {verdict, verdict == Verdict::kGivenUp, std::chrono::milliseconds(2'500), {}},
                    TimePoint());
    return lines;
  }
};

TEST_F(VisitReporterLogTest, AFailureSaysWhenItIsTriedAgain) {
  EXPECT_EQ(
      Log(TestResponse(500), TestClass(Kind::kRetry, VisitOutcome::kHttpError), Verdict::kWaits),
      (Lines{R"(URL failed {url=http://e.com/, status=500, why="status 500"})",
             R"(Retry scheduled {url=http://e.com/, attempt=3, delay_ms=2500, )"
             R"(why="status 500"})"}));
}

TEST_F(VisitReporterLogTest, TheLastFailureSaysThatRetriesAreExhausted) {
  EXPECT_EQ(Log(TestFailure(FetchFailure::kDisconnected, "cut"),
                TestClass(Kind::kRetry, VisitOutcome::kFailed, "cut"), Verdict::kGivenUp,
                LogLevel::kWarn),
            (Lines{"Retries exhausted {url=http://e.com/, attempts=2, why=cut}"}));
}

TEST_F(VisitReporterLogTest, APageIsADebugLine) {
  const FetchResult page = TestResponse(200, "body");
  const ResponseClass response = TestClass(Kind::kPage, VisitOutcome::kPage);
  const Lines lines = Log(page, response, Verdict::kOver);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].substr(0, lines[0].find(", ms=")),
            "URL fetched {url=http://e.com/, status=200, outcome=page, bytes=4");
  EXPECT_TRUE(Log(page, response, Verdict::kOver, LogLevel::kInfo).empty());
}

TEST_F(VisitReporterLogTest, AThrottledHostIsNoFailure) {
  ResponseClass response = TestClass(Kind::kThrottled, VisitOutcome::kThrottled);
  response.retry_after = std::chrono::seconds(7);
  EXPECT_EQ(Log(TestResponse(429), response, Verdict::kWaits),
            (Lines{"Host throttles the crawl {url=http://e.com/, status=429, "
                   "retry_after_ms=7000}"}));
}

TEST(VisitReporter, TellsThePolicyOrTheFailureOfRobots) {
  Lines lines;
  const Logger logger(
      [&lines](LogLevel level, std::string_view line) {
        lines.push_back((level == LogLevel::kInfo ? "info: " : "debug: ") +
                        std::string(line.substr(line.find(" - ") + 3)));
      },
      LogLevel::kDebug);
  Url url;
  ParseUrl("http://e.com/page", nullptr, &url);
  const ManualClock clock;
  const CrawlCallbacks none;
  VisitReporter reporter(logger, none);
  for (const FetchResult& result :
       {TestResponse(200, "User-agent: *\nCrawl-delay: 2\nDisallow: /x"), TestResponse(404),
        TestResponse(503), TestFailure(FetchFailure::kDns, "no such host")}) {
    reporter.RobotsAnswered(1, result,
                            ReadRobotsAnswer(result, url, "crawler", RetryPolicy(), clock));
  }
  EXPECT_EQ(
      lines,
      (Lines{"debug: robots.txt fetched {host=http://e.com, status=200, policy=rules, "
             "crawl_delay_ms=2000, ms=0}",
             "debug: robots.txt fetched {host=http://e.com, status=404, policy=\"allow all\", "
             "crawl_delay_ms=0, ms=0}",
             "info: robots.txt failed {host=http://e.com, status=503, why=\"status 503\"}",
             "info: robots.txt failed {host=http://e.com, status=0, "
             "why=\"dns: no such host\"}"}));
}

TEST(VisitReporter, AHostIsInTroubleUntilItAnswers) {
  const Logger logger;
  const CrawlCallbacks none;
  VisitReporter reporter(logger, none);
  Frontier::Lease lease;
  lease.host = 3;
  lease.url = "http://e.com/search?q=1";
  const auto end = [&](const FetchResult& result, Kind kind) {
    reporter.VisitEnded(lease, result, TestClass(kind, VisitOutcome::kHttpError), {}, TimePoint());
  };
  end(TestResponse(503), Kind::kThrottled);
  EXPECT_EQ(reporter.TroubleOf(3), "503 at /search?q=1");
  EXPECT_EQ(reporter.TroubleOf(4), "");
  end(TestFailure(FetchFailure::kConnectTimeout, "late"), Kind::kUnreachable);
  EXPECT_EQ(reporter.TroubleOf(3), "connect timeout at /search?q=1");
  end(TestResponse(404), Kind::kDone);
  EXPECT_EQ(reporter.TroubleOf(3), "");

  const ManualClock clock;
  const auto robots = [&](const FetchResult& result) {
    reporter.RobotsAnswered(
        3, result, ReadRobotsAnswer(result, TestUrl("http://e.com/"), "c", RetryPolicy(), clock));
  };
  robots(TestResponse(503));
  EXPECT_EQ(reporter.TroubleOf(3), "503 at /robots.txt");
  robots(TestResponse(404));
  EXPECT_EQ(reporter.TroubleOf(3), "");
}

TEST(VisitReporter, AHostThatWasGivenUpIsBackWhenItAnswersForAUrl) {
  using std::chrono::seconds;
  Lines lines;
  const Logger logger([&lines](LogLevel, std::string_view line) {
    lines.emplace_back(line.substr(line.find(" - ") + 3));
  });
  const CrawlCallbacks none;
  VisitReporter reporter(logger, none);
  Frontier::GivenUp url;
  url.host = 3;
  url.down = std::make_shared<const Frontier::HostDown>(Frontier::HostDown{
      Frontier::HostDown::Reason::kFailures, 4, {}, "http://e.com", {}, "refused"});
  reporter.HostGivenUp(url, GiveUpReason::kFailures, TimePoint() + seconds(10));
  const ManualClock clock;
  const FetchResult no_robots = TestResponse(404);
  reporter.RobotsAnswered(
      3, no_robots,
      ReadRobotsAnswer(no_robots, TestUrl("http://e.com/"), "c", RetryPolicy(), clock));
  Frontier::Lease lease;
  lease.host = 3;
  lease.url = "http://e.com/";
  for (int i = 0; i < 2; ++i) {  // It is back once.
    reporter.VisitEnded(lease, TestResponse(200), TestClass(Kind::kPage, VisitOutcome::kPage), {},
                        TimePoint() + seconds(70));
  }
  EXPECT_EQ(lines, (Lines{"Host given up {host=http://e.com, reason=failures, attempts=4, "
                          "why=refused}",
                          "Host back {url=http://e.com/, down_ms=60000}"}));
}

TEST(VisitReporter, LogsRefusalsAndLimits) {
  Lines lines;
  const Logger logger(
      [&lines](LogLevel, std::string_view line) {
        lines.emplace_back(line.substr(line.find(" - ") + 3));
      },
      LogLevel::kDebug);
  const CrawlCallbacks none;
  const VisitReporter reporter(logger, none);
  Frontier::Lease lease;
  lease.url = "http://e.com/map.xml";
  RobotsVerdict verdict;
  verdict.rule = "Disallow: /map";
  verdict.line = 3;
  reporter.Refused(lease, verdict, PageChange::kNone);
  reporter.SitemapLimitReached(lease, "2 sitemaps per host");
  EXPECT_EQ(lines, (Lines{"URL refused by robots.txt {url=http://e.com/map.xml, "
                          "rule=\"Disallow: /map\", line=3}",
                          "Limit of sitemaps reached {url=http://e.com/map.xml, "
                          "limit=\"2 sitemaps per host\"}"}));
}

TEST(VisitReporter, ShowsTheUrlWhoseFetchBeganLast) {
  const Logger logger;
  const CrawlCallbacks none;
  VisitReporter reporter(logger, none);
  EXPECT_EQ(reporter.current_url(), "");
  reporter.Begin("http://e.com/a");
  reporter.Begin("http://e.com/b");
  reporter.End("http://e.com/a");
  EXPECT_EQ(reporter.current_url(), "http://e.com/b");
  reporter.End("http://e.com/b");
  EXPECT_EQ(reporter.current_url(), "");
}

}  // namespace
}  // namespace crawler

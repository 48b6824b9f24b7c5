#include "engine/visit_log.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/engine/test_response.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;
using Verdict = Frontier::Verdict;

class VisitLogTest : public testing::Test {
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
    LogVisit(logger, lease, result, response,
             {verdict, verdict == Verdict::kGivenUp, std::chrono::milliseconds(2'500)});
    return lines;
  }
};

TEST_F(VisitLogTest, AFailureSaysWhenItIsTriedAgain) {
  EXPECT_EQ(
      Log(TestResponse(500), TestClass(Kind::kRetry, VisitOutcome::kHttpError), Verdict::kWaits),
      (Lines{R"(URL failed {url=http://e.com/, status=500, why="status 500"})",
             R"(Retry scheduled {url=http://e.com/, attempt=3, delay_ms=2500, )"
             R"(why="status 500"})"}));
}

TEST_F(VisitLogTest, TheLastFailureSaysThatRetriesAreExhausted) {
  EXPECT_EQ(Log(TestFailure(FetchFailure::kDisconnected, "cut"),
                TestClass(Kind::kRetry, VisitOutcome::kFailed, "cut"), Verdict::kGivenUp,
                LogLevel::kWarn),
            (Lines{"Retries exhausted {url=http://e.com/, attempts=2, why=cut}"}));
}

TEST_F(VisitLogTest, APageIsADebugLine) {
  const FetchResult page = TestResponse(200, "body");
  const ResponseClass response = TestClass(Kind::kPage, VisitOutcome::kPage);
  const Lines lines = Log(page, response, Verdict::kOver);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].substr(0, lines[0].find(", ms=")),
            "URL fetched {url=http://e.com/, status=200, outcome=page, bytes=4");
  EXPECT_TRUE(Log(page, response, Verdict::kOver, LogLevel::kInfo).empty());
}

TEST_F(VisitLogTest, AThrottledHostIsNoFailure) {
  ResponseClass response = TestClass(Kind::kThrottled, VisitOutcome::kThrottled);
  response.retry_after = std::chrono::seconds(7);
  EXPECT_EQ(Log(TestResponse(429), response, Verdict::kWaits),
            (Lines{"Host throttles the crawl {url=http://e.com/, status=429, "
                   "retry_after_ms=7000}"}));
}

TEST(RobotsLogTest, TellsThePolicyOrTheFailure) {
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
  for (const FetchResult& result :
       {TestResponse(200, "User-agent: *\nCrawl-delay: 2\nDisallow: /x"), TestResponse(404),
        TestResponse(503), TestFailure(FetchFailure::kDns, "no such host")}) {
    LogRobotsAnswer(logger, result, ReadRobotsAnswer(result, url, "crawler", RetryPolicy(), clock));
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

}  // namespace
}  // namespace crawler

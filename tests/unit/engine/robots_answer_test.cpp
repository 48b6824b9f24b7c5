#include "engine/robots_answer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "test_response.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;
using std::chrono::seconds;

constexpr std::string_view kRules =
    "User-agent: *\nDisallow: /a\nCrawl-delay: 2.5\nSitemap: /map.xml\n";

class RobotsAnswerTest : public ::testing::Test {
 protected:
  RobotsAnswerTest() { clock_.Advance(seconds(100)); }

  RobotsAnswer Read(const FetchResult& result) {
    return ReadRobotsAnswer(result, TestUrl("http://e.com/page"), "testbot", RetryPolicy(), clock_);
  }

  ManualClock clock_{kTestTime};
};

TEST_F(RobotsAnswerTest, AFileGivesRules) {
  const RobotsAnswer answer =
      Read(TestResponse(200, std::string(kRules), "Cache-Control: max-age=3600\r\n"));
  EXPECT_FALSE(answer.refused());
  EXPECT_FALSE(answer.record.Check(TestUrl("http://e.com/a")).allowed);
  EXPECT_TRUE(answer.record.Check(TestUrl("http://e.com/b")).allowed);
  EXPECT_EQ(answer.row.origin, "http://e.com");
  EXPECT_EQ(answer.row.rules, kRules);
  EXPECT_EQ(answer.row.status, 200);
  EXPECT_EQ(answer.row.policy, "rules");
  EXPECT_DOUBLE_EQ(answer.row.crawl_delay, 2.5);
  EXPECT_EQ(answer.row.fetched_at, 1'700'000'100'500);
  EXPECT_EQ(answer.row.expires_at, answer.row.fetched_at + 3'600'000);
  EXPECT_EQ(answer.response.kind, Kind::kDone);
  EXPECT_EQ(answer.response.outcome, VisitOutcome::kRobots);
  EXPECT_EQ(answer.response.detail, "http://e.com/robots.txt");
  EXPECT_FALSE(answer.response.no_answer);
  EXPECT_EQ(answer.what, "status 200");
}

// RFC 9309, 2.5: at least 500 KiB are read; what came up to the limit counts.
TEST_F(RobotsAnswerTest, ALongFileCountsUpToTheLimit) {
  FetchResult cut = TestResponse(200, std::string(kRules) + std::string(kMaxRobotsBytes, '#'));
  cut.failure = FetchFailure::kTooLarge;
  cut.truncated = Truncation::kLength;
  const RobotsAnswer answer = Read(cut);
  EXPECT_FALSE(answer.refused());
  EXPECT_FALSE(answer.record.Check(TestUrl("http://e.com/a")).allowed);
  EXPECT_EQ(answer.row.rules.size(), kMaxRobotsBytes);
  EXPECT_EQ(answer.response.detail, "http://e.com/robots.txt: too large");
}

TEST_F(RobotsAnswerTest, WithoutAFileEverythingIsAllowed) {
  for (const int status : {404, 403, 301}) {
    const RobotsAnswer answer = Read(TestResponse(status, "User-agent: *\nDisallow: /\n"));
    EXPECT_FALSE(answer.refused()) << status;
    EXPECT_TRUE(answer.record.Check(TestUrl("http://e.com/a")).allowed);
    EXPECT_EQ(answer.row.policy, "allow all");
    EXPECT_EQ(answer.row.rules, "") << "the body of an error is no robots.txt";
    EXPECT_EQ(answer.row.status, status);
    EXPECT_EQ(answer.response.kind, Kind::kDone);
  }
}

TEST_F(RobotsAnswerTest, AServerErrorRefusesForNow) {
  const RobotsAnswer answer = Read(TestResponse(500, std::string(kRules)));
  EXPECT_TRUE(answer.refused());
  EXPECT_FALSE(answer.record.Check(TestUrl("http://e.com/b")).allowed);
  EXPECT_EQ(answer.row.policy, "refuse all");
  EXPECT_EQ(answer.row.rules, "");
  EXPECT_EQ(answer.row.expires_at, answer.row.fetched_at + 60'000);
  EXPECT_EQ(answer.response.kind, Kind::kDone) << "it is tried again";
  EXPECT_TRUE(answer.response.no_answer);
  EXPECT_EQ(answer.what, "status 500");
  EXPECT_EQ(answer.refused_until, clock_.Now() + std::chrono::minutes(10));
}

TEST_F(RobotsAnswerTest, AHostThatAsksToWaitIsAskedAgainThen) {
  for (const int status : {429, 503}) {
    const RobotsAnswer answer = Read(TestResponse(status, {}, "Retry-After: 90\r\n"));
    EXPECT_TRUE(answer.refused()) << status;
    EXPECT_EQ(answer.response.retry_after, Duration(seconds(90)));
    EXPECT_EQ(answer.response.kind, Kind::kDone);
    EXPECT_EQ(answer.row.expires_at, answer.row.fetched_at + 90'000);
  }
}

TEST_F(RobotsAnswerTest, HalfAFileIsNoAnswer) {
  FetchResult half = TestResponse(200, "User-agent: *\n");
  half.failure = FetchFailure::kDisconnected;
  const RobotsAnswer answer = Read(half);
  EXPECT_TRUE(answer.refused());
  EXPECT_EQ(answer.row.rules, "");
  EXPECT_EQ(answer.response.kind, Kind::kDone);
  EXPECT_EQ(answer.what, "disconnected");
}

TEST_F(RobotsAnswerTest, AFailureThatMayPassIsTriedAgain) {
  const RobotsAnswer answer = Read(TestFailure(FetchFailure::kDns, "no such host"));
  EXPECT_TRUE(answer.refused());
  EXPECT_EQ(answer.response.kind, Kind::kDone);
  EXPECT_EQ(answer.response.detail, "http://e.com/robots.txt: dns: no such host");
  EXPECT_EQ(answer.what, "dns: no such host");
  EXPECT_EQ(answer.row.status, 0);
}

TEST_F(RobotsAnswerTest, AFailureThatWillNotPassGivesTheHostUp) {
  for (const FetchFailure failure : {FetchFailure::kTls, FetchFailure::kBlockedAddress}) {
    const RobotsAnswer answer = Read(TestFailure(failure, ""));
    EXPECT_TRUE(answer.refused());
    EXPECT_EQ(answer.response.kind, Kind::kDropped) << FetchFailureName(failure);
  }
}

TEST(CancelledRobotsRequest, IsAVisitThatWasCancelled) {
  const ResponseClass cancelled = CancelledRobotsRequest(TestUrl("https://e.com:8080/page"));
  EXPECT_EQ(cancelled.outcome, VisitOutcome::kCancelled);
  EXPECT_EQ(cancelled.detail, "https://e.com:8080/robots.txt");
  EXPECT_FALSE(cancelled.is_failure());
}

TEST_F(RobotsAnswerTest, SitemapsAreOfferedWhereverTheyAre) {
  const auto scope = TestScope(Reach::kHost);
  LinkOffers offers(*scope, {}, -1);
  const RobotsAnswer named = Read(TestResponse(
      200, "Sitemap: /map.xml\nSitemap: https://cdn.example/s.xml\nSitemap: ftp://f/"));
  OfferSitemaps(named.record, TestUrl("http://e.com/page"), 10, &offers);
  EXPECT_EQ(Describe(offers), (Lines{"http://e.com/map.xml sitemap file 0",
                                     "https://cdn.example/s.xml sitemap file 0"}));
}

TEST_F(RobotsAnswerTest, WithoutANamedSitemapTheUsualPlaceIsTried) {
  const auto scope = TestScope(Reach::kHost);
  for (const int status : {200, 404}) {
    LinkOffers offers(*scope, {}, -1);
    OfferSitemaps(Read(TestResponse(status)).record, TestUrl("http://e.com/page"), 10, &offers);
    EXPECT_EQ(Describe(offers), (Lines{"http://e.com/sitemap.xml sitemap file 0"}));
  }
}

}  // namespace
}  // namespace crawler

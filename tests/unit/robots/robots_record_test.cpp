// What a fetch of robots.txt means: RFC 9309, 2.3.1 and 2.4. The names in comments are those of
// robots/fetch_status_facts.json of the conformance data.
#include "robots/robots_record.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Outcome = RobotsFetch::Outcome;

RobotsFetch Response(int status) { return {Outcome::kResponse, status, {}, {}}; }
RobotsFetch Failure(Outcome outcome) { return {outcome, 0, {}, {}}; }

Url Parsed(std::string_view text) {
  Url url;
  ParseUrl(text, nullptr, &url);
  return url;
}

struct Host {
  RobotsRecord record{"TestBot/1.0"};
  ManualClock clock;
  RobotsVerdict Fetch(const RobotsFetch& fetch, std::string_view body = "") {
    record.Update(fetch, body, clock.Now());
    return record.Check(Parsed("http://h/page"));
  }
};

TEST(RobotsRecord, BeforeTheFirstFetchNothingIsAllowed) {
  Host host;
  EXPECT_LE(host.record.expires(), host.clock.Now());
  EXPECT_FALSE(host.record.Check(Parsed("http://h/")).allowed);
}

TEST(RobotsRecord, S01_RulesOfAResponseApply) {
  Host host;
  const RobotsVerdict verdict = host.Fetch(Response(200), "User-agent: *\nDisallow: /page\n");
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(verdict.line, 2);
  EXPECT_TRUE(host.record.Check(Parsed("http://h/other")).allowed);
}

TEST(RobotsRecord, S02_AnEmptyFileAllowsAll) {
  Host host;
  EXPECT_TRUE(host.Fetch(Response(200)).allowed);
  EXPECT_TRUE(host.Fetch(Response(204)).allowed);
}

// S1400, S1401, S1403, S1404, S1405, S1410, S1418, S1451: "unavailable". The body is not read.
TEST(RobotsRecord, S14xx_NoSuchFileAllowsAll) {
  for (const int status : {400, 401, 403, 404, 405, 410, 418, 451}) {
    Host host;
    const RobotsVerdict verdict = host.Fetch(Response(status), "User-agent: *\nDisallow: /\n");
    EXPECT_TRUE(verdict.allowed) << status;
    EXPECT_EQ(verdict.rule, "robots.txt answered " + std::to_string(status));
    EXPECT_GT(host.record.expires(), host.clock.Now() + hours(23));
  }
}

// S20 leaves the choice: we wait.
TEST(RobotsRecord, S20_TooManyRequestsRefusesForAWhile) {
  Host host;
  RobotsFetch fetch = Response(429);
  fetch.retry_after = seconds(600);
  EXPECT_FALSE(host.Fetch(fetch).allowed);
  EXPECT_GT(host.record.expires(), host.clock.Now() + seconds(599));
  EXPECT_LE(host.record.expires(), host.clock.Now() + seconds(600));
}

// S3500, S3502, S3503, S3504, S3599: "unreachable".
TEST(RobotsRecord, S35xx_ServerErrorsRefuseAllAndAreAskedAgain) {
  for (const int status : {500, 502, 503, 504, 599}) {
    Host host;
    EXPECT_FALSE(host.Fetch(Response(status)).allowed) << status;
    EXPECT_GT(host.record.expires(), host.clock.Now() + seconds(59));
    EXPECT_LE(host.record.expires(), host.clock.Now() + minutes(1));
  }
}

TEST(RobotsRecord, S40_S41_NetworkAndTlsErrorsRefuseAll) {
  Host host;
  const RobotsVerdict verdict = host.Fetch(Failure(Outcome::kUnreachable));
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(verdict.rule, "robots.txt is unreachable");
}

TEST(RobotsRecord, FailuresInARowAreAskedAgainLessAndLess) {
  Host host;
  for (const int wait : {1, 2, 4, 8, 16, 32, 60, 60}) {
    host.Fetch(Response(503));
    EXPECT_EQ(host.record.expires() - host.clock.Now(), minutes(wait));
    host.clock.Advance(minutes(wait));
  }
  host.Fetch(Response(200));
  host.Fetch(Response(503));
  EXPECT_EQ(host.record.expires() - host.clock.Now(), minutes(1));
}

TEST(RobotsRecord, AHostThatFailsIsRefusedWhateverItSaidBefore) {
  Host host;
  EXPECT_TRUE(host.Fetch(Response(200), "User-agent: *\nAllow: /page\n").allowed);
  EXPECT_FALSE(host.Fetch(Response(500)).allowed);
  EXPECT_TRUE(host.Fetch(Response(404)).allowed);
}

// S51 to S55: up to five redirects are followed; what the last one answers counts, for the
// authority asked first.
TEST(RobotsRecord, S51_S55_FiveRedirectsAreFollowed) {
  EXPECT_EQ(kMaxRobotsRedirects, 5);
  EXPECT_EQ(PolicyOf(Response(200)), RobotsPolicy::kRules);
  EXPECT_EQ(RobotsUrlOf(Parsed("http://first.example/a")), "http://first.example/robots.txt");
}

TEST(RobotsRecord, S56_S57_RedirectsWithoutEndMeanNoFile) {
  Host host;
  EXPECT_TRUE(host.Fetch(Failure(Outcome::kTooManyRedirects)).allowed);
  EXPECT_EQ(PolicyOf(Response(302)), RobotsPolicy::kAllowAll);  // Without a Location.
}

// S60 and S61 are RobotsTxt.OnlyTheBeginningOfAHugeFileIsRead.

TEST(RobotsRecord, S70_HoldsForADayAtMost) {
  Host host;
  host.Fetch(Response(200));
  EXPECT_GT(host.record.expires(), host.clock.Now() + hours(24) - seconds(1));
  EXPECT_LE(host.record.expires(), host.clock.Now() + hours(24));
}

TEST(RobotsRecord, S71_MaxAgeIsHonouredWithinLimits) {
  const auto lifetime = [](seconds max_age) {
    RobotsFetch fetch = Response(200);
    fetch.max_age = max_age;
    return LifetimeOf(fetch, 0);
  };
  EXPECT_EQ(lifetime(hours(2)), hours(2));
  EXPECT_EQ(lifetime(hours(1000)), hours(24));
  EXPECT_EQ(lifetime(seconds(0)), minutes(5));
}

TEST(RobotsRecord, S80_MarkupAroundRulesIsIgnored) {
  Host host;
  EXPECT_FALSE(
      host.Fetch(Response(200), "<html><body>\nUser-agent: *\n<br>\nDisallow: /page\n</body>")
          .allowed);
}

// S81 (gzip) is the fetcher's: bodies arrive decoded.

TEST(RobotsRecord, S90_EveryAuthorityHasItsOwnFile) {
  EXPECT_EQ(RobotsUrlOf(Parsed("http://h:8080/a?b")), "http://h:8080/robots.txt");
  EXPECT_EQ(RobotsUrlOf(Parsed("http://u:p@h:80/a")), "http://h/robots.txt");
  EXPECT_EQ(RobotsUrlOf(Parsed("https://h/a")), "https://h/robots.txt");
}

}  // namespace
}  // namespace crawler

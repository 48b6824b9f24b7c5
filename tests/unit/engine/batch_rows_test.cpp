#include "engine/batch_rows.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "test_response.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;
using Verdict = Frontier::Verdict;
using Reason = Frontier::HostDown::Reason;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

Frontier::Lease Lease() {
  Frontier::Lease lease;
  lease.id = 7;
  lease.host = 2;
  lease.failures = 1;
  lease.score = 250;
  return lease;
}

TEST(ToVisitRow, HasTheRequestAndItsMeaning) {
  FetchResult result = TestResponse(503, "wait");
  result.remote_address = IpAddress::FromText("192.0.2.7");
  result.timings = {microseconds(1), microseconds(2), microseconds(3), microseconds(4),
                    microseconds(5)};
  ResponseClass response = TestClass(Kind::kThrottled, VisitOutcome::kThrottled, "detail");
  response.retry_after = microseconds(1'500'001);
  const VisitRow visit = ToVisitRow(Lease(), result, response);
  EXPECT_EQ(visit.url, 7u);
  EXPECT_EQ(visit.host, 0u) << "that is for robots.txt";
  EXPECT_EQ(visit.at, 1'700'000'000'500);
  EXPECT_EQ(visit.outcome, VisitOutcome::kThrottled);
  EXPECT_EQ(visit.status, 503);
  EXPECT_EQ(visit.detail, "detail");
  EXPECT_EQ(visit.failures, 1u) << "to be asked to wait is no failure";
  EXPECT_EQ(visit.score, 250);
  EXPECT_EQ(visit.address, "192.0.2.7");
  EXPECT_EQ(visit.protocol, "HTTP/1.1");
  EXPECT_EQ(visit.bytes, 4u);
  EXPECT_EQ(visit.resolved, 1);
  EXPECT_EQ(visit.connected, 2);
  EXPECT_EQ(visit.secured, 3);
  EXPECT_EQ(visit.first_byte, 4);
  EXPECT_EQ(visit.total, 5);
  EXPECT_EQ(visit.retry_after, 1501) << "rounded up";
}

TEST(ToVisitRow, AFailureCounts) {
  const FetchResult result = TestFailure(FetchFailure::kDns, "no such host");
  const VisitRow visit =
      ToVisitRow(Lease(), result, TestClass(Kind::kUnreachable, VisitOutcome::kFailed));
  EXPECT_EQ(visit.failures, 2u);
  EXPECT_EQ(visit.failure, FetchFailure::kDns);
  EXPECT_EQ(visit.address, "");
  EXPECT_EQ(visit.protocol, "");
  EXPECT_EQ(visit.retry_after, 0);
}

TEST(ToRobotsVisitRow, IsOfAHostAndNoUrl) {
  const VisitRow visit = ToRobotsVisitRow(Lease(), TestResponse(200),
                                          TestClass(Kind::kDone, VisitOutcome::kRobots, "robots"));
  EXPECT_EQ(visit.url, 0u);
  EXPECT_EQ(visit.host, 2u);
  EXPECT_EQ(visit.outcome, VisitOutcome::kRobots);
  EXPECT_EQ(visit.status, 200);
  EXPECT_EQ(visit.detail, "robots");
}

TEST(ToRefusedRow, NamesTheRule) {
  const VisitRow visit = ToRefusedRow(Lease(), {false, 3, "Disallow: /a"}, 1234);
  EXPECT_EQ(visit.url, 7u);
  EXPECT_EQ(visit.at, 1234);
  EXPECT_EQ(visit.outcome, VisitOutcome::kRefused);
  EXPECT_EQ(visit.detail, "robots.txt line 3: Disallow: /a");
  EXPECT_EQ(visit.score, 250);
  EXPECT_EQ(visit.failures, 1u);
  EXPECT_TRUE(visit.final);
  EXPECT_EQ(visit.status, 0);
  // No line decided.
  EXPECT_EQ(ToRefusedRow(Lease(), {false, 0, "robots.txt answered 500"}, 0).detail,
            "robots.txt: robots.txt answered 500");
}

VisitRow GivenUp(Reason reason, int attempts, std::string last) {
  ManualClock clock(kTestTime);
  clock.Advance(std::chrono::hours(1));
  Frontier::HostDown down;
  down.reason = reason;
  down.attempts = attempts;
  down.at = clock.Now() - std::chrono::minutes(2);
  down.origin = "http://e.com";
  down.last = std::move(last);
  Frontier::GivenUp url;
  url.url = 7;
  url.failures = 2;
  url.down = std::make_shared<const Frontier::HostDown>(down);
  return ToGivenUpRow(url, 1234, clock);
}

TEST(ToGivenUpRow, SaysWhyTheHostWasGivenUp) {
  const VisitRow failures = GivenUp(Reason::kFailures, 8, "dns: no such host");
  EXPECT_EQ(failures.url, 7u);
  EXPECT_EQ(failures.at, 1234);
  EXPECT_EQ(failures.outcome, VisitOutcome::kGivenUp);
  EXPECT_EQ(failures.failures, 2u);
  EXPECT_TRUE(failures.final);
  EXPECT_EQ(failures.given_up, GiveUpReason::kFailures);
  EXPECT_EQ(failures.detail,
            "its host http://e.com was given up at 2023-11-14T23:11:20Z after 8 failures in a row; "
            "the last: dns: no such host");

  const VisitRow throttled = GivenUp(Reason::kThrottled, 30, "");
  EXPECT_EQ(throttled.given_up, GiveUpReason::kThrottled);
  EXPECT_EQ(throttled.detail,
            "its host http://e.com was given up at 2023-11-14T23:11:20Z after 30 requests to wait "
            "in a row");

  const VisitRow robots = GivenUp(Reason::kRobotsCheck, 3, "status 500");
  EXPECT_EQ(robots.given_up, GiveUpReason::kNoRobots);
  EXPECT_EQ(robots.detail,
            "no robots.txt from its host http://e.com, given up at 2023-11-14T23:11:20Z after 3 "
            "attempts; the last: status 500");
  EXPECT_NE(GivenUp(Reason::kRobotsCheck, 1, "").detail.find("after 1 attempt"), std::string::npos);
  EXPECT_EQ(GivenUp(Reason::kRobotsCheck, 1, "").detail.find("attempts"), std::string::npos);
}

TEST(ToGivenUpRow, TheReasonMayBeForgotten) {
  Frontier::GivenUp url;
  url.url = 7;
  const VisitRow visit = ToGivenUpRow(url, 1234, ManualClock());
  EXPECT_EQ(visit.given_up, GiveUpReason::kFailures);
  EXPECT_EQ(visit.detail, "its host was given up");
}

TEST(DescribeVisit, IsTheDetailOrTheStatus) {
  VisitRow visit;
  visit.status = 404;
  EXPECT_EQ(DescribeVisit(visit), "status 404");
  visit.detail = "dns: no such host";
  EXPECT_EQ(DescribeVisit(visit), "dns: no such host");
}

// The row and the reason of its dead letter.
std::pair<VisitRow, std::string> After(Verdict verdict, Kind kind, std::uint32_t failures) {
  RetryPolicy policy;
  policy.retries = 3;
  VisitRow visit;
  visit.failures = failures;
  visit.detail = "what";
  AddVerdict(verdict, TestClass(kind, VisitOutcome::kFailed), policy, &visit);
  return {visit, DeadLetterReason(visit, DescribeVisit(visit))};
}

TEST(AddVerdict, AUrlThatWaitsIsNotOver) {
  EXPECT_FALSE(After(Verdict::kWaits, Kind::kRetry, 1).first.final);
  const VisitRow over = After(Verdict::kOver, Kind::kPage, 0).first;
  EXPECT_TRUE(over.final);
  EXPECT_EQ(over.given_up, GiveUpReason::kNone);
}

TEST(AddVerdict, TellsAUrlWithoutRetriesFromAHostThatIsDown) {
  const auto [used_up, used_up_reason] = After(Verdict::kGivenUp, Kind::kRetry, 4);
  EXPECT_TRUE(used_up.final);
  EXPECT_EQ(used_up.given_up, GiveUpReason::kNone);
  EXPECT_EQ(used_up_reason, "what");

  const auto [down, down_reason] = After(Verdict::kGivenUp, Kind::kRetry, 3);
  EXPECT_TRUE(down.final);
  EXPECT_EQ(down.given_up, GiveUpReason::kFailures);
  EXPECT_EQ(down_reason, "what; its host was given up then");

  EXPECT_EQ(After(Verdict::kGivenUp, Kind::kUnreachable, 9).first.given_up,
            GiveUpReason::kFailures);
  EXPECT_EQ(After(Verdict::kGivenUp, Kind::kThrottled, 0).first.given_up, GiveUpReason::kThrottled);
}

Document HtmlDocument() {
  Document document;
  document.kind = Document::Kind::kHtml;
  document.media_type = "text/html";
  document.charset.charset = Charset::kUtf8;
  document.page.title = "Title";
  document.page.description = "About";
  document.page.language = "de-AT";
  document.page.canonical = "http://e.com/canonical";
  return document;
}

TEST(ToPageRow, HasWhatUrlResponseAndDocumentSay) {
  FetchResult result = TestResponse(203, "packed", "ETag: \"v1\"\r\nLast-Modified: then\r\n");
  result.decoded_body = "the content";
  result.body_is_raw = false;
  Frontier::Lease lease = Lease();
  lease.url = "http://e.com/page";
  lease.depth = 2;
  const PageRow row = ToPageRow(lease, result, HtmlDocument(), DigestOf("the content"), {});
  EXPECT_EQ(row.url_id, 7u);
  EXPECT_EQ(row.url, "http://e.com/page");
  EXPECT_EQ(row.domain, "e.com");
  EXPECT_EQ(row.title, "Title");
  EXPECT_EQ(row.description, "About");
  EXPECT_EQ(row.content_hash, HexDigestOf("the content"));
  EXPECT_EQ(row.status, 203);
  EXPECT_EQ(row.crawled_at, 1'700'000'000'500);
  EXPECT_EQ(row.etag, "\"v1\"");
  EXPECT_EQ(row.last_modified, "then");
  EXPECT_EQ(row.depth, 2u);
  EXPECT_EQ(row.score, 250);
  EXPECT_EQ(row.size, 11u) << "of the content, not of what was received";
  EXPECT_EQ(row.content_type, "text/html");
  EXPECT_EQ(row.charset, "UTF-8");
  EXPECT_EQ(row.language, "de-AT");
  EXPECT_EQ(row.canonical, "http://e.com/canonical");
  EXPECT_FALSE(row.noindex || row.nofollow);
  EXPECT_EQ(row.truncated, "");
  EXPECT_EQ(row.duplicate_of, 0u);
  EXPECT_EQ(row.links, "");
  EXPECT_FALSE(row.payload_hash);
}

TEST(ToPageRow, EmptyAndCutPagesAreRows) {
  FetchResult result = TestResponse(200);
  result.truncated = Truncation::kDisconnect;
  Document document;
  document.page.robots.noindex = true;
  const PageRow noindex = ToPageRow({}, result, document, DigestOf(""), {});
  EXPECT_EQ(noindex.truncated, "disconnect");
  EXPECT_EQ(noindex.size, 0u);
  EXPECT_EQ(noindex.etag, "");
  EXPECT_EQ(noindex.content_type, "");
  EXPECT_TRUE(noindex.noindex);
  EXPECT_FALSE(noindex.nofollow);
  document.page.robots = {};
  document.page.robots.nofollow = true;
  const PageRow nofollow = ToPageRow({}, result, document, DigestOf(""), {});
  EXPECT_FALSE(nofollow.noindex);
  EXPECT_TRUE(nofollow.nofollow);
}

TEST(ToPageRow, HasTheHeadingTheLanguagesAndSomeHeaders) {
  const FetchResult result = TestResponse(
      200, "x",
      "Server: a\"b \xff\r\nX-Secret: 1\r\nVary: Accept\r\nvary: Cookie\r\nCache-Control: " +
          std::string(1'000, 'c') + "\r\n");
  Document document = HtmlDocument();
  document.page.text = "Before\nThe heading\nAfter";
  document.page.h1 = {7, 11};
  document.page.alternates = {{"de", "", "http://e.com/de"},
                              {"", "application/rss+xml", "http://e.com/feed"},
                              {"de", "", "http://e.com/second"},
                              {"x-\"\u00e4", "", "http://e.com/x"}};
  const PageRow row = ToPageRow({}, result, document, DigestOf("x"), {});
  EXPECT_EQ(row.h1, "The heading");
  EXPECT_EQ(row.hreflang, "{\"de\":\"http://e.com/de\",\"x-\\\"\u00e4\":\"http://e.com/x\"}");
  EXPECT_EQ(row.headers, "{\"cache-control\":\"" + std::string(500, 'c') +
                             "\",\"server\":\"a\\\"b \\u00ff\",\"vary\":\"Accept, Cookie\"}");
  document.page.alternates.clear();
  for (int i = 0; i < 1'000; ++i) {
    document.page.alternates.push_back({"l" + std::to_string(i), "", "http://e.com/"});
  }
  const PageRow many = ToPageRow({}, result, document, DigestOf("x"), {});
  EXPECT_NE(many.hreflang.find("\"l99\""), many.hreflang.npos);
  EXPECT_EQ(many.hreflang.find("\"l100\""), many.hreflang.npos);
}

TEST(ToPageRow, KeepsThePayloadHashIfItIsNotThatOfTheContent) {
  const FetchResult result = TestResponse(200, "packed");
  const auto payload_hash = [&](const EncodedCapture& capture) {
    return ToPageRow({}, result, HtmlDocument(), DigestOf("content"), capture).payload_hash;
  };
  EncodedCapture capture;
  EXPECT_FALSE(payload_hash(capture)) << "nothing was archived";
  capture.members.emplace_back();
  capture.payload_digest = DigestOf("content");
  EXPECT_EQ(payload_hash(capture), "");
  const Sha256Digest packed = DigestOf("packed");
  capture.payload_digest = packed;
  EXPECT_EQ(payload_hash(capture), std::string(packed.begin(), packed.end()));
}

TEST(ToOutcome, TellsTheFrontierWhatTheRequestCameTo) {
  FetchResult result = TestResponse(503);
  result.timings.total = milliseconds(250);
  result.remote_address = IpAddress::FromText("192.0.2.7");
  ResponseClass response;
  response.kind = Kind::kRetry;
  response.no_answer = true;
  response.server_error = true;
  response.retry_after = seconds(9);
  const TimePoint now = TimePoint() + seconds(100);
  const Frontier::Outcome outcome = ToOutcome(result, response, now);
  EXPECT_EQ(outcome.kind, Kind::kRetry);
  EXPECT_TRUE(outcome.no_answer);
  EXPECT_TRUE(outcome.server_error);
  EXPECT_EQ(outcome.retry_after, Duration(seconds(9)));
  EXPECT_EQ(outcome.now, now);
  EXPECT_EQ(outcome.took, milliseconds(250));
  EXPECT_EQ(outcome.started, now - milliseconds(250));
  ASSERT_TRUE(outcome.address);
  EXPECT_EQ(outcome.address->ToString(), "192.0.2.7");

  const Frontier::Outcome plain = ToOutcome(TestResponse(200), {}, now);
  EXPECT_EQ(plain.kind, Kind::kDone);
  EXPECT_FALSE(plain.no_answer || plain.server_error || plain.retry_after || plain.address);
}

TEST(AddressOfHost, IsNeitherThatOfAProxyNorThatOfAnotherOrigin) {
  FetchResult result = TestResponse(200);
  result.remote_address = IpAddress::FromText("192.0.2.7");
  EXPECT_TRUE(AddressOfHost(result));
  result.via_proxy = true;
  EXPECT_FALSE(AddressOfHost(result));
  EXPECT_FALSE(ToOutcome(result, {}, TimePoint()).address)
      << "hosts behind a proxy share no address";
  result.via_proxy = false;
  result.redirected_from = {"http://elsewhere.example/"};
  EXPECT_FALSE(AddressOfHost(result));
}

TEST(NothingSent, TookNoTime) {
  const TimePoint now = TimePoint() + seconds(100);
  const Frontier::Outcome outcome = NothingSent(Kind::kReturned, now);
  EXPECT_EQ(outcome.kind, Kind::kReturned);
  EXPECT_EQ(outcome.now, now);
  EXPECT_EQ(outcome.started, now);
  EXPECT_EQ(outcome.took, Duration::zero());
}

}  // namespace
}  // namespace crawler

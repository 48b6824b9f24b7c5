// The table "Failures of the web are values" of the design, line by line.
#include "engine/response_class.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <tuple>

namespace crawler {
namespace {

const RetryPolicy kPolicy;

using Kind = Frontier::Outcome::Kind;

FetchResult Response(int status, std::string headers = {}) {
  FetchResult result;
  ParseUrl("http://e.com/", nullptr, &result.url);
  result.status = status;
  result.headers = HeaderBlock("HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers + "\r\n");
  result.raw_body = "body";
  result.started = WallTime(std::chrono::seconds(1'700'000'000));
  return result;
}

FetchResult Failure(FetchFailure failure, int status = 0, std::string body = {}) {
  FetchResult result = Response(status);
  result.failure = failure;
  result.raw_body = std::move(body);
  return result;
}

TEST(ResponseClass, DocumentsArePages) {
  for (const int status : {200, 203, 206}) {
    const ResponseClass response = ClassifyResponse(Response(status), {0}, kPolicy);
    EXPECT_EQ(response.kind, Kind::kPage) << status;
    EXPECT_EQ(response.outcome, VisitOutcome::kPage);
  }
}

TEST(ResponseClass, AnswersWithoutContentAreNone) {
  for (const int status : {204, 205}) {
    EXPECT_EQ(ClassifyResponse(Response(status), {0}, kPolicy).outcome, VisitOutcome::kEmpty)
        << status;
    EXPECT_EQ(ClassifyResponse(Response(status), {0}, kPolicy).kind, Kind::kDone);
  }
}

// RFC 9110, 15.4.5: it answers a condition. Without one it says nothing.
TEST(ResponseClass, NotModifiedIsNoAnswerToAPlainRequest) {
  EXPECT_EQ(ClassifyResponse(Response(304), {0}, kPolicy).outcome, VisitOutcome::kHttpError);
  EXPECT_EQ(ClassifyResponse(Response(304), {0}, kPolicy).kind, Kind::kDone);
}

// Its page is in the catalogue, and the request said which version of it.
TEST(ResponseClass, NotModifiedConfirmsThePageThatWasAskedAbout) {
  StoredPage stored;
  const ResponseClass confirmed = ClassifyResponse(Response(304), {2, &stored, true}, kPolicy);
  EXPECT_EQ(confirmed.kind, Kind::kPage);
  EXPECT_EQ(confirmed.outcome, VisitOutcome::kUnchanged);
  EXPECT_EQ(confirmed.detail, "");
  // A stored page that has no validators was asked for without a condition.
  const ResponseClass plain = ClassifyResponse(Response(304), {0, &stored, false}, kPolicy);
  EXPECT_EQ(plain.outcome, VisitOutcome::kHttpError);
  EXPECT_NE(plain.detail, "");
  // A conditional request that is answered with the page brings a page.
  const ResponseClass page = ClassifyResponse(Response(200), {0, &stored, true}, kPolicy);
  EXPECT_EQ(page.outcome, VisitOutcome::kPage);
  // A head that breaks off confirms nothing.
  const ResponseClass cut =
      ClassifyResponse(Failure(FetchFailure::kProtocol, 304), {0, &stored, true}, kPolicy);
  EXPECT_EQ(cut.outcome, VisitOutcome::kFailed);
}

TEST(ResponseClass, ARedirectIsDoneWhereverItPoints) {
  FetchResult result = Response(301);
  EXPECT_EQ(ClassifyResponse(result, {0}, kPolicy).outcome, VisitOutcome::kHttpError);
  result.redirect.emplace();
  ParseUrl("http://e.com/y", nullptr, &*result.redirect);
  EXPECT_EQ(ClassifyResponse(result, {0}, kPolicy).outcome, VisitOutcome::kRedirect);
  EXPECT_EQ(ClassifyResponse(result, {0}, kPolicy).kind, Kind::kDone);
  EXPECT_EQ(ClassifyResponse(result, {0}, kPolicy).detail, "to http://e.com/y");
  ParseUrl("http://user:secret@e.com/z", nullptr, &*result.redirect);
  EXPECT_EQ(ClassifyResponse(result, {0}, kPolicy).detail, "to http://e.com/z");
}

TEST(ResponseClass, OtherClientErrorsAreRecordedAndNotRetried) {
  for (const int status : {400, 401, 403, 404, 410, 451}) {
    const ResponseClass response = ClassifyResponse(Response(status), {0}, kPolicy);
    EXPECT_EQ(response.kind, Kind::kDone) << status;
    EXPECT_EQ(response.outcome, VisitOutcome::kHttpError);
    EXPECT_FALSE(response.no_answer || response.server_error);
  }
}

TEST(ResponseClass, ServerErrorsAreRetried) {
  for (const int status : {408, 500, 502, 503, 504}) {
    const ResponseClass response = ClassifyResponse(Response(status), {0}, kPolicy);
    EXPECT_EQ(response.kind, Kind::kRetry) << status;
    EXPECT_TRUE(response.server_error);
    EXPECT_FALSE(response.no_answer) << "a host that answers is not down";
  }
}

TEST(ResponseClass, ABodyThatWasCutDoesNotHideTheStatus) {
  for (const auto& [status, kind, outcome] :
       {std::tuple(404, Kind::kDone, VisitOutcome::kHttpError),
        std::tuple(500, Kind::kRetry, VisitOutcome::kHttpError),
        std::tuple(429, Kind::kThrottled, VisitOutcome::kThrottled)}) {
    const ResponseClass response =
        ClassifyResponse(Failure(FetchFailure::kTooLarge, status), {0}, kPolicy);
    EXPECT_EQ(response.kind, kind) << status;
    EXPECT_EQ(response.outcome, outcome) << status;
  }
}

TEST(ResponseClass, ABodyThereWasNoRoomForIsTriedAgainLater) {
  const ResponseClass response =
      ClassifyResponse(Failure(FetchFailure::kNoRoom, 200), {3}, kPolicy);
  EXPECT_EQ(response.kind, Kind::kRetry);
  EXPECT_TRUE(response.patient);
}

TEST(ResponseClass, ThrottlingCostsNoRetry) {
  EXPECT_EQ(ClassifyResponse(Response(429), {0}, kPolicy).kind, Kind::kThrottled);
  EXPECT_FALSE(ClassifyResponse(Response(429), {0}, kPolicy).retry_after.has_value());
  const ResponseClass alone = ClassifyResponse(Response(429), {1, nullptr, false, true}, kPolicy);
  EXPECT_EQ(alone.kind, Kind::kRetry) << "the host answers other URLs";
  EXPECT_EQ(alone.outcome, VisitOutcome::kThrottled);
  EXPECT_TRUE(alone.server_error && alone.retry_after.has_value());
  for (const int status : {429, 503}) {
    const ResponseClass seconds =
        ClassifyResponse(Response(status, "Retry-After: 7\r\n"), {0}, kPolicy);
    EXPECT_EQ(seconds.kind, Kind::kThrottled) << status;
    EXPECT_EQ(seconds.retry_after, std::chrono::seconds(7));
    EXPECT_FALSE(seconds.no_answer);
  }
  // 1,700,000,000 is Tue, 14 Nov 2023 22:13:20 GMT.
  const ResponseClass date = ClassifyResponse(
      Response(503, "Retry-After: Tue, 14 Nov 2023 22:13:50 GMT\r\n"), {0}, kPolicy);
  EXPECT_EQ(date.retry_after, std::chrono::seconds(30));
}

TEST(ResponseClass, AHostThatCannotBeReachedCostsTheUrlNoRetry) {
  for (const FetchFailure failure :
       {FetchFailure::kDns, FetchFailure::kRefused, FetchFailure::kConnectTimeout}) {
    const ResponseClass response = ClassifyResponse(Failure(failure), {0}, kPolicy);
    EXPECT_EQ(response.kind, Kind::kUnreachable) << FetchFailureName(failure);
    EXPECT_FALSE(response.uses_retry());
    EXPECT_FALSE(response.detail.empty());
  }
}

TEST(ResponseClass, ARequestWithoutAnswerCountsAgainstUrlAndHost) {
  for (const FetchFailure failure : {FetchFailure::kResponseTimeout, FetchFailure::kDisconnected}) {
    const ResponseClass response = ClassifyResponse(Failure(failure), {0}, kPolicy);
    EXPECT_TRUE(response.uses_retry()) << FetchFailureName(failure);
    EXPECT_TRUE(response.no_answer);
  }
  EXPECT_TRUE(ClassifyResponse(Failure(FetchFailure::kTls), {0}, kPolicy).no_answer);
}

TEST(ResponseClass, ABodyThatBreaksOffCountsAgainstTheUrlAlone) {
  for (const FetchFailure failure : {FetchFailure::kReadTimeout, FetchFailure::kDisconnected}) {
    const ResponseClass response = ClassifyResponse(Failure(failure, 200), {0}, kPolicy);
    EXPECT_TRUE(response.uses_retry()) << FetchFailureName(failure);
    EXPECT_FALSE(response.no_answer);
  }
}

TEST(ResponseClass, FailuresThatWillNotPassAreNot) {
  for (const FetchFailure failure :
       {FetchFailure::kBadUrl, FetchFailure::kTls, FetchFailure::kProtocol,
        FetchFailure::kBadEncoding, FetchFailure::kBlockedAddress}) {
    const ResponseClass response = ClassifyResponse(Failure(failure), {0}, kPolicy);
    EXPECT_EQ(response.kind, Kind::kDone) << FetchFailureName(failure);
    EXPECT_EQ(response.outcome, VisitOutcome::kFailed);
  }
  for (const FetchFailure failure : {FetchFailure::kUnwantedType, FetchFailure::kBomb}) {
    EXPECT_EQ(ClassifyResponse(Failure(failure, 200), {0}, kPolicy).outcome,
              VisitOutcome::kUnwanted);
  }
}

TEST(ResponseClass, WhatWasCutIsAPageIfThereIsSomethingOfIt) {
  EXPECT_TRUE(ClassifyResponse(Failure(FetchFailure::kTooLarge, 200, "x"), {0}, kPolicy).is_page());
  EXPECT_FALSE(ClassifyResponse(Failure(FetchFailure::kTooLarge, 200), {0}, kPolicy).is_page());
  // A body that breaks off may come whole the next time; the last time we take what there is.
  EXPECT_EQ(ClassifyResponse(Failure(FetchFailure::kDisconnected, 200, "x"), {2}, kPolicy).kind,
            Kind::kRetry);
  EXPECT_TRUE(
      ClassifyResponse(Failure(FetchFailure::kDisconnected, 200, "x"), {3}, kPolicy).is_page());
  EXPECT_EQ(ClassifyResponse(Failure(FetchFailure::kDisconnected, 500, "x"), {3}, kPolicy).kind,
            Kind::kRetry);
  // A part never takes the place of a whole page, but may of another part.
  StoredPage whole, part;
  part.truncated = true;
  EXPECT_TRUE(ClassifyResponse(Failure(FetchFailure::kDisconnected, 200, "x"), {3, &part}, kPolicy)
                  .is_page());
  EXPECT_EQ(
      ClassifyResponse(Failure(FetchFailure::kDisconnected, 200, "x"), {3, &whole}, kPolicy).kind,
      Kind::kRetry);
}

TEST(ResponseClass, WhatWeGaveUpOurselvesIsReturned) {
  EXPECT_EQ(ClassifyResponse(Failure(FetchFailure::kCancelled), {0}, kPolicy).kind,
            Kind::kReturned);
}

}  // namespace
}  // namespace crawler

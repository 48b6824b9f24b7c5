#include "engine/response_class.hpp"

#include <chrono>

#include "fetch/http_fields.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

std::optional<Duration> RetryAfter(const FetchResult& result) {
  const auto value = result.headers.Find("Retry-After");
  if (!value) return std::nullopt;
  return ParseRetryAfter(*value, result.started, kLongestRetryAfter);
}

ResponseClass AsPage() { return {Kind::kPage, VisitOutcome::kPage, {}, false, {}}; }

ResponseClass Retry(VisitOutcome outcome, std::string detail) {
  return {Kind::kRetry, outcome, std::move(detail), true, {}};
}

ResponseClass Done(VisitOutcome outcome, std::string detail = {}) {
  return {Kind::kDone, outcome, std::move(detail), false, {}};
}

ResponseClass ClassifyStatus(const FetchResult& result) {
  const int status = result.status;
  if (status == 204 || status == 205) return Done(VisitOutcome::kEmpty);
  if (status == 304) return Done(VisitOutcome::kHttpError, "not modified, which nobody had asked");
  if (status >= 200 && status < 300) return AsPage();
  if (status >= 300 && status < 400) {
    if (result.redirect) return Done(VisitOutcome::kRedirect);
    return Done(VisitOutcome::kHttpError, "a redirect that points nowhere");
  }
  std::optional<Duration> retry_after = RetryAfter(result);
  if (status == 429 || (status == 503 && retry_after)) {
    return {Kind::kThrottled, VisitOutcome::kThrottled, {}, false, retry_after};
  }
  if (status == 408 || status >= 500) return Retry(VisitOutcome::kHttpError, {});
  return Done(VisitOutcome::kHttpError);
}

bool HasSomething(const FetchResult& result) {
  return result.status >= 200 && result.status < 300 && !result.body().empty();
}

}  // namespace

std::string DescribeFailure(const FetchResult& result) {
  std::string text(FetchFailureName(result.failure));
  if (!result.message.empty()) text.append(": ").append(result.message);
  return text;
}

ResponseClass ClassifyResponse(const FetchResult& result, int failures, bool has_whole) {
  switch (result.failure) {
    case FetchFailure::kNone:
      return ClassifyStatus(result);
    case FetchFailure::kCancelled:
      return {Kind::kReturned, VisitOutcome::kFailed, DescribeFailure(result), false, {}};
    case FetchFailure::kTooLarge:
      if (HasSomething(result)) return AsPage();
      return Done(VisitOutcome::kUnwanted, DescribeFailure(result));
    case FetchFailure::kUnwantedType:
    case FetchFailure::kBomb:
      return Done(VisitOutcome::kUnwanted, DescribeFailure(result));
    case FetchFailure::kReadTimeout:
    case FetchFailure::kDisconnected:
      if (failures + 1 >= kMaxFailures && HasSomething(result) && !has_whole) return AsPage();
      return Retry(VisitOutcome::kFailed, DescribeFailure(result));
    case FetchFailure::kDns:
    case FetchFailure::kRefused:
    case FetchFailure::kConnectTimeout:
    case FetchFailure::kResponseTimeout:
    case FetchFailure::kLocal:
      return Retry(VisitOutcome::kFailed, DescribeFailure(result));
    case FetchFailure::kBadUrl:
    case FetchFailure::kTls:
    case FetchFailure::kProtocol:
    case FetchFailure::kBadEncoding:
    case FetchFailure::kBlockedAddress:
      break;
  }
  return Done(VisitOutcome::kFailed, DescribeFailure(result));
}

}  // namespace crawler

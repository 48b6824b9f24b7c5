#include "engine/response_class.hpp"

#include <chrono>
#include <utility>

#include "fetch/http_fields.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

std::optional<Duration> RetryAfter(const FetchResult& result) {
  const auto value = result.headers.Find("Retry-After");
  if (!value) return std::nullopt;
  return ParseRetryAfter(*value, result.started, kLongestRetryAfter);
}

ResponseClass Make(Kind kind, VisitOutcome outcome, std::string detail = {}) {
  ResponseClass made;
  made.kind = kind;
  made.outcome = outcome;
  made.detail = std::move(detail);
  return made;
}

ResponseClass AsPage() { return Make(Kind::kPage, VisitOutcome::kPage); }

ResponseClass Done(VisitOutcome outcome, std::string detail = {}) {
  return Make(Kind::kDone, outcome, std::move(detail));
}

ResponseClass ClassifyRedirect(const FetchResult& result) {
  if (!result.redirect) return Done(VisitOutcome::kHttpError, "a redirect that points nowhere");
  Url target = *result.redirect;
  target.RemoveCredentials();
  return Done(VisitOutcome::kRedirect, "to " + std::string(target.href()));
}

// A request to wait for one URL, while the host answers others, is an error of that URL.
ResponseClass Throttled(std::optional<Duration> retry_after, bool alone) {
  ResponseClass throttled = Make(Kind::kThrottled, VisitOutcome::kThrottled);
  throttled.retry_after = retry_after;
  if (!alone) return throttled;
  throttled.kind = Kind::kRetry;
  throttled.server_error = throttled.patient = true;
  throttled.retry_after = retry_after.value_or(Duration::zero());
  throttled.detail = "the host asks to wait for this URL, and answers others";
  return throttled;
}

ResponseClass ClassifyStatus(const FetchResult& result, const UrlHistory& history) {
  const int status = result.status;
  if (status == 204 || status == 205) return Done(VisitOutcome::kEmpty);
  if (status == 304) {
    if (history.conditional) return Make(Kind::kPage, VisitOutcome::kUnchanged);
    return Done(VisitOutcome::kHttpError, "not modified, although the request was not conditional");
  }
  if (status >= 200 && status < 300) return AsPage();
  if (status >= 300 && status < 400) return ClassifyRedirect(result);
  std::optional<Duration> retry_after = RetryAfter(result);
  if (status == 429 || (status == 503 && retry_after)) {
    return Throttled(retry_after, history.throttled_alone);
  }
  if (!IsRetriedStatus(status)) return Done(VisitOutcome::kHttpError);
  ResponseClass error = Make(Kind::kRetry, VisitOutcome::kHttpError);
  error.server_error = true;
  return error;
}

bool HasSomething(const FetchResult& result) {
  return result.status >= 200 && result.status < 300 && !result.body().empty();
}

bool HasWholePage(const UrlHistory& history) {
  return history.stored != nullptr && !history.stored->truncated;
}

}  // namespace

std::string DescribeFailure(const FetchResult& result) {
  std::string text(FetchFailureName(result.failure));
  if (!result.message.empty()) text.append(": ").append(result.message);
  return text;
}

ResponseClass ClassifyResponse(const FetchResult& result, const UrlHistory& history,
                               const RetryPolicy& policy) {
  // A body that was cut changes nothing about an error or a redirect.
  const bool cut = result.failure == FetchFailure::kTooLarge && result.status / 100 > 2;
  if (result.failure == FetchFailure::kNone || cut) return ClassifyStatus(result, history);
  const std::string detail = DescribeFailure(result);
  switch (FaultOf(result.failure, result.status)) {
    case Fault::kHost:
      return Make(Kind::kUnreachable, VisitOutcome::kFailed, detail);
    case Fault::kNoAnswer: {
      ResponseClass unanswered = Make(Kind::kRetry, VisitOutcome::kFailed, detail);
      unanswered.no_answer = true;
      return unanswered;
    }
    case Fault::kUrl:
      if (history.failures >= policy.retries && HasSomething(result) && !HasWholePage(history)) {
        return AsPage();
      }
      return Make(Kind::kRetry, VisitOutcome::kFailed, detail);
    case Fault::kUs: {
      ResponseClass retry = Make(Kind::kRetry, VisitOutcome::kFailed, detail);
      retry.patient = result.failure == FetchFailure::kNoRoom;
      return retry;
    }
    case Fault::kNone:
      break;
  }
  switch (result.failure) {
    case FetchFailure::kCancelled:
      return Make(Kind::kReturned, VisitOutcome::kFailed, detail);
    case FetchFailure::kTooLarge:
      return HasSomething(result) ? AsPage() : Done(VisitOutcome::kUnwanted, detail);
    case FetchFailure::kUnwantedType:
    case FetchFailure::kBomb:
      return Done(VisitOutcome::kUnwanted, detail);
    default:
      break;
  }
  ResponseClass failed = Done(VisitOutcome::kFailed, detail);
  failed.no_answer = result.failure == FetchFailure::kTls;
  return failed;
}

}  // namespace crawler

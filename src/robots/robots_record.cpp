#include "robots/robots_record.hpp"

#include <algorithm>

namespace crawler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr seconds kLongest = hours(24);  // RFC 9309, 2.4.
constexpr seconds kShortest = minutes(5);
constexpr seconds kFirstRetry = minutes(1);
constexpr seconds kLastRetry = hours(1);
constexpr int kTooManyRequests = 429;

std::string ReasonOf(const RobotsFetch& fetch) {
  switch (fetch.outcome) {
    case RobotsFetch::Outcome::kResponse:
      return "robots.txt answered " + std::to_string(fetch.status);
    case RobotsFetch::Outcome::kTooManyRedirects:
      return "robots.txt redirects without end";
    case RobotsFetch::Outcome::kUnreachable:
      break;
  }
  return "robots.txt is unreachable";
}

}  // namespace

RobotsPolicy PolicyOf(const RobotsFetch& fetch) {
  if (fetch.outcome == RobotsFetch::Outcome::kTooManyRedirects) return RobotsPolicy::kAllowAll;
  if (fetch.outcome == RobotsFetch::Outcome::kUnreachable) return RobotsPolicy::kRefuseAll;
  const int status = fetch.status;
  if (status >= 200 && status <= 299) return RobotsPolicy::kRules;
  // RFC 9309 counts 429 among "unavailable", which allows all. But a server that asks to slow down
  // is reachable and has allowed nothing.
  if (status >= 300 && status <= 499 && status != kTooManyRequests) return RobotsPolicy::kAllowAll;
  return RobotsPolicy::kRefuseAll;
}

seconds LifetimeOf(const RobotsFetch& fetch, int failures) {
  if (PolicyOf(fetch) != RobotsPolicy::kRefuseAll) {
    return std::clamp(fetch.max_age.value_or(kLongest), kShortest, kLongest);
  }
  const seconds retry = std::min(kFirstRetry * (1 << std::clamp(failures - 1, 0, 10)), kLastRetry);
  return std::clamp(fetch.retry_after.value_or(retry), retry, kLongest);
}

std::string RobotsUrlOf(const Url& url) { return url.Origin() + "/robots.txt"; }

void RobotsRecord::Update(const RobotsFetch& fetch, std::string_view body, TimePoint now) {
  policy_ = PolicyOf(fetch);
  failures_ = policy_ == RobotsPolicy::kRefuseAll ? failures_ + 1 : 0;
  rules_ = policy_ == RobotsPolicy::kRules ? RobotsTxt::Parse(body, product_) : RobotsTxt();
  reason_ = ReasonOf(fetch);
  expires_ = now + LifetimeOf(fetch, failures_);
}

RobotsVerdict RobotsRecord::Check(const Url& url) const {
  RobotsVerdict verdict = rules_.Check(url);
  if (verdict.line == 0) {
    verdict.allowed = policy_ != RobotsPolicy::kRefuseAll;
    verdict.rule = policy_ == RobotsPolicy::kRules ? "no rule matches" : std::string_view(reason_);
  }
  return verdict;
}

}  // namespace crawler

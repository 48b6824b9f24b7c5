#include "engine/robots_answer.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/robots_fetch.hpp"
#include "robots/robots_txt.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

/// A host whose robots.txt fails in a way that does not pass is left alone for this long.
constexpr std::chrono::minutes kRefusalLifetime{10};

std::string_view PolicyName(RobotsPolicy policy) {
  switch (policy) {
    case RobotsPolicy::kRules:
      return "rules";
    case RobotsPolicy::kAllowAll:
      return "allow all";
    case RobotsPolicy::kRefuseAll:
      return "refuse all";
  }
  return "unknown";
}

RobotsRow ToRobotsRow(const RobotsRecord& record, const FetchResult& result, std::string origin,
                      const Clock& clock) {
  RobotsRow row;
  row.origin = std::move(origin);
  if (record.policy() == RobotsPolicy::kRules) row.rules = result.body().substr(0, kMaxRobotsBytes);
  row.status = result.status;
  row.policy = PolicyName(record.policy());
  const auto delay = record.rules().crawl_delay().value_or(std::chrono::milliseconds(0));
  row.crawl_delay = static_cast<double>(delay.count()) / 1000;
  row.fetched_at = ToMilliseconds(clock.WallNow());
  const auto holds =
      std::chrono::duration_cast<std::chrono::milliseconds>(record.expires() - clock.Now());
  row.expires_at = row.fetched_at + holds.count();
  return row;
}

ResponseClass Classify(const FetchResult& result, const Url& url, bool refused,
                       const RobotsFetch& fetch, const RetryPolicy& policy) {
  ResponseClass response;
  response.kind = Kind::kDone;
  response.outcome = VisitOutcome::kRobots;
  // A blocked address or a bad certificate will not change in the next seconds.
  if (refused && ClassifyResponse(result, {}, policy).kind == Kind::kDone) {
    response.kind = Kind::kDropped;
  }
  response.no_answer = refused;
  response.retry_after = fetch.retry_after;
  response.detail = RobotsUrlOf(url);
  if (!result.ok()) response.detail += ": " + DescribeFailure(result);
  return response;
}

}  // namespace

RobotsAnswer ReadRobotsAnswer(const FetchResult& result, const Url& url, std::string product,
                              const RetryPolicy& policy, const Clock& clock) {
  const RobotsFetch fetch = ToRobotsFetch(result);
  const TimePoint now = clock.Now();
  RobotsAnswer answer{RobotsRecord(std::move(product)), {}, {}, {}, now + kRefusalLifetime};
  answer.record.Update(fetch, result.body(), now);
  answer.row = ToRobotsRow(answer.record, result, url.Origin(), clock);
  answer.response = Classify(result, url, answer.refused(), fetch, policy);
  answer.what = result.ok() ? "status " + std::to_string(result.status) : DescribeFailure(result);
  return answer;
}

ResponseClass CancelledRobotsRequest(const Url& url) {
  ResponseClass cancelled;
  cancelled.outcome = VisitOutcome::kCancelled;
  cancelled.detail = RobotsUrlOf(url);
  return cancelled;
}

std::size_t CountSitemaps(const RobotsRecord& record) {
  return std::max<std::size_t>(record.rules().sitemaps().size(), 1);
}

void OfferSitemaps(const RobotsRecord& record, const Url& url, std::size_t most,
                   LinkOffers* offers) {
  const std::vector<std::string>& named = record.rules().sitemaps();
  for (std::size_t i = 0; i < std::min(most, named.size()); ++i) {
    Url resolved;
    if (ParseUrl(named[i], &url, &resolved) == UrlKind::kFollowable) {
      offers->Add(resolved.href(), Via::kSitemapFile, 0);
    }
  }
  if (named.empty() && most > 0) offers->Add(url.Origin() + "/sitemap.xml", Via::kSitemapFile, 0);
}

}  // namespace crawler

#include "engine/visit_row.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "engine/lease_outcome.hpp"
#include "store/warc_record.hpp"

namespace crawler {
namespace {

using DownReason = Frontier::HostDown::Reason;

GiveUpReason ToGiveUpReason(const Frontier::HostDown* down) {
  if (down == nullptr) return GiveUpReason::kFailures;
  switch (down->reason) {
    case DownReason::kFailures:
      return GiveUpReason::kFailures;
    case DownReason::kThrottled:
      return GiveUpReason::kThrottled;
    case DownReason::kRobotsCheck:
      return GiveUpReason::kNoRobots;
  }
  return GiveUpReason::kFailures;
}

// The host that was given up, when, after how many attempts, and the last failure.
std::string DescribeDown(const Frontier::HostDown* down, const Clock& clock) {
  if (down == nullptr) return "its host was given up";
  const auto ago = std::chrono::duration_cast<WallTime::duration>(clock.Now() - down->at);
  const std::string at = WarcDate(clock.WallNow() - ago);
  const std::string attempts = std::to_string(down->attempts);
  std::string text;
  if (down->reason == DownReason::kRobotsCheck) {
    text.append("no robots.txt from its host ").append(down->origin).append(", given up at ");
    text.append(at).append(" after ").append(attempts);
    text.append(down->attempts == 1 ? " attempt" : " attempts");
  } else {
    text.append("its host ").append(down->origin).append(" was given up at ").append(at);
    text.append(" after ").append(attempts);
    text.append(down->reason == DownReason::kThrottled ? " requests to wait in a row"
                                                       : " failures in a row");
  }
  if (!down->last.empty()) text.append(kLastFailure).append(down->last);
  return text;
}

VisitRow UnsentRow(const Frontier::Lease& lease, VisitOutcome outcome, std::int64_t at) {
  VisitRow visit;
  visit.url = lease.id;
  visit.url_host = lease.host;
  visit.at = at;
  visit.outcome = outcome;
  visit.score = lease.score;
  visit.failures = lease.failures;
  return visit;
}

}  // namespace

VisitRow ToVisitRow(const Frontier::Lease& lease, const FetchResult& result,
                    const ResponseClass& response) {
  VisitRow visit;
  visit.url = lease.id;
  visit.url_host = lease.host;
  visit.at = ToMilliseconds(result.started);
  visit.outcome = response.outcome;
  visit.status = result.status;
  visit.failure = result.failure;
  visit.detail = response.detail;
  visit.failures = lease.failures + (response.is_failure() ? 1u : 0u);
  visit.score = lease.score;
  if (const auto address = AddressOfHost(result)) visit.address = address->ToString();
  visit.protocol = HttpVersionName(result.protocol);
  visit.bytes = result.raw_body.size();
  visit.resolved = result.timings.resolved.count();
  visit.connected = result.timings.connected.count();
  visit.secured = result.timings.secured.count();
  visit.first_byte = result.timings.first_byte.count();
  visit.total = result.timings.total.count();
  if (response.retry_after) {
    visit.retry_after = std::chrono::ceil<std::chrono::milliseconds>(*response.retry_after).count();
  }
  return visit;
}

VisitRow ToRobotsVisitRow(const Frontier::Lease& lease, const FetchResult& result,
                          const ResponseClass& response) {
  VisitRow visit = ToVisitRow(lease, result, response);
  visit.url = 0;
  visit.host = lease.host;
  // No time at all means that nothing was sent, but there was a request before a redirect.
  if (!result.redirected_from.empty()) visit.total = std::max<std::int64_t>(visit.total, 1);
  return visit;
}

VisitRow ToRefusedRow(const Frontier::Lease& lease, const RobotsVerdict& verdict, std::int64_t at) {
  VisitRow visit = UnsentRow(lease, VisitOutcome::kRefused, at);
  visit.detail = "robots.txt";
  if (verdict.line > 0) visit.detail += " line " + std::to_string(verdict.line);
  visit.detail.append(": ").append(verdict.rule);
  return visit;
}

VisitRow ToLeftOutRow(const Frontier::Lease& lease, const std::string& limit, std::int64_t at) {
  VisitRow visit = UnsentRow(lease, VisitOutcome::kUnwanted, at);
  visit.detail = "beyond the limit of " + limit;
  return visit;
}

VisitRow ToGivenUpRow(const Frontier::GivenUp& url, std::int64_t at, const Clock& clock) {
  VisitRow visit;
  visit.url = url.url;
  visit.url_host = url.host;
  visit.at = at;
  visit.outcome = VisitOutcome::kGivenUp;
  visit.failures = url.failures;
  visit.given_up = ToGiveUpReason(url.down.get());
  if (url.down != nullptr) visit.failure = url.down->failure;
  visit.detail = DescribeDown(url.down.get(), clock);
  return visit;
}

std::string DescribeVisit(const VisitRow& visit) {
  return visit.detail.empty() ? "status " + std::to_string(visit.status) : visit.detail;
}

void AddVerdict(Frontier::Verdict verdict, const ResponseClass& response, const RetryPolicy& policy,
                VisitRow* visit) {
  visit->final = verdict != Frontier::Verdict::kWaits;
  if (verdict != Frontier::Verdict::kGivenUp) return;
  const bool retries_used_up =
      response.uses_retry() && visit->failures > static_cast<std::uint32_t>(policy.retries);
  if (retries_used_up) return;
  const bool throttled = response.kind == Frontier::Outcome::Kind::kThrottled;
  visit->given_up = throttled ? GiveUpReason::kThrottled : GiveUpReason::kFailures;
}

std::string DeadLetterReason(const VisitRow& visit, const std::string& what) {
  return visit.given_up == GiveUpReason::kNone ? what : what + "; its host was given up then";
}

}  // namespace crawler

#include "engine/visit_outcome.hpp"

#include <chrono>

namespace crawler {
VisitRow ToVisit(const FetchedUrl& fetched, const ResponseClass& judgement) {
  const FetchResult& result = fetched.result;
  VisitRow visit;
  visit.url = fetched.url.id;
  visit.at = ToMilliseconds(result.started);
  visit.outcome = judgement.outcome;
  visit.status = result.status;
  visit.failure = result.failure;
  visit.detail = judgement.detail;
  visit.failures = fetched.lease.failures + (judgement.is_failure() ? 1u : 0u);
  visit.score = fetched.lease.score;
  if (result.remote_address) visit.address = result.remote_address->ToString();
  visit.protocol = HttpVersionName(result.protocol);
  visit.bytes = result.raw_body.size();
  visit.resolved = result.timings.resolved.count();
  visit.connected = result.timings.connected.count();
  visit.secured = result.timings.secured.count();
  visit.first_byte = result.timings.first_byte.count();
  visit.total = result.timings.total.count();
  if (judgement.retry_after) {
    visit.retry_after =
        std::chrono::ceil<std::chrono::milliseconds>(*judgement.retry_after).count();
  }
  return visit;
}

Frontier::Outcome ToOutcome(const FetchResult& result, const ResponseClass& judgement,
                            TimePoint now) {
  Frontier::Outcome outcome;
  outcome.kind = judgement.kind;
  outcome.no_answer = judgement.no_answer;
  outcome.server_error = judgement.server_error;
  outcome.now = now;
  outcome.took = result.timings.total;
  outcome.started = outcome.now - outcome.took;
  outcome.retry_after = judgement.retry_after;
  outcome.address = result.remote_address;
  return outcome;
}

Frontier::Outcome NothingSent(Frontier::Outcome::Kind kind, TimePoint now) {
  Frontier::Outcome outcome;
  outcome.kind = kind;
  outcome.now = outcome.started = now;
  return outcome;
}

}  // namespace crawler

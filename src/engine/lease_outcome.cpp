#include "engine/lease_outcome.hpp"

namespace crawler {

std::optional<IpAddress> AddressOfHost(const FetchResult& result) {
  if (result.via_proxy) return std::nullopt;
  if (result.redirected_from.empty()) return result.remote_address;
  Url asked;
  ParseUrl(result.redirected_from.front(), nullptr, &asked);
  return asked.Origin() == result.url.Origin() ? result.remote_address : std::nullopt;
}

Frontier::Outcome ToOutcome(const FetchResult& result, const ResponseClass& response,
                            TimePoint now) {
  Frontier::Outcome outcome;
  outcome.kind = response.kind;
  outcome.no_answer = response.no_answer;
  outcome.server_error = response.server_error;
  outcome.patient = response.patient;
  outcome.now = now;
  outcome.took = result.timings.total;
  outcome.started = outcome.now - outcome.took;
  const FetchTimings& timings = result.timings;
  outcome.read_after = timings.first_byte.count() > 0 ? timings.first_byte : timings.total;
  outcome.retry_after = response.retry_after;
  outcome.address = AddressOfHost(result);
  outcome.failure = result.failure;
  return outcome;
}

Frontier::Outcome NothingSent(Frontier::Outcome::Kind kind, TimePoint now) {
  Frontier::Outcome outcome;
  outcome.kind = kind;
  outcome.now = outcome.started = now;
  return outcome;
}

}  // namespace crawler

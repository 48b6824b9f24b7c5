#pragma once

#include <optional>

#include "base/clock.hpp"
#include "engine/response_class.hpp"
#include "frontier/frontier.hpp"
#include "model/fetch_result.hpp"
#include "url/address.hpp"

namespace crawler {

/// The address of the host that was asked. Nothing if it is not known: a proxy was asked instead,
/// or a redirect was followed to another origin, whose address says nothing about that of the host.
std::optional<IpAddress> AddressOfHost(const FetchResult& result);

/// The end of the lease of a request, for the frontier.
Frontier::Outcome ToOutcome(const FetchResult& result, const ResponseClass& response,
                            TimePoint now);

/// The end of a lease for which nothing was sent.
Frontier::Outcome NothingSent(Frontier::Outcome::Kind kind, TimePoint now);

}  // namespace crawler

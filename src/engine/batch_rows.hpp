#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "engine/response_class.hpp"
#include "frontier/frontier.hpp"
#include "frontier/retry_policy.hpp"
#include "model/crawl_ids.hpp"
#include "model/fetch_result.hpp"
#include "parse/document_reader.hpp"
#include "robots/robots_txt.hpp"
#include "store/rows.hpp"
#include "store/warc_digest.hpp"
#include "store/warc_record.hpp"
#include "url/address.hpp"

namespace crawler {

// The end of a lease as the frontier and the catalogue take it: an outcome, the row of the visit,
// and the row of the page. Values in, values out. Threads: safe.

/// The address of the host that was asked. Nothing if it is not known: a proxy was asked instead,
/// or a redirect was followed to another origin, whose address says nothing about that of the host.
std::optional<IpAddress> AddressOfHost(const FetchResult& result);

/// The end of the lease of a request, for the frontier.
Frontier::Outcome ToOutcome(const FetchResult& result, const ResponseClass& response,
                            TimePoint now);

/// The end of a lease for which nothing was sent.
Frontier::Outcome NothingSent(Frontier::Outcome::Kind kind, TimePoint now);

/// In the detail of a URL whose host was given up: the last failure of the host follows.
inline constexpr std::string_view kLastFailure = "; the last: ";

/// The row of a request for the URL of `lease`.
VisitRow ToVisitRow(const Frontier::Lease& lease, const FetchResult& result,
                    const ResponseClass& response);

/// The row of a request for the robots.txt of the host of `lease`.
VisitRow ToRobotsVisitRow(const Frontier::Lease& lease, const FetchResult& result,
                          const ResponseClass& response);

/// The row of a URL that robots.txt refuses. `at`: milliseconds since 1970.
VisitRow ToRefusedRow(const Frontier::Lease& lease, const RobotsVerdict& verdict, std::int64_t at);

/// The row of a sitemap beyond `limit`, for people. `at`: milliseconds since 1970.
VisitRow ToLeftOutRow(const Frontier::Lease& lease, const std::string& limit, std::int64_t at);

/// The row of a URL whose host was given up. `at`: milliseconds since 1970; `clock` tells when the
/// host was given up.
VisitRow ToGivenUpRow(const Frontier::GivenUp& url, std::int64_t at, const Clock& clock);

/// The result of a visit for people: its detail, else its status.
std::string DescribeVisit(const VisitRow& visit);

/// Adds the verdict of the frontier to the row of a visit: whether it is final, and the reason if
/// the URL is over because its host was given up, not because its own retries are used up.
void AddVerdict(Frontier::Verdict verdict, const ResponseClass& response, const RetryPolicy& policy,
                VisitRow* visit);

/// The reason of a dead letter after the visit; see AddVerdict(). `what` is its DescribeVisit().
std::string DeadLetterReason(const VisitRow& visit, const std::string& what);

/// The row of the page in `result`, which was read as `document` with the content digest `digest`
/// and archived as `capture`; without links and duplicate.
PageRow ToPageRow(const Frontier::Lease& lease, const FetchResult& result, const Document& document,
                  const Sha256Digest& digest, const EncodedCapture& capture);

}  // namespace crawler

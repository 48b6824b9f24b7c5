#pragma once

#include <string>

#include "base/clock.hpp"
#include "engine/link_offers.hpp"
#include "engine/response_class.hpp"
#include "frontier/retry_policy.hpp"
#include "model/fetch_result.hpp"
#include "robots/robots_record.hpp"
#include "store/rows.hpp"
#include "url/url.hpp"

namespace crawler {

/// The answer to a request for a robots.txt, redirects followed.
struct RobotsAnswer {
  RobotsRecord record;
  RobotsRow row;           ///< For the catalogue.
  ResponseClass response;  ///< For the visit and the frontier.
  std::string what;        ///< For people: the status, or the failure.
  TimePoint refused_until;

  /// The rules are not known, so nothing may be fetched from the host.
  bool refused() const { return record.policy() == RobotsPolicy::kRefuseAll; }
};

/// Reads the answer of the host of `url` for the crawler called `product`.
/// Requires: the request was not cancelled.
RobotsAnswer ReadRobotsAnswer(const FetchResult& result, const Url& url, std::string product,
                              const RetryPolicy& policy, const Clock& clock);

/// The class of a request for the robots.txt of the host of `url` that the crawl has cancelled.
ResponseClass CancelledRobotsRequest(const Url& url);

/// How many sitemaps OfferSitemaps() would add without a limit.
std::size_t CountSitemaps(const RobotsRecord& record);
/// Adds the sitemaps that robots.txt of the host of `url` names, else /sitemap.xml, to `*offers`:
/// the first `most` of them.
void OfferSitemaps(const RobotsRecord& record, const Url& url, std::size_t most,
                   LinkOffers* offers);

}  // namespace crawler

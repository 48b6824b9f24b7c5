#pragma once

#include <cstdint>
#include <string_view>

#include "crawler/crawler.hpp"
#include "engine/link_offers.hpp"
#include "frontier/frontier.hpp"
#include "store/rows.hpp"

namespace crawler {

/// Tells the caller of the crawl about a new page: its links, then the page itself. `text` and
/// `body` are those of the page, `links` its candidates, `change` its PageChange.
void ReportPage(const CrawlCallbacks& callbacks, const PageRow& row, PageChange change,
                std::string_view text, std::string_view body, const LinkOffers& links);

/// The end of a visit that stored no page.
struct KnownPageVisit {
  PageChange change = PageChange::kNone;
  int status = 0;
  std::uint64_t size = 0;  ///< Of the body received.
};
/// Tells the caller of a repeated crawl about a stored page that is unchanged or gone; does nothing
/// for other changes.
void ReportKnownPage(const CrawlCallbacks& callbacks, const Frontier::Lease& lease,
                     const KnownPageVisit& visit);

}  // namespace crawler

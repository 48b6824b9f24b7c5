// Discovery: lasts until all seeds and their sitemaps have been requested once.
#include "frontier/url_scheduler.hpp"

namespace crawler {

// Discovery waits for seeds, for their sitemaps unless there are many, and for the targets of their
// redirects. Redirects of other pages cannot be told apart; the time limit bounds them.
void UrlScheduler::Discover(UrlId url, const Offer& offer) {
  const bool sitemap =
      offer.via == Via::kSitemapFile && discovery_sitemaps_++ < FrontierOptions::kDiscoverySitemaps;
  if (sitemap || offer.via == Via::kSeed || offer.via == Via::kRedirect) undiscovered_.insert(url);
}

// `url` has been requested, or never will be.
void UrlScheduler::Discovered(UrlId url) {
  if (discovering_ && undiscovered_.erase(url) > 0 && undiscovered_.empty()) EndDiscovery();
}

void UrlScheduler::EndDiscovery() {
  discovering_ = false;
  undiscovered_ = {};
}

}  // namespace crawler

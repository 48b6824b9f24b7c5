#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontier/frontier.hpp"

namespace crawler {

/// A frontier with a time that stands still until it is moved, and short ways to say things.
class TestCrawl {
 public:
  using Kind = Frontier::Outcome::Kind;

  explicit TestCrawl(const FrontierOptions& options) : frontier(options) {}

  /// One offer. A host's site is what follows its first dot, or itself.
  static Frontier::Offer MakeOffer(const std::string& url) {
    Frontier::Offer offer;
    const std::string_view text = url;
    offer.url = text;
    offer.origin = text.substr(0, text.find('/', text.find("//") + 2));
    const std::size_t dot = offer.origin.find('.');
    offer.site = dot == std::string_view::npos ? offer.origin : offer.origin.substr(dot + 1);
    return offer;
  }
  Frontier::Offered Add(const Frontier::Offer& offer) {
    std::vector<Frontier::Offered> results;
    frontier.OfferAll({offer}, &results);
    return results.at(0);
  }
  Frontier::Offered Add(const std::string& url) { return Add(MakeOffer(url)); }

  std::vector<Frontier::Lease> LeaseSome(std::size_t most = 1000) {
    std::vector<Frontier::Lease> leases;
    frontier.LeaseSome(now, most, &leases);
    return leases;
  }
  std::optional<Frontier::Lease> LeaseOne() {
    const std::vector<Frontier::Lease> leases = LeaseSome(1);
    if (leases.empty()) return std::nullopt;
    return leases[0];
  }
  /// The ids of the URLs leased now.
  std::vector<UrlId> LeasedUrls(std::size_t most = 1000) {
    std::vector<UrlId> urls;
    for (const Frontier::Lease& lease : LeaseSome(most)) urls.push_back(lease.url);
    return urls;
  }

  Frontier::Outcome MakeOutcome(Kind kind) const {
    Frontier::Outcome outcome;
    outcome.kind = kind;
    outcome.started = outcome.now = now;
    return outcome;
  }
  Frontier::Verdict Finish(const Frontier::Lease& lease, Kind kind) {
    return frontier.Finish(lease, MakeOutcome(kind));
  }
  std::vector<Frontier::GivenUp> TakeGivenUp() {
    std::vector<Frontier::GivenUp> urls;
    frontier.TakeGivenUp(1000, &urls);
    return urls;
  }

  Frontier frontier;
  TimePoint now = TimePoint() + std::chrono::hours(1);
};

/// One's own servers: no delay, no robots checks, no limits.
inline FrontierOptions NoWaiting() {
  FrontierOptions options;
  options.delay = std::chrono::milliseconds(0);
  options.per_host = 0;
  options.robots_checks = false;
  return options;
}

/// The defaults, without robots checks.
inline FrontierOptions Polite() {
  FrontierOptions options;
  options.robots_checks = false;
  return options;
}

}  // namespace crawler

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "unit/frontier/frontier_conformance.hpp"

namespace crawler {

/// A frontier with a time that stands still until it is moved, and short ways to say things.
class TestCrawl {
 public:
  using Kind = Frontier::Outcome::Kind;

  TestCrawl(const FrontierImplementation& implementation, const FrontierOptions& options)
      : owned_(implementation.make(options)), frontier(*owned_) {}
  /// Borrows `tested`.
  explicit TestCrawl(Frontier& tested) : frontier(tested) {}

  /// An offer that views `url`. The site of a host is the part behind its first dot, or all of it.
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
    return frontier.OfferAll({offer}, 0).offered.at(0);
  }
  Frontier::Offered Add(const std::string& url) { return Add(MakeOffer(url)); }

  std::vector<Frontier::Lease> LeaseSome(std::size_t most = 1000) {
    std::vector<Frontier::Lease> leases;
    const Result<std::size_t> given = frontier.LeaseSome(now, most, &leases);
    EXPECT_TRUE(given.ok() && *given == leases.size());
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
    for (const Frontier::Lease& lease : LeaseSome(most)) urls.push_back(lease.id);
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

 private:
  std::unique_ptr<Frontier> owned_;

 public:
  Frontier& frontier;
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

/// The same with robots checks.
inline FrontierOptions WithRobotsChecks() {
  FrontierOptions options = NoWaiting();
  options.robots_checks = true;
  return options;
}

/// The defaults, without robots checks.
inline FrontierOptions Polite() {
  FrontierOptions options;
  options.robots_checks = false;
  return options;
}

}  // namespace crawler

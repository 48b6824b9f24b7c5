#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "frontier/host_delays.hpp"
#include "frontier/retry_policy.hpp"

namespace crawler {

/// The order of the URLs whose hosts may be asked now.
enum class FrontierOrder : std::uint8_t {
  kPriority,  ///< The highest score, the oldest of equals. See Frontier::Lease::score.
  kBfs,       ///< First in, first out.
  kDfs,       ///< Those of the latest offer first, and those in the order of the offer.
  kWorth,     ///< The highest worth that an offer gave it, the oldest of equals.
};

/// How a crawl treats the web, and how far it goes. Plain values; 0 means no limit.
struct FrontierOptions {
  FrontierOrder order = FrontierOrder::kPriority;

  /// From the start of one request to a host to the start of the next. Default: 1 s.
  std::chrono::milliseconds delay{1'000};
  /// In place of `delay`, for the hosts that it names.
  HostDelays host_delays;
  /// Requests to a host at a time. Default: 1.
  int per_host = 1;
  /// A registrable domain, and an IP address, may be asked as often, and as much at a time, as
  /// this many hosts. Defaults: 4 and 16.
  int hosts_per_domain = 4;
  int hosts_per_address = 16;
  /// Requests at a time to all hosts. Hosts that are not prompt (see SlotClass in politeness.hpp)
  /// get at most three quarters of them, those that failed last one quarter. So hosts that answer
  /// never wait for hosts that do not, and new hosts never wait for those that failed. Default: no
  /// limit.
  std::uint32_t slots = 0;
  /// The longest Crawl-delay that is honoured. Default: 30 s.
  std::chrono::milliseconds max_crawl_delay{30'000};
  RetryPolicy retry;
  /// Whether the robots.txt of a host has to be fetched before its first page.
  bool robots_checks = true;

  std::uint64_t max_pages = 0;       ///< Pages in all.
  std::uint64_t max_per_domain = 0;  ///< Pages of one registrable domain.
  std::uint64_t max_frontier = 0;    ///< URLs waiting at a time; more are skipped.
  /// Links deeper than this are offered as skipped with SkipReason::kTooDeep. The frontier lets
  /// them wait when a shorter way to them is found.
  std::optional<std::uint32_t> max_depth;

  /// Discovery lasts until every seed, and the first kDiscoverySitemaps sitemaps, have been
  /// requested once; it ends at the latest this long after the first lease, or when a budget is
  /// spent. Other URLs are leased meanwhile: see
  /// docs/decisions/0009-discovery-holds-nothing-back.md. 0: there is no discovery.
  std::chrono::milliseconds max_discovery{0};
  static constexpr std::size_t kDiscoverySitemaps = 50;

  /// The key of the fingerprints. It is secret, so that nobody can craft URLs that collide.
  std::uint64_t hash_key = 0;
};

}  // namespace crawler

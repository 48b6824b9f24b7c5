#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/status.hpp"
#include "fetch/fetcher.hpp"

namespace crawler {

/// The world outside of a crawl. The defaults are the real one; a simulation replaces them, so that
/// a whole crawl runs on one thread, under a clock of its own, and is the same every time.
/// Ownership: borrows the clock, which must outlive the crawl.
struct CrawlEnvironment {
  /// Every delay, deadline and time stamp of the crawl comes from this clock.
  const Clock* clock = &Clock::System();
  /// Makes the fetcher of each fetch thread. Default: an HttpFetcher.
  std::function<Result<std::unique_ptr<Fetcher>>()> make_fetcher;
  /// Fetching and committing are done by the calling thread: no thread is started. Requires:
  /// CrawlOptions::fetch_threads is 1 and parse_threads is 0.
  bool single_thread = false;
  /// The key of the fingerprints of a new crawl. Default: random, so that nobody can craft URLs
  /// whose fingerprints collide.
  std::optional<std::uint64_t> hash_key;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "crawler/options.hpp"
#include "sim/simulated_fetcher.hpp"

namespace crawler::sim {

/// The policy that a crawl is judged by: what the documentation promises, stated once more and
/// independently of the code that implements it.
struct Promises {
  /// Attempts of a URL, the first one included, that may fail before it is given up.
  int attempts = 4;
  /// The first retry comes this long after the failure, the next ones after twice as long each,
  /// give or take a quarter.
  std::chrono::milliseconds first_retry{1'000};
  /// A host that asks for patience is left alone as long as it says, within these bounds.
  std::chrono::milliseconds shortest_rest{1'000}, longest_rest{300'000};
  /// Answers that came this long before a kill are committed; later ones may be lost.
  std::chrono::milliseconds commit_interval{1'000};
};

/// What a finished crawl must and may have as pages. Equal unless a fault plan leaves it open.
struct Expectation {
  std::set<std::string> must, may;
};

/// Walks `web` as a crawl with `options` does: seeds, links, redirects, sitemaps, robots.txt,
/// scope, depth, faults.
Expectation ExpectPages(const SimulatedWeb& web, const CrawlOptions& options,
                        const Promises& promises = {});

/// Judges the record of a crawl, in one or more processes. `kills` are the numbers of processes
/// that were killed. Returns what is wrong, a sentence each; empty if all promises were kept:
/// delays, Crawl-delay, Retry-After, retries, requests at a time per host, domain and address,
/// robots.txt first and obeyed, nothing asked twice.
std::vector<std::string> JudgeRecord(const SimulatedNetwork& network, const CrawlOptions& options,
                                     const std::set<int>& kills = {},
                                     const Promises& promises = {});

/// Compares the pages of a finished crawl with what is expected; a sentence per difference.
std::vector<std::string> JudgePages(const Expectation& expected,
                                    const std::vector<std::string>& pages);

}  // namespace crawler::sim

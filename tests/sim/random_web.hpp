#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crawler/options.hpp"
#include "sim/simulated_crawl.hpp"
#include "sim/simulated_web.hpp"

namespace crawler::sim {

/// What goes wrong in a random web.
enum class Weather : std::uint8_t {
  kFine,     ///< Nothing but what every web has: redirects, loops, 404, unwanted files, refusals.
  kShowers,  ///< Faults of single URLs: passing ones, and errors for ever.
  kStorms,   ///< Whole hosts go away as well, for a while or for ever.
};

/// A web of a few hosts in a few domains and at a few addresses: pages with links of all forms,
/// robots.txt, sitemaps, redirects, loops, and faults. The same for the same arguments.
SimulatedWeb RandomWeb(std::uint64_t seed, Weather weather);

/// Options for a crawl of `web`: seeds, scope, delays, requests at a time. No budgets.
CrawlOptions RandomOptions(std::uint64_t seed, const SimulatedWeb& web);

/// Crawls a random web until the end, with random stops and kills and resumes in between, and
/// judges all of it. Returns what is wrong; empty if nothing is. `story`, if not null, gets the web
/// and all requests, for people.
std::vector<std::string> SimulateSeed(std::uint64_t seed, std::string* story = nullptr);

}  // namespace crawler::sim

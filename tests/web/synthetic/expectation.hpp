#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "web/synthetic/description.hpp"
#include "web/synthetic/target.hpp"

namespace synthetic {

/// What a right crawler makes of a URL it hears of.
enum class Fate : std::uint8_t {
  kPage,         ///< Fetched and stored: 200 and HTML. Of noindex pages too.
  kRedirect,     ///< Fetched; its target is the next URL.
  kError,        ///< Fetched; 4xx.
  kOther,        ///< Fetched, but no HTML.
  kDead,         ///< Fetched four times, failed four times.
  kRefused,      ///< Not fetched: robots.txt says so.
  kUnreachable,  ///< Not fetched: the host does not answer, or not for its robots.txt.
  kSitemap,      ///< Fetched, and no page.
};

struct ExpectOptions {
  std::vector<std::uint32_t> seeds;  ///< Indexes of hosts whose front pages are the seeds.
  bool whole_web = false;            ///< Else only the addresses of the seeds, on any port.
  bool robots = true;                ///< Whether robots.txt is asked.
  bool sitemaps = true;
  std::int64_t max_depth = -1;       ///< In links from a seed or sitemap; redirects do not count.
  std::uint64_t max_repeats = 3;     ///< Of a segment in a path.
  std::size_t max_urls = 5'000'000;  ///< More are an error: the web is endless.
};

struct Expected {
  Target target;
  Fate fate = Fate::kPage;
  bool noindex = false;
};

/// Every URL that a crawl of `web` comes to know in scope, in order of discovery, once each.
/// Returns what is wrong if it has no end.
std::string Expect(const Web& web, const ExpectOptions& options, std::vector<Expected>& expected);

/// "page", "redirect", …
const char* FateName(Fate fate);

}  // namespace synthetic

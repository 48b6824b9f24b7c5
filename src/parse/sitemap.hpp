#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "url/url.hpp"

namespace crawler {

/// Limits on one sitemap. The defaults are the protocol's own (https://www.sitemaps.org).
struct SitemapLimits {
  size_t max_bytes = size_t{50} << 20;  ///< Size of the file, unpacked; the rest is not read.
  size_t max_urls = 50'000;             ///< Entries that are kept.
  size_t max_url_bytes = 2048;          ///< A longer URL is left out.
  size_t max_depth = 100;               ///< Elements within each other; feeds hold whole pages.
};

/// How often a page is said to change.
enum class ChangeFrequency : uint8_t {
  kUnknown,
  kAlways,
  kHourly,
  kDaily,
  kWeekly,
  kMonthly,
  kYearly,
  kNever,
};

struct SitemapEntry {
  std::string url;      ///< http or https, as Url::href() writes it.
  std::string lastmod;  ///< As written, if ParseSitemapDate() understands it; else empty.
  ChangeFrequency change_frequency = ChangeFrequency::kUnknown;
  double priority = 0.5;  ///< 0 to 1; the default of the protocol if missing or invalid.
};

/// The format of a file.
enum class SitemapKind : uint8_t {
  kUnknown,  ///< None of the others; there are no entries.
  kUrlset,
  kIndex,  ///< The entries are sitemaps. The caller has to limit nesting and loops.
  kText,
  kRss,  ///< RSS 0.9x and 2.0, and RSS 1.0 (RDF).
  kAtom,
};

/// Why reading ended.
enum class SitemapEnd : uint8_t {
  kComplete,
  kBroken,       ///< Ill-formed or cut off. The entries before are kept.
  kTooLarge,     ///< max_bytes
  kTooManyUrls,  ///< max_urls
  kTooDeep,      ///< max_depth
  kRefused,      ///< It declares entities or attributes, which sitemaps never need.
};

/// The name of `kind` as logs show it, e.g. "urlset".
std::string_view SitemapKindName(SitemapKind kind);

struct Sitemap {
  SitemapKind kind = SitemapKind::kUnknown;
  SitemapEnd end = SitemapEnd::kComplete;
  std::vector<SitemapEntry> entries;  ///< In the order of the file; nothing is deduplicated.
  size_t skipped = 0;                 ///< Entries without a URL that can be followed.
  std::string problem;                ///< Problem and its place, for people; empty if complete.
};

/// Reads a sitemap or feed: XML urlset, sitemap index, RSS, Atom, or text with one URL per line.
/// The format, and whether the file is gzip, is decided by `bytes` alone; `content_type` (may be
/// empty) only gives the charset. `url` is the address of the file; links of feeds may be relative
/// to it.
///
/// Any bytes have a result, in linear time and memory bounded by `limits`. Nothing outside `bytes`
/// is ever read: no DTD, no entity, no include. This function does not judge whether a
/// sitemap may list an entry: entries are links like any other, subject to the rules of scope.
/// Threads: safe.
Sitemap ParseSitemap(std::string_view bytes, std::string_view content_type, const Url& url,
                     const SitemapLimits& limits = {});

/// Seconds since 1970 of a date as sitemaps and Atom write it (W3C datetime: a year, a month, a
/// day, or a time with its zone) or as RSS does (RFC 822, two-digit years and all). Empty if it is
/// neither, or no date of the calendar.
std::optional<int64_t> ParseSitemapDate(std::string_view text);

}  // namespace crawler

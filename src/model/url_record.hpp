#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/crawl_ids.hpp"

namespace crawler {

// Hosts and URLs of a crawl, as the frontier hands them out and the catalogue stores them. Plain
// values.

/// How a URL came to be known. The numbers are stored.
enum class Via : std::uint8_t {
  kSeed = 0,
  kLink = 1,
  kRedirect = 2,
  kSitemapEntry = 3,
  kSitemapFile = 4,
};

/// "seed", "link", "redirect", "sitemap", "sitemap file". Static text.
std::string_view ViaName(Via via);

/// Why a known URL is not fetched. The numbers are stored.
enum class SkipReason : std::uint8_t {
  kNone = 0,  ///< It is fetched.
  kNofollow = 1,
  kTooDeep = 2,       ///< Deeper than the depth budget, which a resume may raise.
  kFrontierFull = 3,  ///< Over the limit of waiting URLs; may pass.
  kTooManyRedirects = 4,
  // The rules of a scope.
  kScheme = 5,
  kUrlLength = 6,
  kTooManySegments = 7,
  kRepeatedSegment = 8,
  kExcluded = 9,
  kOutsideReach = 10,
  kNotIncluded = 11,
};

/// For people, e.g. "deeper than the depth budget"; empty for kNone. Static text.
std::string_view SkipReasonText(SkipReason reason);
/// SkipReasonText() with UrlRow::skip_detail, e.g. "scope: exclude pattern /private".
std::string DescribeSkip(SkipReason reason, std::string_view detail);

struct HostRow {
  HostId id = 0;
  std::string origin;  ///< scheme://host[:port]
  std::string site;    ///< Registrable domain, or the host.
};

struct UrlRow {
  UrlId id = 0;
  std::string url;
  HostId host = 0;
  std::uint32_t depth = 0;
  std::uint32_t redirects = 0;  ///< Redirects in a row that led here.
  Via via = Via::kLink;
  UrlId from = 0;
  SkipReason skipped = SkipReason::kNone;
  std::string skip_detail;  ///< E.g. the pattern that excluded it; may be empty.
};

/// A URL that had been skipped is fetched after all, or was found nearer to the seeds.
struct RequeueRow {
  UrlId url = 0;
  std::uint32_t depth = 0;
  UrlId from = 0;
  bool waits = true;  ///< It is fetched after all.
};

}  // namespace crawler

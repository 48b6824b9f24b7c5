#include "model/url_record.hpp"

namespace crawler {

std::string_view ViaName(Via via) {
  switch (via) {
    case Via::kSeed:
      return "seed";
    case Via::kLink:
      return "link";
    case Via::kRedirect:
      return "redirect";
    case Via::kSitemapEntry:
      return "sitemap";
    case Via::kSitemapFile:
      return "sitemap file";
  }
  return "unknown";
}

std::string_view SkipReasonText(SkipReason reason) {
  switch (reason) {
    case SkipReason::kNone:
      return "";
    case SkipReason::kNofollow:
      return "nofollow";
    case SkipReason::kTooDeep:
      return "deeper than the depth budget";
    case SkipReason::kFrontierFull:
      return "the frontier is full";
    case SkipReason::kTooManyRedirects:
      return "too many redirects in a row";
    case SkipReason::kScheme:
      return "scope: scheme";
    case SkipReason::kUrlLength:
      return "scope: URL length";
    case SkipReason::kTooManySegments:
      return "scope: too many path segments";
    case SkipReason::kRepeatedSegment:
      return "scope: repeated path segment";
    case SkipReason::kExcluded:
      return "scope: exclude pattern";
    case SkipReason::kOutsideReach:
      return "scope: reach";
    case SkipReason::kNotIncluded:
      return "scope: include pattern";
  }
  return "unknown";
}

std::string DescribeSkip(SkipReason reason, std::string_view detail) {
  std::string text(SkipReasonText(reason));
  if (!detail.empty()) text.append(" ").append(detail);
  return text;
}

}  // namespace crawler

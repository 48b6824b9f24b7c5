#include "store/rows.hpp"

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

std::string_view VisitOutcomeName(VisitOutcome outcome) {
  switch (outcome) {
    case VisitOutcome::kPage:
      return "page";
    case VisitOutcome::kRedirect:
      return "redirect";
    case VisitOutcome::kHttpError:
      return "http error";
    case VisitOutcome::kUnwanted:
      return "unwanted";
    case VisitOutcome::kFailed:
      return "failed";
    case VisitOutcome::kRefused:
      return "refused";
    case VisitOutcome::kThrottled:
      return "throttled";
    case VisitOutcome::kSitemap:
      return "sitemap";
    case VisitOutcome::kGivenUp:
      return "given up";
    case VisitOutcome::kEmpty:
      return "empty";
    case VisitOutcome::kRobots:
      return "robots";
    case VisitOutcome::kCancelled:
      return "cancelled";
    case VisitOutcome::kLost:
      return "lost";
  }
  return "unknown";
}

}  // namespace crawler

#include "store/rows.hpp"

namespace crawler {

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
    case VisitOutcome::kUnchanged:
      return "unchanged";
    case VisitOutcome::kNoSitemap:
      return "no sitemap";
  }
  return "unknown";
}

std::optional<VisitOutcome> ParseVisitOutcome(std::string_view name) {
  constexpr auto kLast = static_cast<int>(VisitOutcome::kNoSitemap);
  for (int code = 0; code <= kLast; ++code) {
    const auto outcome = static_cast<VisitOutcome>(code);
    if (VisitOutcomeName(outcome) == name) return outcome;
  }
  return std::nullopt;
}

std::string_view GiveUpReasonName(GiveUpReason reason) {
  switch (reason) {
    case GiveUpReason::kNone:
      break;
    case GiveUpReason::kFailures:
      return "failures";
    case GiveUpReason::kThrottled:
      return "throttled";
    case GiveUpReason::kNoRobots:
      return "no robots.txt";
  }
  return {};
}

GiveUpReason ParseGiveUpReason(std::string_view name) {
  for (const GiveUpReason reason :
       {GiveUpReason::kFailures, GiveUpReason::kThrottled, GiveUpReason::kNoRobots}) {
    if (GiveUpReasonName(reason) == name) return reason;
  }
  return GiveUpReason::kNone;
}

std::string_view PageChangeName(PageChange change) {
  switch (change) {
    case PageChange::kNone:
      break;
    case PageChange::kNew:
      return "new";
    case PageChange::kChanged:
      return "changed";
    case PageChange::kUnchanged:
      return "unchanged";
    case PageChange::kGone:
      return "gone";
    case PageChange::kKept:
      return "kept";
  }
  return {};
}

PageChange ParsePageChange(std::string_view name) {
  for (const PageChange change : {PageChange::kNew, PageChange::kChanged, PageChange::kUnchanged,
                                  PageChange::kGone, PageChange::kKept}) {
    if (PageChangeName(change) == name) return change;
  }
  return PageChange::kNone;
}

bool EndsPage(VisitOutcome outcome, int status) {
  switch (outcome) {
    case VisitOutcome::kRedirect:
    case VisitOutcome::kUnwanted:
    case VisitOutcome::kRefused:
    case VisitOutcome::kSitemap:
    case VisitOutcome::kEmpty:
      return true;
    case VisitOutcome::kHttpError:
    case VisitOutcome::kNoSitemap:
      return status < 500 && status != 408;
    default:
      return false;
  }
}

}  // namespace crawler

#include "engine/crawl_totals.hpp"

namespace crawler {

void Count(const CountedVisit& visit, CrawlCounts* counts) {
  counts->requests += visit.is_request();
  counts->bytes += visit.bytes;
  counts->pages += visit.is_page();
  counts->urls_done += visit.url != 0 && visit.final;
  counts->redirects += visit.outcome == VisitOutcome::kRedirect;
  counts->http_errors += visit.outcome == VisitOutcome::kHttpError;
  counts->failures += visit.is_failure();
  counts->throttled += visit.outcome == VisitOutcome::kThrottled;
  counts->unwanted += visit.outcome == VisitOutcome::kUnwanted;
  counts->refused += visit.outcome == VisitOutcome::kRefused && visit.final;
  counts->pages_new += visit.change == PageChange::kNew;
  counts->pages_changed += visit.change == PageChange::kChanged;
  counts->pages_unchanged += visit.change == PageChange::kUnchanged;
  counts->pages_gone += visit.change == PageChange::kGone;
}

}  // namespace crawler

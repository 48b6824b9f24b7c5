#pragma once

#include <cstdint>

#include "crawler/counters.hpp"
#include "crawler/crawler.hpp"
#include "store/rows.hpp"
#include "store/stored_crawl.hpp"

namespace crawler {

/// The counted numbers of a batch, a run or a crawl.
struct CrawlTotals : CrawlCounts {
  std::int64_t waiting = 0;  ///< Change of the number of URLs that are not over.

  CrawlTotals& operator+=(const CrawlTotals& other) {
#define CRAWLER_NONE(name, help)
#define CRAWLER_ADD(name, help) name += other.name;
    CRAWLER_COUNTERS(CRAWLER_ADD, CRAWLER_NONE)
#undef CRAWLER_ADD
    waiting += other.waiting;
    return *this;
  }

  CrawlTotals& operator-=(const CrawlTotals& other) {
#define CRAWLER_SUBTRACT(name, help) name -= other.name;
    CRAWLER_COUNTERS(CRAWLER_SUBTRACT, CRAWLER_NONE)
#undef CRAWLER_SUBTRACT
#undef CRAWLER_NONE
    waiting -= other.waiting;
    return *this;
  }
};

/// A visit as totals count it: the same numbers come from rows that are written and, in a resume,
/// from those that are stored.
struct CountedVisit {
  explicit CountedVisit(const VisitRow& row)
      : url(row.url),
        outcome(row.outcome),
        status(row.status),
        failure(row.failure),
        final(row.final),
        bytes(row.bytes),
        took(row.total),
        change(row.change) {}
  explicit CountedVisit(const StoredVisit& row)
      : url(row.url),
        outcome(row.outcome),
        status(row.status),
        failure(row.failure),
        final(row.final),
        bytes(row.bytes),
        took(row.total),
        change(row.change) {}

  /// It was a request; other visits only write down what became of a URL.
  bool is_request() const {
    return outcome != VisitOutcome::kRefused && outcome != VisitOutcome::kGivenUp &&
           outcome != VisitOutcome::kLost;
  }
  /// Something was sent, or at least a connection tried.
  bool asked_host() const { return is_request() && (status != 0 || took != 0); }
  bool is_page() const {
    return final && (outcome == VisitOutcome::kPage || outcome == VisitOutcome::kUnchanged);
  }
  /// No usable response. A response without robots.txt is one; a host that cannot be reached gives
  /// none.
  bool is_failure() const {
    return outcome == VisitOutcome::kFailed ||
           (outcome == VisitOutcome::kRobots && failure != FetchFailure::kNone);
  }
  bool is_error() const { return outcome == VisitOutcome::kHttpError || is_failure(); }

  UrlId url = 0;  ///< 0 for a robots.txt.
  VisitOutcome outcome = VisitOutcome::kFailed;
  int status = 0;
  FetchFailure failure = FetchFailure::kNone;
  bool final = true;
  std::uint64_t bytes = 0;
  std::int64_t took = 0;  ///< Microseconds.
  PageChange change = PageChange::kNone;
};

/// Adds `visit` to all numbers but `waiting`, `dead_letters`, `duplicates` and `links`, which it
/// does not show.
void Count(const CountedVisit& visit, CrawlCounts* counts);

}  // namespace crawler

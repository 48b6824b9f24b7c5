#include "engine/commit_batch.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

VisitRow Visit(UrlId url, VisitOutcome outcome, bool final,
               FetchFailure failure = FetchFailure::kNone) {
  VisitRow row;
  row.url = url;
  row.outcome = outcome;
  row.final = final;
  row.failure = failure;
  return row;
}

TEST(CommitBatch, CountsItsRows) {
  CommitBatch batch;
  batch.counts.bytes = 7;
  batch.hosts.resize(1);
  batch.urls.resize(3);
  batch.urls[2].skipped = SkipReason::kTooDeep;
  batch.requeued = {{1, 0, 0, true}, {2, 0, 0, false}};
  batch.visits = {Visit(1, VisitOutcome::kPage, true), Visit(2, VisitOutcome::kUnchanged, true),
                  Visit(3, VisitOutcome::kHttpError, false),
                  Visit(4, VisitOutcome::kFailed, false, FetchFailure::kDns)};
  batch.visits[0].change = PageChange::kNew;
  batch.CountRows();
  const CrawlTotals& counts = batch.counts;
  EXPECT_EQ(counts.bytes, 7u);
  EXPECT_EQ(counts.hosts_known, 1u);
  EXPECT_EQ(counts.urls_known, 3u);
  EXPECT_EQ(counts.pages, 2u);
  EXPECT_EQ(counts.pages_new, 1u);
  EXPECT_EQ(counts.http_errors, 1u);
  EXPECT_EQ(counts.failures, 1u);
  EXPECT_EQ(counts.waiting, 2 + 1 - 2) << "two found, one requeued, two over";
}

// A host whose robots.txt cannot be fetched has failed as any other request.
TEST(CommitBatch, AnUnansweredRequestForRobotsTxtIsAFailure) {
  CommitBatch batch;
  batch.visits = {Visit(0, VisitOutcome::kRobots, true, FetchFailure::kRefused),
                  Visit(0, VisitOutcome::kRobots, true)};
  batch.CountRows();
  EXPECT_EQ(batch.counts.failures, 1u);
  EXPECT_EQ(batch.counts.waiting, 0) << "a robots.txt is no URL of the crawl";
}

}  // namespace
}  // namespace crawler

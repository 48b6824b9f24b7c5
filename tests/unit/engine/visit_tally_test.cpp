#include "engine/visit_tally.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

CountedVisit Counted(VisitOutcome outcome, int status, bool final = true, std::uint64_t bytes = 0) {
  VisitRow row;
  row.url = 1;
  row.outcome = outcome;
  row.status = status;
  row.final = final;
  row.bytes = bytes;
  row.total = 1;
  return CountedVisit(row);
}

/// Host n belongs to the domain "d<n modulo `domains`>".
VisitTally::ForEachHost Hosts(HostId hosts, HostId domains) {
  return [=](const std::function<void(HostId, std::string_view)>& visit) {
    for (HostId host = 1; host <= hosts; ++host) visit(host, "d" + std::to_string(host % domains));
    return Status::Ok();
  };
}

TEST(VisitTally, CountsCodesByResponseAndByUrl) {
  VisitTally tally;
  tally.Add(1, Counted(VisitOutcome::kHttpError, 503, false));
  tally.Add(1, Counted(VisitOutcome::kHttpError, 503, false));
  tally.Add(1, Counted(VisitOutcome::kPage, 200));
  tally.Add(1, Counted(VisitOutcome::kHttpError, 404));
  const CrawlBreakdown breakdown = *tally.Break(Hosts(1, 1), 20);
  ASSERT_EQ(breakdown.codes.size(), 3u);
  EXPECT_EQ(breakdown.codes[0].status, 200);
  EXPECT_EQ(breakdown.codes[2].status, 503);
  EXPECT_EQ(breakdown.codes[2].responses, 2u);
  EXPECT_EQ(breakdown.codes[2].urls, 0u);
}

TEST(VisitTally, OurOwnQuestionsHaveNoCode) {
  VisitTally tally;
  tally.Add(1, Counted(VisitOutcome::kNoSitemap, 404));
  tally.Add(1, Counted(VisitOutcome::kSitemap, 200));
  CountedVisit robots = Counted(VisitOutcome::kRobots, 404);
  robots.url = 0;
  tally.Add(1, robots);
  const CrawlBreakdown breakdown = *tally.Break(Hosts(1, 1), 20);
  EXPECT_TRUE(breakdown.codes.empty());
  ASSERT_EQ(breakdown.domains.size(), 1u);
  EXPECT_EQ(breakdown.domains[0].requests, 3u);
  EXPECT_EQ(breakdown.domains[0].errors, 0u);
}

TEST(VisitTally, AHostIsAskedOnce) {
  VisitTally tally;
  EXPECT_TRUE(tally.Add(7, Counted(VisitOutcome::kPage, 200)));
  EXPECT_FALSE(tally.Add(7, Counted(VisitOutcome::kPage, 200)));
  EXPECT_TRUE(tally.Add(2, Counted(VisitOutcome::kFailed, 0)));
  EXPECT_FALSE(tally.Add(3, Counted(VisitOutcome::kRefused, 0)));
  EXPECT_FALSE(tally.Add(4, Counted(VisitOutcome::kGivenUp, 0)));
  EXPECT_FALSE(tally.Add(0, Counted(VisitOutcome::kPage, 200)));
}

TEST(VisitTally, TheLargestDomainsAndTheRest) {
  VisitTally tally;
  // Domain d0 gets 1 request per host, d1 2, … d9 10; each has ten hosts.
  for (HostId host = 1; host <= 100; ++host) {
    for (HostId i = 0; i <= host % 10; ++i) {
      tally.Add(host, Counted(i == 0 ? VisitOutcome::kPage : VisitOutcome::kFailed, 0, true, 5));
    }
  }
  const CrawlBreakdown breakdown = *tally.Break(Hosts(100, 10), 3);
  ASSERT_EQ(breakdown.domains.size(), 3u);
  EXPECT_EQ(breakdown.domains[0].domain, "d9");
  EXPECT_EQ(breakdown.domains[0].requests, 100u);
  EXPECT_EQ(breakdown.domains[0].pages, 10u);
  EXPECT_EQ(breakdown.domains[0].errors, 90u);
  EXPECT_EQ(breakdown.domains[0].bytes, 500u);
  EXPECT_EQ(breakdown.domains[2].domain, "d7");
  EXPECT_EQ(breakdown.other_domains, 7u);
  EXPECT_EQ(breakdown.others.requests, 10u * (1 + 2 + 3 + 4 + 5 + 6 + 7));
  EXPECT_EQ(breakdown.others.pages, 70u);
}

TEST(VisitTally, AFailingCatalogueIsReported) {
  const auto failing = [](const auto&) { return Status(StatusCode::kCorruption, "torn"); };
  EXPECT_EQ(VisitTally().Break(failing, 3).status().message(), "torn");
}

}  // namespace
}  // namespace crawler

// Robots checks, hosts that are given up, and budgets, for every implementation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "unit/frontier/test_crawl.hpp"

namespace crawler {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Frontier::Outcome::Kind;
using LeaseKind = Frontier::Lease::Kind;
using Verdict = Frontier::Verdict;

CRAWLER_FRONTIER_SUITE(FrontierRobotsCheck);

TEST_P(FrontierRobotsCheck, ComesBeforeTheFirstPage) {
  TestCrawl crawl(GetParam(), WithRobotsChecks());
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u) << "nothing else is asked of the host meanwhile";
  EXPECT_EQ(leases[0].kind, LeaseKind::kRobotsCheck);
  EXPECT_EQ(leases[0].id, 1u);
  EXPECT_EQ(crawl.frontier.counts().waiting, 2u) << "the URL keeps waiting";
  EXPECT_EQ(crawl.frontier.counts().leased, 1u);
  crawl.frontier.PassRobotsCheck(leases[0], crawl.MakeOutcome(Kind::kDone), crawl.now + hours(1),
                                 milliseconds(0));
  const std::vector<Frontier::Lease> pages = crawl.LeaseSome();
  ASSERT_EQ(pages.size(), 2u);
  EXPECT_EQ(pages[0].kind, LeaseKind::kUrl);
}

TEST_P(FrontierRobotsCheck, HoldsUntilItsTimeAndForOneUrlAtLeast) {
  TestCrawl crawl(GetParam(), WithRobotsChecks());
  for (int i = 0; i < 5; ++i) crawl.Add("http://a/" + std::to_string(i));
  const auto check = [&](Duration for_time) {
    const auto lease = crawl.LeaseOne();
    ASSERT_TRUE(lease);
    ASSERT_EQ(lease->kind, LeaseKind::kRobotsCheck);
    crawl.frontier.PassRobotsCheck(*lease, crawl.MakeOutcome(Kind::kDone), crawl.now + for_time,
                                   milliseconds(0));
  };
  check(minutes(1));
  EXPECT_EQ(crawl.LeaseOne()->kind, LeaseKind::kUrl);
  crawl.now += seconds(59);
  EXPECT_EQ(crawl.LeaseOne()->kind, LeaseKind::kUrl);
  crawl.now += seconds(1);
  check(Duration::zero());
  EXPECT_EQ(crawl.LeaseOne()->kind, LeaseKind::kUrl);
  check(minutes(1));
}

TEST_P(FrontierRobotsCheck, SaysTheCrawlDelay) {
  FrontierOptions options = Polite();
  options.robots_checks = true;
  TestCrawl crawl(GetParam(), options);
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  crawl.frontier.PassRobotsCheck(*crawl.LeaseOne(), crawl.MakeOutcome(Kind::kDone),
                                 crawl.now + hours(1), seconds(7));
  EXPECT_EQ(crawl.frontier.NextDue(), crawl.now + seconds(7)) << "robots.txt was a request, too";
  crawl.now += seconds(7);
  crawl.Finish(crawl.LeaseOne().value(), Kind::kPage);
  EXPECT_EQ(crawl.frontier.NextDue(), crawl.now + seconds(7));
}

TEST_P(FrontierRobotsCheck, ThatFailsIsAFailureOfTheHost) {
  FrontierOptions options = WithRobotsChecks();
  options.retry.host_failures = 4;
  TestCrawl crawl(GetParam(), options);
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  crawl.Add("http://b/3");
  for (int i = 0; i < 4; ++i) {
    std::optional<Frontier::Lease> lease = crawl.LeaseOne();
    ASSERT_TRUE(lease);
    ASSERT_EQ(lease->host, 1u);
    const bool given_up = crawl.frontier.FailRobotsCheck(*lease, crawl.MakeOutcome(Kind::kDone),
                                                         crawl.now + hours(1));
    EXPECT_EQ(given_up, i == 3);
    crawl.now += seconds(i == 3 ? 0 : 10);
  }
  EXPECT_FALSE(crawl.frontier.Finished());
  EXPECT_EQ(crawl.frontier.counts().given_up_untaken, 2u);
  std::vector<UrlId> urls;
  for (const Frontier::GivenUp& url : crawl.TakeGivenUp()) {
    EXPECT_EQ(url.host, 1u);
    urls.push_back(url.url);
  }
  EXPECT_THAT(urls, testing::UnorderedElementsAre(1, 2));

  EXPECT_TRUE(crawl.Add("http://a/4").waits) << "accepted, and given up at once";
  EXPECT_EQ(crawl.TakeGivenUp().size(), 1u);
  crawl.now += hours(1);
  const Frontier::Lease other = crawl.LeaseOne().value();
  EXPECT_EQ(other.host, 2u);
  crawl.Add("http://a/5");
  EXPECT_EQ(crawl.LeaseOne().value().id, 5u) << "its time has passed";
}

TEST_P(FrontierRobotsCheck, RefusedBeforeAnythingWasSentIsNoFailure) {
  TestCrawl crawl(GetParam(), WithRobotsChecks());
  crawl.Add("http://a/1");
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(crawl.frontier.FailRobotsCheck(
        crawl.LeaseOne().value(), crawl.MakeOutcome(Kind::kReturned), crawl.now + hours(1)));
  }
  EXPECT_EQ(crawl.LeaseOne().value().failures, 0);
}

TEST_P(FrontierRobotsCheck, ThatMayNotBeMadeGivesTheHostUp) {
  TestCrawl crawl(GetParam(), WithRobotsChecks());
  crawl.Add("http://a/1");
  EXPECT_TRUE(crawl.frontier.FailRobotsCheck(
      crawl.LeaseOne().value(), crawl.MakeOutcome(Kind::kDropped), crawl.now + hours(1)));
  EXPECT_EQ(crawl.TakeGivenUp().size(), 1u);
  EXPECT_TRUE(crawl.frontier.Finished());
}

TEST_P(FrontierRobotsCheck, ThatWasSentCountsForItsDomainAlthoughTheHostIsGivenUp) {
  FrontierOptions options = Polite();
  options.robots_checks = true;
  options.hosts_per_domain = 1;
  for (const seconds took : {seconds(0), seconds(1)}) {
    TestCrawl crawl(GetParam(), options);
    crawl.Add("http://a.example/");
    crawl.Add("http://b.example/");
    const Frontier::Lease lease = crawl.LeaseOne().value();
    crawl.now += milliseconds(10);
    Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kDropped);
    outcome.took = took;
    EXPECT_TRUE(crawl.frontier.FailRobotsCheck(lease, outcome, crawl.now + hours(1)));
    EXPECT_EQ(crawl.LeaseOne().has_value(), took == seconds(0)) << "nothing was sent";
    crawl.now += seconds(1);
    EXPECT_EQ(crawl.LeaseOne().has_value(), took != seconds(0));
  }
}

CRAWLER_FRONTIER_SUITE(FrontierDown);

TEST_P(FrontierDown, TooManyFailuresInARowGiveAHostUpForTenMinutes) {
  FrontierOptions options = NoWaiting();
  options.retry.host_failures = 3;
  TestCrawl crawl(GetParam(), options);
  for (int i = 0; i < 6; ++i) crawl.Add("http://a/" + std::to_string(i));
  for (int i = 0; i < 3; ++i) {
    const Verdict verdict = crawl.Finish(crawl.LeaseOne().value(), Kind::kUnreachable);
    EXPECT_EQ(verdict, i == 2 ? Verdict::kGivenUp : Verdict::kWaits);
    crawl.now += seconds(i == 2 ? 0 : 5);
  }
  EXPECT_EQ(crawl.frontier.counts().waiting, 0u);
  EXPECT_EQ(crawl.TakeGivenUp().size(), 5u) << "those waiting for a retry, too";
  EXPECT_TRUE(crawl.frontier.Finished());
  crawl.Add("http://a/late");
  EXPECT_EQ(crawl.TakeGivenUp().size(), 1u);
  crawl.now += minutes(10);
  EXPECT_FALSE(crawl.LeaseOne());
  crawl.Add("http://a/later");
  EXPECT_TRUE(crawl.LeaseOne());
}

// Before the first answer of any host, somebody waits to hear that a name is mistyped.
TEST_P(FrontierDown, BeforeTheFirstAnswerOfAnyHostThreeFailuresAreEnough) {
  for (const bool answered : {false, true}) {
    TestCrawl crawl(GetParam(), NoWaiting());
    if (answered) {
      crawl.Add("http://b/");
      crawl.Finish(crawl.LeaseOne().value(), Kind::kDone);
    }
    crawl.Add("http://a/");
    int failures = 1;
    while (crawl.Finish(crawl.LeaseOne().value(), Kind::kUnreachable) == Verdict::kWaits) {
      ++failures;
      crawl.now += minutes(5);
    }
    EXPECT_EQ(failures, answered ? 8 : 3);
  }
}

// Whoever looks at a dead letter wants to know which host, how often, when, and what came last.
TEST_P(FrontierDown, TheReasonComesWithTheUrls) {
  FrontierOptions options = NoWaiting();
  options.retry.host_failures = 2;
  TestCrawl crawl(GetParam(), options);
  for (int i = 0; i < 4; ++i) crawl.Add("http://a/" + std::to_string(i));
  TimePoint last;
  for (const char* what : {"timeout", "connection refused"}) {
    const Frontier::Lease lease = crawl.LeaseOne().value();
    Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kUnreachable);
    outcome.what = what;
    crawl.frontier.Finish(lease, outcome);
    last = crawl.now;
    crawl.now += seconds(5);
  }
  crawl.Add("http://a/late");
  const std::vector<Frontier::GivenUp> urls = crawl.TakeGivenUp();
  ASSERT_EQ(urls.size(), 4u);
  int first = 0;
  for (const Frontier::GivenUp& url : urls) {
    ASSERT_NE(url.down, nullptr);
    EXPECT_EQ(url.down->reason, Frontier::HostDown::Reason::kFailures);
    EXPECT_EQ(url.down->attempts, 2);
    EXPECT_EQ(url.down->at, last);
    EXPECT_EQ(url.down->origin, "http://a");
    EXPECT_EQ(url.down->last, "connection refused");
    first += url.first;
  }
  EXPECT_EQ(first, 1);
}

TEST_P(FrontierDown, AGoodAnswerBringsAHostBack) {
  FrontierOptions options = NoWaiting();
  options.retry.host_failures = 1;
  TestCrawl crawl(GetParam(), options);
  for (int i = 0; i < 2; ++i) crawl.Add("http://a/" + std::to_string(i));
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  EXPECT_EQ(crawl.Finish(leases[0], Kind::kUnreachable), Verdict::kGivenUp);
  EXPECT_EQ(crawl.Finish(leases[1], Kind::kPage), Verdict::kOver);
  crawl.Add("http://a/new");
  crawl.now += seconds(1);
  EXPECT_TRUE(crawl.LeaseOne());
}

CRAWLER_FRONTIER_SUITE(FrontierBudget);

TEST_P(FrontierBudget, LeasesNeverExceedWhatIsLeft) {
  FrontierOptions options = NoWaiting();
  options.max_pages = 3;
  TestCrawl crawl(GetParam(), options);
  for (int i = 0; i < 10; ++i) crawl.Add("http://a/" + std::to_string(i));
  std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 3u);
  EXPECT_EQ(crawl.frontier.NextDue(), TimePoint::max());
  EXPECT_EQ(crawl.frontier.WhyWaiting(9, crawl.now)->why, "page budget");
  EXPECT_EQ(crawl.frontier.counts().held_by_budget, 0u) << "it is reserved, not spent";
  crawl.Finish(leases[0], Kind::kDone);
  crawl.Finish(leases[1], Kind::kPage);
  crawl.Finish(leases[2], Kind::kPage);
  leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u) << "what was not used is given out again";
  crawl.Finish(leases[0], Kind::kPage);
  const Frontier::Counts counts = crawl.frontier.counts();
  EXPECT_TRUE(counts.pages_spent);
  EXPECT_EQ(counts.pages, 3u);
  EXPECT_EQ(counts.held_by_budget, 6u);
  EXPECT_EQ(counts.waiting, 6u);
  EXPECT_TRUE(crawl.frontier.Finished());
  EXPECT_THAT(crawl.frontier.Holdups(crawl.now, 10), IsEmpty());
}

TEST_P(FrontierBudget, OfADomainHoldsForAllItsHosts) {
  FrontierOptions options = NoWaiting();
  options.max_per_domain = 2;
  TestCrawl crawl(GetParam(), options);
  for (int i = 0; i < 4; ++i) crawl.Add("http://h" + std::to_string(i) + ".example.org/");
  crawl.Add("http://other/");
  std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 3u);
  for (const Frontier::Lease& lease : leases) crawl.Finish(lease, Kind::kPage);
  EXPECT_EQ(crawl.frontier.counts().held_by_budget, 2u);
  EXPECT_TRUE(crawl.frontier.Finished());
  crawl.Add("http://h1.example.org/more");
  EXPECT_EQ(crawl.frontier.counts().held_by_budget, 3u);
  EXPECT_TRUE(crawl.frontier.Finished());
  EXPECT_EQ(crawl.frontier.WhyWaiting(6, crawl.now)->why, "domain budget");
}

// `--max-pages 1000` gives 1000 pages, not 1007.
TEST_P(FrontierBudget, IsExactWithSeveralThreads) {
  FrontierOptions options = NoWaiting();
  options.max_pages = 1000;
  options.max_per_domain = 150;
  const std::unique_ptr<Frontier> owned = GetParam().make(options);
  Frontier& frontier = *owned;
  for (int i = 0; i < 4000; ++i) {
    const std::string url = "http://h" + std::to_string(i % 10) + "/" + std::to_string(i);
    frontier.OfferAll({TestCrawl::MakeOffer(url)}, 0);
  }
  std::atomic<int> pages{0};
  const auto work = [&](unsigned seed) {
    std::vector<Frontier::Lease> leases;
    while (!frontier.Finished()) {
      leases.clear();
      if (!frontier.LeaseSome(Clock::System().Now(), 7, &leases).ok()) return;
      for (const Frontier::Lease& lease : leases) {
        Frontier::Outcome outcome;
        seed = seed * 1664525 + 1013904223;
        outcome.kind = (seed >> 16) % 3 == 0 ? Kind::kDone : Kind::kPage;
        outcome.started = outcome.now = Clock::System().Now();
        const std::string link = "http://new" + std::to_string(seed % 50) + "/";
        frontier.OfferAll({TestCrawl::MakeOffer(link)}, lease.id);
        if (outcome.kind == Kind::kPage) ++pages;
        frontier.Finish(lease, outcome);
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pages, 1000);
  EXPECT_EQ(frontier.counts().pages, 1000u);
  EXPECT_TRUE(frontier.counts().pages_spent);
}

TEST_P(FrontierRobotsCheck, IsRepeatedWhenTheRulesAreLost) {
  TestCrawl crawl(GetParam(), WithRobotsChecks());
  crawl.Add("http://a/1");
  const auto pass = [&crawl] {
    const Frontier::Lease check = crawl.LeaseOne().value();
    EXPECT_EQ(check.kind, LeaseKind::kRobotsCheck);
    crawl.frontier.PassRobotsCheck(check, crawl.MakeOutcome(Kind::kDone), crawl.now + hours(1),
                                   milliseconds(0));
  };
  pass();
  const Frontier::Lease page = crawl.LeaseOne().value();
  EXPECT_EQ(page.kind, LeaseKind::kUrl);
  crawl.frontier.RepeatRobotsCheck(page.host);
  EXPECT_EQ(crawl.Finish(page, Kind::kReturned), Verdict::kWaits);
  pass();
  EXPECT_EQ(crawl.LeaseOne().value().kind, LeaseKind::kUrl);
  crawl.frontier.RepeatRobotsCheck(0);
  crawl.frontier.RepeatRobotsCheck(4'000'000'000);
}

}  // namespace
}  // namespace crawler

// Robots checks, hosts that are given up, budgets, and stored crawls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frontier/frontier.hpp"
#include "unit/frontier/test_crawl.hpp"

namespace crawler {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Health = Frontier::PastRequest::Health;
using Kind = Frontier::Outcome::Kind;
using LeaseKind = Frontier::Lease::Kind;
using Verdict = Frontier::Verdict;

class TestNotes : public HostNotes {};

FrontierOptions WithRobotsChecks() {
  FrontierOptions options = NoWaiting();
  options.robots_checks = true;
  return options;
}

TEST(FrontierRobotsCheck, ComesBeforeTheFirstPage) {
  TestCrawl crawl(WithRobotsChecks());
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u) << "nothing else is asked of the host meanwhile";
  EXPECT_EQ(leases[0].kind, LeaseKind::kRobotsCheck);
  EXPECT_EQ(leases[0].url, 1u);
  EXPECT_EQ(crawl.frontier.counts().waiting, 2u) << "the URL keeps waiting";
  EXPECT_EQ(crawl.frontier.counts().leased, 1u);
  const auto notes = std::make_shared<const TestNotes>();
  crawl.frontier.PassRobotsCheck(leases[0], crawl.MakeOutcome(Kind::kDone), crawl.now + hours(1),
                                 milliseconds(0), notes);
  const std::vector<Frontier::Lease> pages = crawl.LeaseSome();
  ASSERT_EQ(pages.size(), 2u);
  EXPECT_EQ(pages[0].kind, LeaseKind::kUrl);
  EXPECT_EQ(pages[0].notes, notes);
}

TEST(FrontierRobotsCheck, HoldsUntilItsTimeAndForOneUrlAtLeast) {
  TestCrawl crawl(WithRobotsChecks());
  for (int i = 0; i < 5; ++i) crawl.Add("http://a/" + std::to_string(i));
  const auto check = [&](Duration for_time) {
    const auto lease = crawl.LeaseOne();
    ASSERT_TRUE(lease);
    ASSERT_EQ(lease->kind, LeaseKind::kRobotsCheck);
    crawl.frontier.PassRobotsCheck(*lease, crawl.MakeOutcome(Kind::kDone), crawl.now + for_time,
                                   milliseconds(0), nullptr);
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

TEST(FrontierRobotsCheck, SaysTheCrawlDelay) {
  FrontierOptions options = Polite();
  options.robots_checks = true;
  TestCrawl crawl(options);
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  crawl.frontier.PassRobotsCheck(*crawl.LeaseOne(), crawl.MakeOutcome(Kind::kDone),
                                 crawl.now + hours(1), seconds(7), nullptr);
  EXPECT_EQ(crawl.frontier.NextDue(), crawl.now + seconds(7)) << "robots.txt was a request, too";
  crawl.now += seconds(7);
  crawl.Finish(crawl.LeaseOne().value(), Kind::kPage);
  EXPECT_EQ(crawl.frontier.NextDue(), crawl.now + seconds(7));
}

TEST(FrontierRobotsCheck, ThatFailsIsAFailureOfTheHost) {
  FrontierOptions options = WithRobotsChecks();
  options.retry.host_failures = 4;
  TestCrawl crawl(options);
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
  EXPECT_EQ(crawl.LeaseOne().value().url, 5u) << "its time has passed";
}

TEST(FrontierRobotsCheck, RefusedBeforeAnythingWasSentIsNoFailure) {
  TestCrawl crawl(WithRobotsChecks());
  crawl.Add("http://a/1");
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(crawl.frontier.FailRobotsCheck(
        crawl.LeaseOne().value(), crawl.MakeOutcome(Kind::kReturned), crawl.now + hours(1)));
  }
  EXPECT_EQ(crawl.LeaseOne().value().failures, 0);
}

TEST(FrontierRobotsCheck, ThatMayNotBeMadeGivesTheHostUp) {
  TestCrawl crawl(WithRobotsChecks());
  crawl.Add("http://a/1");
  EXPECT_TRUE(crawl.frontier.FailRobotsCheck(
      crawl.LeaseOne().value(), crawl.MakeOutcome(Kind::kDropped), crawl.now + hours(1)));
  EXPECT_EQ(crawl.TakeGivenUp().size(), 1u);
  EXPECT_TRUE(crawl.frontier.Finished());
}

TEST(FrontierDown, TooManyFailuresInARowGiveAHostUpForTenMinutes) {
  FrontierOptions options = NoWaiting();
  options.retry.host_failures = 3;
  TestCrawl crawl(options);
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

// Whoever looks at a dead letter wants to know which host, how often, when, and what came last.
TEST(FrontierDown, TheReasonComesWithTheUrls) {
  FrontierOptions options = NoWaiting();
  options.retry.host_failures = 2;
  TestCrawl crawl(options);
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

TEST(FrontierDown, AGoodAnswerBringsAHostBack) {
  FrontierOptions options = NoWaiting();
  options.retry.host_failures = 1;
  TestCrawl crawl(options);
  for (int i = 0; i < 2; ++i) crawl.Add("http://a/" + std::to_string(i));
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  EXPECT_EQ(crawl.Finish(leases[0], Kind::kUnreachable), Verdict::kGivenUp);
  EXPECT_EQ(crawl.Finish(leases[1], Kind::kPage), Verdict::kOver);
  crawl.Add("http://a/new");
  crawl.now += seconds(1);
  EXPECT_TRUE(crawl.LeaseOne());
}

TEST(FrontierBudget, LeasesNeverExceedWhatIsLeft) {
  FrontierOptions options = NoWaiting();
  options.max_pages = 3;
  TestCrawl crawl(options);
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

TEST(FrontierBudget, OfADomainHoldsForAllItsHosts) {
  FrontierOptions options = NoWaiting();
  options.max_per_domain = 2;
  TestCrawl crawl(options);
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
TEST(FrontierBudget, IsExactWithSeveralThreads) {
  FrontierOptions options = NoWaiting();
  options.max_pages = 1000;
  options.max_per_domain = 150;
  Frontier frontier(options);
  std::vector<Frontier::Offered> results;
  for (int i = 0; i < 4000; ++i) {
    const std::string url = "http://h" + std::to_string(i % 10) + "/" + std::to_string(i);
    frontier.OfferAll({TestCrawl::MakeOffer(url)}, &results);
  }
  std::atomic<int> pages{0};
  const auto work = [&](unsigned seed) {
    std::vector<Frontier::Lease> leases;
    std::vector<Frontier::Offered> offered;
    while (!frontier.Finished()) {
      leases.clear();
      frontier.LeaseSome(Clock::System().Now(), 7, &leases);
      for (const Frontier::Lease& lease : leases) {
        Frontier::Outcome outcome;
        seed = seed * 1664525 + 1013904223;
        outcome.kind = (seed >> 16) % 3 == 0 ? Kind::kDone : Kind::kPage;
        outcome.started = outcome.now = Clock::System().Now();
        const std::string link = "http://new" + std::to_string(seed % 50) + "/";
        frontier.OfferAll({TestCrawl::MakeOffer(link)}, &offered);
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

TEST(FrontierRestore, BringsBackWhatWaitsAndWhatIsKnown) {
  FrontierOptions options = NoWaiting();
  options.max_pages = 3;
  TestCrawl crawl(options);
  Frontier& frontier = crawl.frontier;
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreHost("http://b", "b");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreUrl("http://a/2", 1, false, false);
  frontier.RestoreUrl("http://b/3", 2, true, false);
  frontier.RestoreUrl("http://b/4", 2, true, false);
  frontier.RestoreUrl("http://b/5", 2, false, true);
  frontier.RestoreLink(2);
  frontier.RestoreLink(2);
  frontier.RestoreWaiting(4);
  frontier.RestoreFailures(2, 2);
  frontier.RestoreOver(1, true);
  frontier.EndRestore();

  const Frontier::Counts counts = frontier.counts();
  EXPECT_EQ(counts.known, 5u);
  EXPECT_EQ(counts.hosts, 2u);
  EXPECT_EQ(counts.pages, 1u);
  EXPECT_EQ(counts.waiting, 3u);
  EXPECT_EQ(crawl.Add("http://a/1").url, 1u) << "still known, and still over";
  EXPECT_EQ(crawl.Add("http://c/6").host, 3u);
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 3u) << "two pages are left of the budget";
  EXPECT_EQ(leases[0].url, 2u);
  EXPECT_EQ(leases[0].failures, 2);
  EXPECT_EQ(leases[0].score, 1000 - 10 + 200 + 3);
  EXPECT_EQ(leases[1].url, 6u);
  EXPECT_EQ(leases[2].url, 5u);
  EXPECT_TRUE(leases[2].urgent);
  EXPECT_EQ(frontier.WhyWaiting(4, crawl.now)->origin, "http://b");
}

// Stopping and resuming is no way around the delay, nor around a Retry-After.
TEST(FrontierRestore, KeepsTheClocksOfHosts) {
  FrontierOptions options;
  options.robots_checks = false;
  TestCrawl crawl(options);
  Frontier& frontier = crawl.frontier;
  for (const char* origin : {"http://a", "http://b", "http://c"}) {
    frontier.RestoreHost(origin, std::string_view(origin).substr(7));
  }
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreUrl("http://b/2", 2, false, false);
  frontier.RestoreUrl("http://c/3", 3, false, false);
  const auto request = [&crawl](Health health, milliseconds ago, std::optional<Duration> after) {
    return Frontier::PastRequest{health, true, crawl.now - ago, crawl.now, after};
  };
  frontier.RestoreRequest(UrlId{1}, request(Health::kWell, milliseconds(400), {}));
  frontier.RestoreRequest("http://b", request(Health::kThrottled, milliseconds(900), seconds(7)));
  frontier.RestoreRequest("http://b", request(Health::kWell, milliseconds(950), {}));
  frontier.RestoreRequest("http://nobody", request(Health::kWell, milliseconds(0), {}));
  frontier.EndRestore(crawl.now);

  std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].url, 3u);
  EXPECT_EQ(frontier.NextDue(), crawl.now + milliseconds(600));
  EXPECT_EQ(frontier.WhyWaiting(2, crawl.now)->why, "backoff");
  crawl.now += milliseconds(600);
  leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].url, 1u);
  crawl.now += milliseconds(6'399);
  EXPECT_TRUE(crawl.LeaseSome().empty());
  crawl.now += milliseconds(1);
  leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].url, 2u);
}

// A host that fails rests twice as long with every failure in a row, also across a resume.
TEST(FrontierRestore, KeepsTheRestAfterFailures) {
  TestCrawl crawl(Polite());
  Frontier& frontier = crawl.frontier;
  for (const char* origin : {"http://a", "http://b", "http://c"}) {
    frontier.RestoreHost(origin, std::string_view(origin).substr(7));
  }
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreUrl("http://b/2", 2, false, false);
  frontier.RestoreUrl("http://c/3", 3, false, false);
  const auto request = [&](UrlId url, Health health, seconds ago) {
    frontier.RestoreRequest(url, {health, false, crawl.now - ago, crawl.now - ago, {}});
  };
  // Four in a row, the last 3 s ago: 8 s of rest. One after a good answer: 1 s.
  for (const int ago : {40, 30, 20, 3}) request(1, Health::kFailed, seconds(ago));
  for (const int ago : {30, 20}) request(2, Health::kFailed, seconds(ago));
  request(2, Health::kWell, seconds(10));
  request(2, Health::kFailed, seconds(0));
  request(3, Health::kFailed, seconds(60));
  frontier.EndRestore(crawl.now);

  EXPECT_THAT(crawl.LeasedUrls(), testing::ElementsAre(3)) << "its rest is over";
  EXPECT_EQ(frontier.WhyWaiting(1, crawl.now)->due, crawl.now + seconds(5));
  EXPECT_EQ(frontier.WhyWaiting(2, crawl.now)->due, crawl.now + seconds(1));
  // And the next failure doubles it.
  crawl.now += seconds(5);
  for (const Frontier::Lease& lease : crawl.LeaseSome()) {
    crawl.Finish(lease, lease.url == 1 ? Kind::kUnreachable : Kind::kPage);
  }
  EXPECT_EQ(frontier.WhyWaiting(1, crawl.now)->due, crawl.now + seconds(16));
}

// A host that counted as down gets another chance with a resume, after its rest.
TEST(FrontierRestore, ForgetsThatAHostWasDown) {
  FrontierOptions options = Polite();
  options.retry.host_failures = 3;
  TestCrawl crawl(options);
  Frontier& frontier = crawl.frontier;
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  for (const int ago : {9, 6, 1}) {
    const TimePoint at = crawl.now - seconds(ago);
    frontier.RestoreRequest(UrlId{1}, {Health::kFailed, false, at, at, {}});
  }
  frontier.EndRestore(crawl.now);
  EXPECT_TRUE(crawl.LeaseSome().empty());
  crawl.now += seconds(3);
  std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(crawl.Finish(leases[0], Kind::kUnreachable), Frontier::Verdict::kWaits)
      << "the first again";
}

// Nobody knows of the requests that were under way when a crawl was killed.
TEST(FrontierRestore, AfterAKillEveryHostMayJustHaveBeenAsked) {
  TestCrawl crawl(Polite());
  Frontier& frontier = crawl.frontier;
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.EndRestore(crawl.now, true);
  EXPECT_TRUE(crawl.LeaseSome().empty());
  EXPECT_EQ(frontier.NextDue(), crawl.now + seconds(1));
}

// A damaged catalogue may refer to anything.
TEST(FrontierRestore, IgnoresWhatCannotBe) {
  TestCrawl crawl(NoWaiting());
  Frontier& frontier = crawl.frontier;
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreUrl("http://a/3", 0, false, false);
  frontier.RestoreUrl("http://a/4", 4000000000, false, false);
  frontier.RestoreUrl("http://a/5", 2, false, false);
  for (const UrlId url : {0u, 2u, 3u, 4u, 5u, 6u, 4000000000u}) {
    frontier.RestoreLink(url);
    frontier.RestoreWaiting(url);
    frontier.RestoreFailures(url, 2000000000);
    frontier.RestoreFailures(url, -1);
  }
  frontier.RestoreOver(0, true);
  frontier.RestoreOver(7, true);
  frontier.EndRestore();
  EXPECT_EQ(crawl.Add("http://a/6").url, 6u) << "ids are those that were stored";
  EXPECT_THAT(crawl.LeasedUrls(), testing::UnorderedElementsAre(1, 5, 6));
}

TEST(FrontierMemory, AKnownUrlTakesAtMost32Bytes) {
  constexpr int kUrls = 1'000'000, kPerHost = 500;
  Frontier frontier(NoWaiting());
  std::vector<std::string> texts(kPerHost);
  std::vector<Frontier::Offered> results;
  for (int i = 0; i < kUrls / kPerHost; ++i) {
    std::vector<Frontier::Offer> offers;
    for (int k = 0; k < kPerHost; ++k) {
      texts[k] = "http://www.host" + std::to_string(i) + ".example/" + std::to_string(k);
      offers.push_back(TestCrawl::MakeOffer(texts[k]));
    }
    frontier.OfferAll(offers, &results);
  }
  EXPECT_EQ(frontier.counts().waiting, static_cast<std::uint64_t>(kUrls));
  EXPECT_LT(static_cast<double>(frontier.memory()) / kUrls, 32);
}

TEST(FrontierMemory, AHostWithNothingToDoShrinksToAFewCounters) {
  constexpr int kHosts = 300'000;
  FrontierOptions options = Polite();
  options.robots_checks = true;
  TestCrawl crawl(options);
  std::size_t early = 0;
  for (int i = 0; i < kHosts; ++i) {
    crawl.Add("http://host" + std::to_string(i) + "/");
    const Frontier::Lease check = crawl.LeaseOne().value();
    crawl.frontier.PassRobotsCheck(check, crawl.MakeOutcome(Kind::kReturned), crawl.now + hours(24),
                                   milliseconds(0), std::make_shared<const TestNotes>());
    const Frontier::Lease page = crawl.LeaseOne().value();
    ASSERT_EQ(page.url, check.url);
    crawl.Finish(page, Kind::kPage);
    crawl.now += milliseconds(10);
    if (i == kHosts / 10) early = crawl.frontier.memory();
  }
  crawl.now += seconds(2);
  EXPECT_FALSE(crawl.LeaseOne());
  EXPECT_EQ(crawl.frontier.counts().hosts_active, 0u);
  EXPECT_LT((crawl.frontier.memory() - early) / (kHosts - kHosts / 10), 100u)
      << "a URL, a host and a domain each";
}

TEST(FrontierMemory, AHostKeepsItsRobotsCheckForAWhile) {
  TestCrawl crawl(WithRobotsChecks());
  crawl.Add("http://a/1");
  crawl.frontier.PassRobotsCheck(crawl.LeaseOne().value(), crawl.MakeOutcome(Kind::kDone),
                                 crawl.now + hours(24), milliseconds(0), nullptr);
  crawl.Finish(crawl.LeaseOne().value(), Kind::kPage);
  EXPECT_EQ(crawl.frontier.counts().hosts_active, 0u);
  crawl.now += hours(23);
  crawl.Add("http://a/2");
  EXPECT_EQ(crawl.LeaseOne().value().kind, LeaseKind::kUrl);
  crawl.now += hours(1);
  crawl.Add("http://a/3");
  EXPECT_EQ(crawl.LeaseOne().value().kind, LeaseKind::kRobotsCheck);
}

}  // namespace
}  // namespace crawler

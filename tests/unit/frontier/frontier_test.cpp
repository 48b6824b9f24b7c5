// The sentences of frontier.hpp about offers, order and clocks, for every implementation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/frontier/test_crawl.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Frontier::Outcome::Kind;
using Verdict = Frontier::Verdict;

CRAWLER_FRONTIER_SUITE(FrontierOffer);

TEST_P(FrontierOffer, GivesIdsInOrderOfDiscoveryFromOne) {
  TestCrawl crawl(GetParam(), NoWaiting());
  const Frontier::Offered first = crawl.Add("http://a/1");
  EXPECT_EQ(first.url, 1u);
  EXPECT_EQ(first.host, 1u);
  EXPECT_TRUE(first.is_new && first.host_is_new && first.waits);
  const Frontier::Offered again = crawl.Add("http://a/1");
  EXPECT_EQ(again.url, 1u);
  EXPECT_FALSE(again.is_new || again.host_is_new || again.waits);
  const Frontier::Offered second = crawl.Add("http://a/2");
  EXPECT_EQ(second.url, 2u);
  EXPECT_TRUE(second.is_new && !second.host_is_new);
  EXPECT_EQ(crawl.Add("https://a/1").host, 2u) << "a host is scheme, host and port";
}

TEST_P(FrontierOffer, TwiceOnOnePageIsOneUrlWithTwoLinks) {
  TestCrawl crawl(GetParam(), NoWaiting());
  const std::string text = "http://a/1";
  const Frontier::Offer offer = TestCrawl::MakeOffer(text);
  const Frontier::OfferResult result = crawl.frontier.OfferAll({offer, offer}, 0);
  EXPECT_EQ(result.number, 1u);
  EXPECT_EQ(result.waiting, 1u);
  EXPECT_TRUE(result.offered[0].is_new);
  EXPECT_FALSE(result.offered[1].is_new);
  EXPECT_EQ(crawl.LeaseOne()->score, 1000 + 200 + 2);
  const Frontier::OfferResult nothing = crawl.frontier.OfferAll({}, 0);
  EXPECT_EQ(nothing.number, 2u) << "numbers count from 1";
  EXPECT_THAT(nothing.offered, IsEmpty());
}

TEST_P(FrontierOffer, SeedsAreNoLinks) {
  TestCrawl crawl(GetParam(), NoWaiting());
  const std::string text = "http://a/1";
  Frontier::Offer seed = TestCrawl::MakeOffer(text);
  seed.via = Via::kSeed;
  crawl.Add(seed);
  EXPECT_EQ(crawl.LeaseOne()->score, 1000);
}

TEST_P(FrontierOffer, TurnedAwayWaitsAfterAllIfALaterOfferIsBetter) {
  TestCrawl crawl(GetParam(), NoWaiting());
  const std::string text = "http://a/1";
  Frontier::Offer offer = TestCrawl::MakeOffer(text);
  offer.skipped = SkipReason::kNofollow;
  EXPECT_FALSE(crawl.Add(offer).waits);
  EXPECT_FALSE(crawl.Add(offer).waits);
  EXPECT_TRUE(crawl.frontier.Finished());
  EXPECT_FALSE(crawl.LeaseOne());
  offer.skipped = SkipReason::kNone;
  const Frontier::Offered better = crawl.Add(offer);
  EXPECT_TRUE(better.waits && !better.is_new);
  EXPECT_EQ(crawl.LeaseOne()->score, 1000 + 300 + 3) << "its links were counted all along";
}

TEST_P(FrontierOffer, FullFrontierTurnsAwayUntilThereIsRoom) {
  FrontierOptions options = NoWaiting();
  options.max_frontier = 2;
  TestCrawl crawl(GetParam(), options);
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  const Frontier::Offered third = crawl.Add("http://a/3");
  EXPECT_TRUE(third.is_new && third.frontier_full && !third.waits);
  crawl.Finish(*crawl.LeaseOne(), Kind::kDone);
  const Frontier::Offered again = crawl.Add("http://a/3");
  EXPECT_TRUE(again.waits && !again.frontier_full);
}

TEST_P(FrontierOffer, SitemapsAndPagesOfAHostTakeTurnsAndSitemapsAreNoPages) {
  FrontierOptions options = NoWaiting();
  options.max_pages = 2;
  TestCrawl crawl(GetParam(), options);
  for (int i = 0; i < 3; ++i) crawl.Add("http://a/page" + std::to_string(i));
  for (int i = 0; i < 4; ++i) {
    const std::string url = "http://a/map" + std::to_string(i);
    Frontier::Offer offer = TestCrawl::MakeOffer(url);
    offer.via = Via::kSitemapFile;
    crawl.Add(offer);
  }
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  std::vector<UrlId> ids;
  for (const Frontier::Lease& lease : leases) ids.push_back(lease.id);
  // Pages that the budget does not leave are not waited for.
  EXPECT_EQ(ids, (std::vector<UrlId>{4, 1, 5, 2, 6, 7}));
  EXPECT_TRUE(leases[0].is_sitemap());
  crawl.Finish(leases[0], Kind::kPage);
  EXPECT_EQ(crawl.frontier.counts().pages, 0u);
}

CRAWLER_FRONTIER_SUITE(FrontierLeaseOrder);

TEST_P(FrontierLeaseOrder, HighestScoreFirstAndTheOldestOfEquals) {
  TestCrawl crawl(GetParam(), NoWaiting());
  crawl.Add("http://a/1");
  crawl.Add("http://b/2");
  crawl.Add("http://c/3");
  crawl.Add("http://c/3");
  // a/1 and b/2: 1000 + 100 + 1; c/3: 1000 + 200 + 2.
  EXPECT_THAT(crawl.LeasedUrls(), ElementsAre(3, 1, 2));
}

TEST_P(FrontierLeaseOrder, NoveltyFallsWithThePagesOfAHost) {
  TestCrawl crawl(GetParam(), NoWaiting());
  for (int i = 1; i <= 130; ++i) crawl.Add("http://a/" + std::to_string(i));
  for (int i = 0; i < 120; ++i) {
    const Frontier::Lease lease = *crawl.LeaseOne();
    EXPECT_EQ(lease.score, std::max(0, 1000 - 10 * i) + 100 + 130);
    crawl.Finish(lease, Kind::kPage);
  }
}

TEST_P(FrontierLeaseOrder, BfsIsFirstInFirstOut) {
  FrontierOptions options = NoWaiting();
  options.order = FrontierOrder::kBfs;
  TestCrawl crawl(GetParam(), options);
  for (const char* url : {"http://a/1", "http://b/2", "http://a/3", "http://c/4"}) crawl.Add(url);
  for (int i = 0; i < 9; ++i) crawl.Add("http://c/4");
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 4u);
  for (UrlId i = 0; i < 4; ++i) {
    EXPECT_EQ(leases[i].id, i + 1);
    EXPECT_EQ(leases[i].score, 200);
  }
}

TEST_P(FrontierLeaseOrder, DfsTakesTheLinksOfTheLatestPageInTheirOrder) {
  FrontierOptions options = NoWaiting();
  options.order = FrontierOrder::kDfs;
  TestCrawl crawl(GetParam(), options);
  const auto offer = [&](const std::vector<std::string>& urls) {
    std::vector<Frontier::Offer> offers;
    for (const std::string& url : urls) offers.push_back(TestCrawl::MakeOffer(url));
    crawl.frontier.OfferAll(offers, 0);
  };
  offer({"http://a/1", "http://b/2"});
  offer(
      {"http://a/3", "http://b/2", "http://b/4", "http://a/5"});  // A second link changes nothing.
  EXPECT_EQ(crawl.LeaseOne()->id, 3u);
  offer({"http://c/6", "http://a/7"});
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  std::vector<UrlId> ids;
  for (const Frontier::Lease& lease : leases) {
    ids.push_back(lease.id);
    EXPECT_EQ(lease.score, 200);
  }
  EXPECT_THAT(ids, ElementsAre(6, 7, 4, 5, 1, 2));
}

TEST_P(FrontierLeaseOrder, DfsKeepsThePageOrderOfTheLargestPage) {
  FrontierOptions options = NoWaiting();
  options.order = FrontierOrder::kDfs;
  TestCrawl crawl(GetParam(), options);
  std::vector<std::string> urls;
  for (int i = 1; i <= 50'000; ++i) urls.push_back("http://a/" + std::to_string(i));
  std::vector<Frontier::Offer> offers;
  for (const std::string& url : urls) offers.push_back(TestCrawl::MakeOffer(url));
  crawl.Add("http://a/first");
  crawl.frontier.OfferAll(offers, 0);
  const std::vector<UrlId> ids = crawl.LeasedUrls(60'000);
  ASSERT_EQ(ids.size(), 50'001u);
  for (UrlId i = 0; i < 50'000; ++i) ASSERT_EQ(ids[i], i + 2);
  EXPECT_EQ(ids.back(), 1u);
}

CRAWLER_FRONTIER_SUITE(FrontierPoliteness);

TEST_P(FrontierPoliteness, AHostHasItsOwnDelay) {
  FrontierOptions options = Polite();
  ASSERT_TRUE(options.host_delays.Add("slow.example", seconds(5)).ok());
  ASSERT_TRUE(options.host_delays.Add("mine.example", milliseconds(0)).ok());
  TestCrawl crawl(GetParam(), options);
  for (const char* host : {"http://www.slow.example", "http://a.mine.example", "http://x"}) {
    for (int i = 0; i < 3; ++i) crawl.Add(host + ("/" + std::to_string(i)));
  }
  const TimePoint start = crawl.now;
  std::vector<std::vector<long>> starts(4);  // By host, in ms.
  while (!crawl.frontier.Finished()) {
    for (const Frontier::Lease& lease : crawl.LeaseSome()) {
      starts[lease.host].push_back(
          std::chrono::duration_cast<milliseconds>(crawl.now - start).count());
      crawl.Finish(lease, Kind::kPage);
    }
    if (crawl.frontier.NextDue() != TimePoint::max()) crawl.now = crawl.frontier.NextDue();
  }
  EXPECT_THAT(starts[1], ElementsAre(0, 5000, 10000));
  EXPECT_THAT(starts[2], ElementsAre(0, 0, 0));
  EXPECT_THAT(starts[3], ElementsAre(0, 1000, 2000));
}

TEST_P(FrontierPoliteness, TheLongerOfCrawlDelayAndTheDelayOfTheHost) {
  for (const auto& [delay, crawl_delay, expected] : {std::tuple{5, 2, 5}, {2, 7, 7}, {0, 3, 3}}) {
    FrontierOptions options;
    ASSERT_TRUE(options.host_delays.Add("a", seconds(delay)).ok());
    TestCrawl crawl(GetParam(), options);
    crawl.Add("http://a/1");
    const Frontier::Lease check = *crawl.LeaseOne();
    crawl.frontier.PassRobotsCheck(check, crawl.MakeOutcome(Kind::kDone),
                                   crawl.now + std::chrono::hours(1), seconds(crawl_delay));
    EXPECT_EQ(crawl.frontier.NextDue(), crawl.now + seconds(expected));
  }
}

TEST_P(FrontierPoliteness, ARequestTakesFromItsDomainWhatItsHostAsksFor) {
  FrontierOptions options = Polite();
  options.hosts_per_domain = 4;
  ASSERT_TRUE(options.host_delays.Add("*.d", seconds(8)).ok());
  ASSERT_TRUE(options.host_delays.Add("d", seconds(2)).ok());
  TestCrawl crawl(GetParam(), options);
  for (const char* url : {"http://a.d/1", "http://b.d/2", "http://c.d/3"}) crawl.Add(url);
  EXPECT_TRUE(crawl.LeaseOne());
  EXPECT_FALSE(crawl.LeaseOne());
  EXPECT_EQ(crawl.frontier.NextDue(), crawl.now + seconds(2)) << "8 s, by 4 hosts";
}

TEST_P(FrontierPoliteness, OneRequestAtATimeAndASecondFromStartToStart) {
  TestCrawl crawl(GetParam(), Polite());
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  const TimePoint start = crawl.now;
  const Frontier::Lease first = *crawl.LeaseOne();
  crawl.now += seconds(5);
  EXPECT_FALSE(crawl.LeaseOne()) << "one at a time";
  EXPECT_EQ(crawl.frontier.NextDue(), TimePoint::max());
  Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kPage);
  outcome.started = start + milliseconds(4500);
  outcome.took = milliseconds(500);
  crawl.frontier.Finish(first, outcome);
  EXPECT_FALSE(crawl.LeaseOne());
  EXPECT_EQ(crawl.frontier.NextDue(), start + milliseconds(5500)) << "set right by `started`";
  crawl.now = start + milliseconds(5500);
  EXPECT_TRUE(crawl.LeaseOne());
}

// The host may read a request long after it was started: when it was slow to connect, or is busy.
TEST_P(FrontierPoliteness, TheDelayCountsFromTheAnswer) {
  TestCrawl crawl(GetParam(), Polite());
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  const Frontier::Lease lease = crawl.LeaseOne().value();
  Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kPage);
  outcome.read_after = std::chrono::milliseconds(400);
  outcome.took = std::chrono::milliseconds(500);
  outcome.now = crawl.now += outcome.took;
  crawl.frontier.Finish(lease, outcome);
  EXPECT_TRUE(crawl.LeaseSome().empty());
  EXPECT_EQ(crawl.frontier.NextDue(), outcome.started + std::chrono::milliseconds(1'400));
}

TEST_P(FrontierPoliteness, ASlowHostDelaysNoOther) {
  TestCrawl crawl(GetParam(), Polite());
  crawl.Add("http://slow/1");
  for (int i = 0; i < 3; ++i) crawl.Add("http://quick/" + std::to_string(i));
  std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 2u);
  crawl.Finish(leases[0].host == 2 ? leases[0] : leases[1], Kind::kPage);
  for (int i = 0; i < 2; ++i) {
    crawl.now += seconds(1);
    const auto lease = crawl.LeaseOne();
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->host, 2u);
    crawl.Finish(*lease, Kind::kPage);
  }
}

TEST_P(FrontierPoliteness, ReturnedAndDroppedGiveTheClockBack) {
  for (const Kind kind : {Kind::kReturned, Kind::kDropped}) {
    TestCrawl crawl(GetParam(), Polite());
    crawl.Add("http://a/1");
    crawl.Add("http://a/2");
    const Verdict verdict = crawl.Finish(*crawl.LeaseOne(), kind);
    EXPECT_EQ(verdict, kind == Kind::kReturned ? Verdict::kWaits : Verdict::kOver);
    const auto next = crawl.LeaseOne();
    ASSERT_TRUE(next) << "nothing was sent";
    EXPECT_EQ(next->id, kind == Kind::kReturned ? 1u : 2u);
  }
}

TEST_P(FrontierPoliteness, ADomainIsAskedLikeFourHosts) {
  TestCrawl crawl(GetParam(), Polite());
  for (int i = 1; i <= 9; ++i) crawl.Add("http://h" + std::to_string(i) + ".example.org/");
  const TimePoint start = crawl.now;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(crawl.LeaseSome().size(), 1u);
    EXPECT_EQ(crawl.LeaseSome().size(), 0u);
    if (i < 3) {
      EXPECT_EQ(crawl.frontier.NextDue(), crawl.now + milliseconds(250));
    }
    crawl.now += milliseconds(250);
  }
  crawl.now = start + seconds(60);
  EXPECT_EQ(crawl.LeaseSome().size(), 0u) << "four are under way";
  EXPECT_EQ(crawl.frontier.NextDue(), TimePoint::max());
}

TEST_P(FrontierPoliteness, AnAddressIsAskedLikeSixteenHosts) {
  FrontierOptions options = Polite();
  options.hosts_per_address = 2;
  TestCrawl crawl(GetParam(), options);
  for (int i = 1; i <= 6; ++i) {
    crawl.Add("http://h" + std::to_string(i) + "/1");
    crawl.Add("http://h" + std::to_string(i) + "/2");
  }
  // Nobody knows the addresses yet, so all six are asked. Then it is known that they are one.
  Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kPage);
  outcome.address = IpAddress::V4(0x7F000001);
  const std::vector<Frontier::Lease> first = crawl.LeaseSome();
  ASSERT_EQ(first.size(), 6u);
  for (const Frontier::Lease& lease : first) crawl.frontier.Finish(lease, outcome);
  crawl.now += seconds(10);
  EXPECT_EQ(crawl.LeaseSome().size(), 1u);
  const auto why = crawl.frontier.WhyWaiting(4, crawl.now);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->why, "address limit");
  EXPECT_EQ(why->due, crawl.now + milliseconds(500));
  crawl.now += milliseconds(500);
  EXPECT_EQ(crawl.LeaseSome().size(), 1u);
  crawl.now += seconds(10);
  EXPECT_EQ(crawl.LeaseSome().size(), 0u) << "two are under way";
}

TEST_P(FrontierPoliteness, ThrottlingCostsNoRetryAndWaitsAsTold) {
  TestCrawl crawl(GetParam(), Polite());
  crawl.Add("http://a/1");
  // As long as it asks for, or 1 s, 2 s, 4 s, …, if that is longer.
  for (const int rest : {70, 70, 70, 70, 70, 70, 70, 128, 256}) {
    const auto lease = crawl.LeaseOne();
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->failures, 0);
    Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kThrottled);
    outcome.retry_after = seconds(70);
    EXPECT_EQ(crawl.frontier.Finish(*lease, outcome), Verdict::kWaits);
    EXPECT_EQ(crawl.frontier.NextDue(), crawl.now + seconds(rest));
    EXPECT_EQ(crawl.frontier.WhyWaiting(1, crawl.now)->why, "backoff");
    crawl.now += seconds(rest) - milliseconds(1);
    EXPECT_FALSE(crawl.LeaseOne());
    crawl.now += milliseconds(1);
  }
}

TEST_P(FrontierPoliteness, ThrottlingWithoutEndEnds) {
  TestCrawl crawl(GetParam(), Polite());
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(crawl.Finish(crawl.LeaseOne().value(), Kind::kThrottled), Verdict::kWaits);
    crawl.now += minutes(5);
  }
  EXPECT_EQ(crawl.Finish(crawl.LeaseOne().value(), Kind::kThrottled), Verdict::kGivenUp);
  EXPECT_EQ(crawl.TakeGivenUp().size(), 1u);
  EXPECT_TRUE(crawl.frontier.Finished());
}

TEST_P(FrontierPoliteness, AGoodAnswerEndsTheRow) {
  TestCrawl crawl(GetParam(), Polite());
  for (int i = 0; i < 9; ++i) crawl.Add("http://a/" + std::to_string(i));
  Duration rests[6];
  for (int i = 0; i < 6; ++i) {
    Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kDone);
    outcome.no_answer = i != 3;
    crawl.frontier.Finish(crawl.LeaseOne().value(), outcome);
    rests[i] = crawl.frontier.NextDue() - crawl.now;
    crawl.now = crawl.frontier.NextDue();
  }
  EXPECT_THAT(rests,
              ElementsAre(seconds(1), seconds(2), seconds(4), seconds(1), seconds(1), seconds(2)));
}

TEST_P(FrontierPoliteness, FailuresSideBySideCountAsOne) {
  FrontierOptions options = NoWaiting();
  options.retry.host_failures = 2;
  TestCrawl crawl(GetParam(), options);
  for (int i = 0; i < 5; ++i) crawl.Add("http://a/" + std::to_string(i));
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 5u);
  const TimePoint started = crawl.now;
  for (const Frontier::Lease& lease : leases) {
    crawl.now += milliseconds(1);
    Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kUnreachable);
    outcome.started = started;
    EXPECT_EQ(crawl.frontier.Finish(lease, outcome), Verdict::kWaits);
  }
  crawl.now += seconds(10);
  EXPECT_EQ(crawl.Finish(crawl.LeaseOne().value(), Kind::kUnreachable), Verdict::kGivenUp)
      << "the second trouble in a row";
  EXPECT_EQ(crawl.TakeGivenUp().size(), 4u);
}

CRAWLER_FRONTIER_SUITE(FrontierRetry);

TEST_P(FrontierRetry, OneTwoFourSecondsThenGivenUp) {
  FrontierOptions options = NoWaiting();
  TestCrawl crawl(GetParam(), options);
  crawl.Add("http://a/1");
  for (int failures = 0; failures < 3; ++failures) {
    const auto lease = crawl.LeaseOne();
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->failures, failures);
    EXPECT_EQ(crawl.Finish(*lease, Kind::kRetry), Verdict::kWaits);
    EXPECT_EQ(crawl.frontier.counts().waiting, 1u);
    EXPECT_FALSE(crawl.frontier.Finished());
    const Duration wait = crawl.frontier.NextDue() - crawl.now;
    EXPECT_GE(wait, milliseconds(750 << failures));
    EXPECT_LE(wait, milliseconds(1250 << failures));
    EXPECT_EQ(crawl.frontier.WhyWaiting(1, crawl.now)->why, "retry");
    crawl.now += wait - std::chrono::nanoseconds(1);
    EXPECT_FALSE(crawl.LeaseOne());
    crawl.now += std::chrono::nanoseconds(1);
  }
  EXPECT_EQ(crawl.Finish(crawl.LeaseOne().value(), Kind::kRetry), Verdict::kGivenUp);
  EXPECT_TRUE(crawl.frontier.Finished());
  EXPECT_THAT(crawl.TakeGivenUp(), IsEmpty()) << "the verdict said it";
}

// A host that answers is not down: 5xx counts against the URL, and slows its host down a little.
TEST_P(FrontierRetry, AUrlThatFailsGoesBehindThoseThatWereNeverTried) {
  TestCrawl crawl(GetParam(), Polite());
  for (int i = 0; i < 20; ++i) crawl.Add("http://a/" + std::to_string(i));
  std::vector<UrlId> order;
  while (std::optional<Frontier::Lease> lease = crawl.LeaseOne()) {
    order.push_back(lease->id);
    const bool bad = lease->id <= 10;
    Frontier::Outcome outcome = crawl.MakeOutcome(bad ? Kind::kRetry : Kind::kPage);
    outcome.server_error = bad;
    crawl.frontier.Finish(*lease, outcome);
    if (crawl.frontier.Finished()) break;
    crawl.now = crawl.frontier.NextDue();
    crawl.now += milliseconds(bad ? 8000 : 1000);
  }
  ASSERT_EQ(order.size(), 20u + 3 * 10u);
  for (UrlId i = 0; i < 20; ++i) EXPECT_EQ(order[i], i + 1);
  EXPECT_TRUE(crawl.frontier.Finished());
  EXPECT_EQ(crawl.frontier.counts().pages, 10u);
}

TEST_P(FrontierRetry, TheSlowDownAfterErrorsIsBoundedAndEndsWithAGoodAnswer) {
  TestCrawl crawl(GetParam(), Polite());
  for (int i = 0; i < 9; ++i) crawl.Add("http://a/" + std::to_string(i));
  Duration waits[7];
  for (int i = 0; i < 7; ++i) {
    const bool bad = i < 5;
    Frontier::Outcome outcome = crawl.MakeOutcome(bad ? Kind::kRetry : Kind::kPage);
    outcome.server_error = bad;
    crawl.frontier.Finish(crawl.LeaseOne().value(), outcome);
    // The retries of the URLs that failed are not what is looked at.
    waits[i] = crawl.frontier.WhyWaiting(9, crawl.now)->due - crawl.now;
    crawl.now += waits[i];
  }
  EXPECT_THAT(waits, ElementsAre(seconds(2), seconds(4), seconds(4), seconds(4), seconds(4),
                                 seconds(1), seconds(1)));
}

TEST_P(FrontierRetry, AHostThatCannotBeReachedCostsItsUrlsNoRetry) {
  TestCrawl crawl(GetParam(), Polite());
  crawl.Add("http://a/1");
  Duration down{0};
  for (int i = 0; i < 7; ++i) {
    const Frontier::Lease lease = crawl.LeaseOne().value();
    EXPECT_EQ(lease.failures, 0);
    EXPECT_EQ(crawl.Finish(lease, Kind::kUnreachable), Verdict::kWaits);
    down += crawl.frontier.NextDue() - crawl.now;
    crawl.now = crawl.frontier.NextDue();
  }
  EXPECT_GE(down, minutes(2));
  EXPECT_EQ(crawl.Finish(crawl.LeaseOne().value(), Kind::kPage), Verdict::kOver);
  EXPECT_EQ(crawl.frontier.counts().pages, 1u);
}

// A sitemap that failed must not stand before pages either, nor wait for a budget that is spent.
TEST_P(FrontierRetry, ASitemapThatFailedGoesBehindPagesThatWereNeverTried) {
  FrontierOptions options = NoWaiting();
  options.retry.first_delay = milliseconds(0);
  options.max_per_domain = 1;
  TestCrawl crawl(GetParam(), options);
  const std::string url = "http://a/sitemap.xml";
  Frontier::Offer sitemap = TestCrawl::MakeOffer(url);
  sitemap.via = Via::kSitemapFile;
  crawl.Add(sitemap);
  crawl.Add("http://a/page");
  crawl.Add("http://a/other");
  EXPECT_EQ(crawl.Finish(crawl.LeaseOne().value(), Kind::kRetry), Verdict::kWaits);
  const Frontier::Lease page = crawl.LeaseOne().value();
  EXPECT_EQ(page.id, 2u);
  const Frontier::Lease again = crawl.LeaseOne().value();
  EXPECT_EQ(again.id, 1u) << "no budget is left for the other page";
  crawl.Finish(page, Kind::kPage);
  crawl.Finish(again, Kind::kDone);
  EXPECT_TRUE(crawl.frontier.Finished());
}

CRAWLER_FRONTIER_SUITE(FrontierFinish);

TEST_P(FrontierFinish, ALeaseEndsOnce) {
  TestCrawl crawl(GetParam(), NoWaiting());
  crawl.Add("http://a/1");
  const Frontier::Lease lease = *crawl.LeaseOne();
  EXPECT_FALSE(crawl.LeaseOne()) << "leased at most once at a time";
  EXPECT_EQ(crawl.Finish(lease, Kind::kPage), Verdict::kOver);
  EXPECT_EQ(crawl.Finish(lease, Kind::kPage), Verdict::kOver);
  Frontier::Lease forged = lease;
  forged.id = 4000000000;
  EXPECT_EQ(crawl.Finish(forged, Kind::kPage), Verdict::kOver);
  forged.kind = Frontier::Lease::Kind::kRobotsCheck;
  forged.host = 4000000000;
  EXPECT_FALSE(crawl.frontier.FailRobotsCheck(forged, crawl.MakeOutcome(Kind::kDone), {}));
  EXPECT_EQ(crawl.frontier.counts().pages, 1u);
  EXPECT_EQ(crawl.frontier.counts().leased, 0u);
}

CRAWLER_FRONTIER_SUITE(FrontierHoldups);

TEST_P(FrontierHoldups, NameTheHostsDueLastFirst) {
  TestCrawl crawl(GetParam(), Polite());
  crawl.Add("http://a/1");
  crawl.Add("http://a/2");
  crawl.Add("http://b/1");
  crawl.Add("http://b/2");
  crawl.Add("http://c/1");
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 3u);
  for (const Frontier::Lease& lease : leases) {
    if (lease.host == 1) crawl.Finish(lease, Kind::kPage);
    if (lease.host != 2) continue;
    Frontier::Outcome outcome = crawl.MakeOutcome(Kind::kThrottled);
    outcome.retry_after = seconds(100);
    crawl.frontier.Finish(lease, outcome);
  }
  const std::vector<Frontier::Holdup> holdups = crawl.frontier.Holdups(crawl.now, 10);
  ASSERT_EQ(holdups.size(), 3u);
  EXPECT_EQ(holdups[0].origin, "http://b");
  EXPECT_EQ(holdups[0].why, "backoff");
  EXPECT_EQ(holdups[0].due, crawl.now + seconds(100));
  EXPECT_EQ(holdups[0].waiting, 2u);
  EXPECT_EQ(holdups[1].origin, "http://a");
  EXPECT_EQ(holdups[1].why, "politeness");
  EXPECT_EQ(holdups[2].origin, "http://c");
  EXPECT_EQ(holdups[2].why, "request under way");
  EXPECT_EQ(holdups[2].leased, 1u);
  ASSERT_EQ(crawl.frontier.Holdups(crawl.now, 1).size(), 1u);
  EXPECT_EQ(crawl.frontier.Holdups(crawl.now, 1)[0].origin, "http://b");
  EXPECT_THAT(crawl.frontier.Holdups(crawl.now, 0), IsEmpty());
  EXPECT_FALSE(crawl.frontier.WhyWaiting(5, crawl.now)) << "it is leased";
  EXPECT_FALSE(crawl.frontier.WhyWaiting(0, crawl.now));
  EXPECT_FALSE(crawl.frontier.WhyWaiting(99, crawl.now));
}

}  // namespace
}  // namespace crawler

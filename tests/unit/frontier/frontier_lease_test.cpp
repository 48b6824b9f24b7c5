// Leases that hold all that a request needs, the rows that offers leave to the catalogue, and the
// way from decided to settled, for every implementation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/frontier/test_crawl.hpp"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = Frontier::Outcome::Kind;
using Verdict = Frontier::Verdict;

Frontier::Offer At(const std::string& url, std::uint32_t depth) {
  Frontier::Offer offer = TestCrawl::MakeOffer(url);
  offer.depth = depth;
  return offer;
}

Frontier::Offer Skipped(const std::string& url, std::uint32_t depth, SkipReason why) {
  Frontier::Offer offer = At(url, depth);
  offer.skipped = why;
  return offer;
}

const std::string kSeed = "http://a/", kPage = "http://a/page", kShy = "http://a/shy",
                  kMap = "http://a/map.xml", kTarget = "http://b/target";

CRAWLER_FRONTIER_SUITE(FrontierLease);

TEST_P(FrontierLease, SaysHowTheUrlWasFound) {
  TestCrawl crawl(GetParam(), NoWaiting());
  Frontier::Offer seed = At(kSeed, 0);
  seed.via = Via::kSeed;
  crawl.Add(seed);
  Frontier::Offer target = At(kTarget, 2);
  target.via = Via::kRedirect;
  target.redirects = 3;
  Frontier::Offer map = At(kMap, 1);
  map.via = Via::kSitemapFile;
  crawl.frontier.OfferAll({target, map, At(kPage, 1)}, 1);

  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_THAT(leases, SizeIs(4));
  for (const Frontier::Lease& lease : leases) {
    SCOPED_TRACE(lease.url);
    EXPECT_EQ(lease.kind, Frontier::Lease::Kind::kUrl);
    EXPECT_EQ(lease.from, lease.id == 1 ? 0u : 1u);
    EXPECT_EQ(lease.failures, 0);
    switch (lease.id) {
      case 1:
        EXPECT_EQ(lease.url, kSeed);
        EXPECT_EQ(lease.via, Via::kSeed);
        EXPECT_EQ(lease.depth, 0u);
        break;
      case 2:
        EXPECT_EQ(lease.url, kTarget);
        EXPECT_EQ(lease.via, Via::kRedirect);
        EXPECT_EQ(lease.redirects, 3u);
        EXPECT_EQ(lease.depth, 2u);
        EXPECT_EQ(lease.host, 2u);
        break;
      case 3:
        EXPECT_EQ(lease.url, kMap);
        EXPECT_TRUE(lease.is_sitemap());
        break;
      default:
        EXPECT_EQ(lease.url, kPage);
        EXPECT_EQ(lease.via, Via::kLink);
    }
  }
}

TEST_P(FrontierLease, OfARobotsCheckHasTheUrlThatWaitsForIt) {
  TestCrawl crawl(GetParam(), WithRobotsChecks());
  crawl.Add(kPage);
  const Frontier::Lease check = crawl.LeaseOne().value();
  EXPECT_EQ(check.kind, Frontier::Lease::Kind::kRobotsCheck);
  EXPECT_EQ(check.url, kPage);
  EXPECT_NE(check.token, 0u);
}

TEST_P(FrontierLease, EndsOnceHoweverOftenItsUrlIsLeased) {
  FrontierOptions options = NoWaiting();
  options.retry.first_delay = std::chrono::milliseconds(0);
  TestCrawl crawl(GetParam(), options);
  crawl.Add(kPage);
  const Frontier::Lease first = crawl.LeaseOne().value();
  EXPECT_EQ(crawl.Finish(first, Kind::kRetry), Verdict::kWaits);
  const Frontier::Lease second = crawl.LeaseOne().value();
  EXPECT_EQ(second.id, first.id);
  EXPECT_NE(second.token, first.token);
  EXPECT_EQ(second.failures, 1);
  EXPECT_EQ(crawl.Finish(first, Kind::kPage), Verdict::kOver) << "it has ended before";
  EXPECT_EQ(crawl.frontier.counts().pages, 0u);
  EXPECT_EQ(crawl.frontier.counts().leased, 1u);
  EXPECT_EQ(crawl.Finish(second, Kind::kPage), Verdict::kOver);
  EXPECT_EQ(crawl.frontier.counts().pages, 1u);
  crawl.Finish(second, Kind::kPage);
  EXPECT_EQ(crawl.frontier.counts().pages, 1u);
}

CRAWLER_FRONTIER_SUITE(FrontierRows);

TEST_P(FrontierRows, AreThoseOfNewHostsAndUrls) {
  TestCrawl crawl(GetParam(), NoWaiting());
  Frontier::Offer shy = Skipped(kShy, 1, SkipReason::kExcluded);
  shy.skip_detail = "/shy";
  const Frontier::OfferResult first = crawl.frontier.OfferAll({At(kPage, 1), shy, At(kPage, 1)}, 7);
  ASSERT_THAT(first.hosts, SizeIs(1));
  EXPECT_EQ(first.hosts[0].id, 1u);
  EXPECT_EQ(first.hosts[0].origin, "http://a");
  ASSERT_THAT(first.urls, SizeIs(2));
  EXPECT_EQ(first.urls[0].url, kPage);
  EXPECT_EQ(first.urls[0].from, 7u);
  EXPECT_EQ(first.urls[0].skipped, SkipReason::kNone);
  EXPECT_EQ(first.urls[1].skipped, SkipReason::kExcluded);
  EXPECT_EQ(first.urls[1].skip_detail, "/shy");
  EXPECT_THAT(first.requeued, IsEmpty());
  EXPECT_TRUE(crawl.frontier.Skipped(2));
  EXPECT_FALSE(crawl.frontier.Skipped(1));

  const Frontier::OfferResult second = crawl.frontier.OfferAll({At(kPage, 1), At(kShy, 2)}, 1);
  EXPECT_THAT(second.hosts, IsEmpty());
  EXPECT_THAT(second.urls, IsEmpty());
  ASSERT_THAT(second.requeued, SizeIs(1)) << "the skipped one is wanted after all";
  EXPECT_EQ(second.requeued[0].url, 2u);
  EXPECT_EQ(second.requeued[0].depth, 2u);
  EXPECT_EQ(second.requeued[0].from, 1u);
  EXPECT_TRUE(second.requeued[0].waits);
  EXPECT_FALSE(crawl.frontier.Skipped(2));
}

// A resume with more room has to know of a known URL that was wanted when there was none.
TEST_P(FrontierRows, SayOnceThatTheFrontierWasFull) {
  FrontierOptions options = NoWaiting();
  options.max_frontier = 1;
  TestCrawl crawl(GetParam(), options);
  const UrlId shy = crawl.Add(Skipped(kShy, 1, SkipReason::kNofollow)).url;
  crawl.Add(kSeed);
  const Frontier::OfferResult full = crawl.frontier.OfferAll({At(kShy, 2)}, 0);
  ASSERT_THAT(full.requeued, SizeIs(1));
  EXPECT_EQ(full.requeued[0].url, shy);
  EXPECT_EQ(full.requeued[0].depth, 2u);
  EXPECT_FALSE(full.requeued[0].waits);
  EXPECT_THAT(crawl.frontier.OfferAll({At(kShy, 3)}, 0).requeued, IsEmpty());

  const Frontier::OfferResult late = crawl.frontier.OfferAll({At(kPage, 1)}, 0);
  ASSERT_THAT(late.urls, SizeIs(1));
  EXPECT_EQ(late.urls[0].skipped, SkipReason::kFrontierFull) << "its own row says it";
  EXPECT_THAT(crawl.frontier.OfferAll({At(kPage, 1)}, 0).requeued, IsEmpty());

  crawl.Finish(crawl.LeaseOne().value(), Kind::kDone);
  const Frontier::OfferResult room = crawl.frontier.OfferAll({At(kShy, 3)}, 0);
  ASSERT_THAT(room.requeued, SizeIs(1));
  EXPECT_TRUE(room.requeued[0].waits);
}

CRAWLER_FRONTIER_SUITE(FrontierDepth);

// Links that may not be followed come first, one that may but leads too deep next, and then the
// page it is on turns out to be nearer.
TEST_P(FrontierDepth, LetsWaitWhatComesWithinTheBudget) {
  FrontierOptions options = NoWaiting();
  options.max_depth = 1;
  TestCrawl crawl(GetParam(), options);
  Frontier::Offer seed = At(kSeed, 0);
  seed.via = Via::kSeed;
  crawl.Add(seed);
  crawl.frontier.OfferAll({Skipped(kShy, 1, SkipReason::kNofollow), At(kPage, 1)}, 1);
  const UrlId shy = 2, page = 3;
  crawl.frontier.OfferAll({Skipped(kShy, 2, SkipReason::kTooDeep)}, page);
  EXPECT_TRUE(crawl.frontier.Skipped(shy));

  Frontier::Offer nearer = At(kPage, 0);
  nearer.via = Via::kSeed;
  const Frontier::OfferResult result = crawl.frontier.OfferAll({nearer}, 0);
  EXPECT_EQ(result.waiting, 1u);
  ASSERT_THAT(result.requeued, SizeIs(2));
  EXPECT_EQ(result.requeued[0].url, page);
  EXPECT_EQ(result.requeued[0].depth, 0u);
  EXPECT_FALSE(result.requeued[0].waits) << "it waits already";
  EXPECT_EQ(result.requeued[1].url, shy);
  EXPECT_EQ(result.requeued[1].depth, 1u);
  EXPECT_EQ(result.requeued[1].from, page);
  EXPECT_TRUE(result.requeued[1].waits);
  for (const Frontier::Lease& lease : crawl.LeaseSome()) {
    EXPECT_EQ(lease.depth, lease.id == shy ? 1u : 0u) << lease.url;
    EXPECT_EQ(lease.from, lease.id == shy ? page : lease.id == page ? 1u : 0u);
  }
}

// A page may come nearer between its lease and the offer of its links.
TEST_P(FrontierDepth, OfThePageCountsWhenItsLinksAreOffered) {
  FrontierOptions options = NoWaiting();
  options.max_depth = 1;
  TestCrawl crawl(GetParam(), options);
  crawl.Add(At(kPage, 1));
  EXPECT_EQ(crawl.LeaseOne().value().depth, 1u);
  Frontier::Offer seed = At(kPage, 0);
  seed.via = Via::kSeed;
  crawl.Add(seed);
  const Frontier::OfferResult result =
      crawl.frontier.OfferAll({Skipped(kTarget, 2, SkipReason::kTooDeep)}, 1);
  EXPECT_EQ(result.from_depth, 0u);
  EXPECT_EQ(result.waiting, 1u);
  const Frontier::Lease lease = crawl.LeaseOne().value();
  EXPECT_EQ(lease.url, kTarget);
  EXPECT_EQ(lease.depth, 1u);
}

CRAWLER_FRONTIER_SUITE(FrontierSettle);

TEST_P(FrontierSettle, FollowsTheDecision) {
  TestCrawl crawl(GetParam(), NoWaiting());
  for (int i = 0; i < 3; ++i) crawl.Add("http://a/" + std::to_string(i));
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_THAT(leases, SizeIs(3));
  EXPECT_EQ(crawl.frontier.counts().unsettled, 0u);
  crawl.Finish(leases[0], Kind::kPage);
  crawl.Finish(leases[1], Kind::kRetry);
  crawl.Finish(leases[2], Kind::kReturned);
  EXPECT_EQ(crawl.frontier.counts().unsettled, 2u) << "of a returned lease nothing is stored";
  EXPECT_EQ(crawl.frontier.counts().pages, 1u) << "budgets move when it is decided";
  crawl.frontier.Settle({leases[0].token}, 1);
  crawl.frontier.Settle({leases[0].token, leases[1].token, 4711}, 3);
  EXPECT_EQ(crawl.frontier.counts().unsettled, 0u);
}

TEST_P(FrontierSettle, NoTextIsForgottenBeforeIt) {
  TestCrawl crawl(GetParam(), NoWaiting());
  crawl.Add(kPage);
  crawl.Finish(crawl.LeaseOne().value(), Kind::kPage);
  const Result<std::string> text = crawl.frontier.TextOf(1);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(*text, kPage);
  EXPECT_FALSE(crawl.frontier.TextOf(2).ok());
}

CRAWLER_FRONTIER_SUITE(FrontierDiscovery);

FrontierOptions WithDiscovery() {
  FrontierOptions options = NoWaiting();
  options.max_discovery = std::chrono::seconds(60);
  return options;
}

TEST_P(FrontierDiscovery, LastsUntilSeedsAndTheirSitemapsWereAskedFor) {
  TestCrawl crawl(GetParam(), WithDiscovery());
  Frontier::Offer seed = At(kSeed, 0);
  seed.via = Via::kSeed;
  crawl.Add(seed);
  Frontier::Offer map = At(kMap, 0);
  map.via = Via::kSitemapFile;
  crawl.Add(map);
  std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_THAT(leases, SizeIs(2));
  crawl.frontier.OfferAll({At(kPage, 1)}, 1);
  EXPECT_THAT(crawl.LeaseSome(), SizeIs(1)) << "it holds no other page back";
  EXPECT_TRUE(crawl.frontier.Discovering());
  crawl.Finish(leases[0], Kind::kRetry);
  EXPECT_TRUE(crawl.frontier.Discovering());
  crawl.Finish(leases[1], Kind::kPage);
  EXPECT_FALSE(crawl.frontier.Discovering()) << "however the requests ended";
}

TEST_P(FrontierDiscovery, FollowsTheRedirectOfASeedAndEndsInTime) {
  TestCrawl crawl(GetParam(), WithDiscovery());
  Frontier::Offer seed = At(kSeed, 0);
  seed.via = Via::kSeed;
  crawl.Add(seed);
  const Frontier::Lease first = crawl.LeaseOne().value();
  Frontier::Offer target = At(kTarget, 0);
  target.via = Via::kRedirect;
  crawl.frontier.OfferAll({target}, first.id);
  crawl.Finish(first, Kind::kDone);
  EXPECT_TRUE(crawl.frontier.Discovering());
  crawl.now += std::chrono::seconds(60);
  EXPECT_THAT(crawl.LeaseSome(), SizeIs(1));
  EXPECT_FALSE(crawl.frontier.Discovering());
}

TEST_P(FrontierDiscovery, EndsWithTheBudget) {
  FrontierOptions options = WithDiscovery();
  options.max_pages = 1;
  TestCrawl crawl(GetParam(), options);
  for (const std::string& url : {kSeed, kPage}) {
    Frontier::Offer seed = At(url, 0);
    seed.via = Via::kSeed;
    crawl.Add(seed);
  }
  crawl.Finish(crawl.LeaseOne().value(), Kind::kPage);
  EXPECT_FALSE(crawl.frontier.Discovering());
}

}  // namespace
}  // namespace crawler

// MemoryFrontier beside the conformance tests: stored crawls, texts, memory.
#include "frontier/memory_frontier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
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
using Health = MemoryFrontier::PastRequest::Health;
using Kind = Frontier::Outcome::Kind;
using LeaseKind = Frontier::Lease::Kind;
using Verdict = Frontier::Verdict;

// For tests that look at ids.
Result<UrlRow> SomeText(UrlId id) {
  UrlRow row;
  row.id = id;
  return row;
}

TEST(MemoryFrontierRestore, DfsGoesOnWithTheLinksOfTheLatestPage) {
  FrontierOptions options = NoWaiting();
  options.order = FrontierOrder::kDfs;
  MemoryFrontier frontier(options, SomeText);
  TestCrawl crawl(frontier);
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreHost("http://b", "b");
  for (const UrlId from : {0, 0, 1, 1, 4, 4}) {
    const UrlId id = static_cast<UrlId>(frontier.counts().known) + 1;
    frontier.RestoreUrl("http://x/" + std::to_string(id), 1 + id % 2, false, false, from);
  }
  frontier.RestoreLink(1);
  frontier.RestoreOver(5, true);
  frontier.EndRestore();
  EXPECT_THAT(crawl.LeasedUrls(2), testing::ElementsAre(6, 3));
  crawl.Add("http://a/new");
  EXPECT_THAT(crawl.LeasedUrls(), testing::ElementsAre(7, 4, 1, 2));
}

TEST(MemoryFrontierRestore, BringsBackWhatWaitsAndWhatIsKnown) {
  FrontierOptions options = NoWaiting();
  options.max_pages = 3;
  MemoryFrontier frontier(options, SomeText);
  TestCrawl crawl(frontier);
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
  EXPECT_EQ(leases[0].id, 2u);
  EXPECT_EQ(leases[0].failures, 2);
  EXPECT_EQ(leases[0].score, 1000 - 10 + 200 + 3);
  EXPECT_EQ(leases[1].id, 6u);
  EXPECT_EQ(leases[2].id, 5u);
  EXPECT_TRUE(leases[2].is_sitemap());
  EXPECT_EQ(frontier.WhyWaiting(4, crawl.now)->origin, "http://b");
}

// Stopping and resuming is no way around the delay, nor around a Retry-After.
TEST(MemoryFrontierRestore, KeepsTheClocksOfHosts) {
  FrontierOptions options;
  options.robots_checks = false;
  MemoryFrontier frontier(options, SomeText);
  TestCrawl crawl(frontier);
  for (const char* origin : {"http://a", "http://b", "http://c"}) {
    frontier.RestoreHost(origin, std::string_view(origin).substr(7));
  }
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreUrl("http://b/2", 2, false, false);
  frontier.RestoreUrl("http://c/3", 3, false, false);
  const auto request = [&crawl](Health health, milliseconds ago, std::optional<Duration> after) {
    const TimePoint ended = after ? crawl.now : crawl.now - ago;
    return MemoryFrontier::PastRequest{health, true, crawl.now - ago, ended, after, {}};
  };
  // Its delay counts from the end.
  frontier.RestoreRequest(
      UrlId{1},
      {Health::kWell, true, crawl.now - milliseconds(700), crawl.now - milliseconds(400), {}, {}});
  frontier.RestoreRequest("http://b", request(Health::kThrottled, milliseconds(900), seconds(7)));
  frontier.RestoreRequest("http://b", request(Health::kWell, milliseconds(950), {}));
  frontier.RestoreRequest("http://nobody", request(Health::kWell, milliseconds(0), {}));
  frontier.EndRestore(crawl.now);

  std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].id, 3u);
  EXPECT_EQ(frontier.NextDue(), crawl.now + milliseconds(600));
  EXPECT_EQ(frontier.WhyWaiting(2, crawl.now)->why, "backoff");
  crawl.now += milliseconds(600);
  leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].id, 1u);
  crawl.now += milliseconds(6'399);
  EXPECT_TRUE(crawl.LeaseSome().empty());
  crawl.now += milliseconds(1);
  leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].id, 2u);
}

// A host that fails rests twice as long with every failure in a row, also across a resume.
TEST(MemoryFrontierRestore, KeepsTheRestAfterFailures) {
  MemoryFrontier frontier(Polite(), SomeText);
  TestCrawl crawl(frontier);
  for (const char* origin : {"http://a", "http://b", "http://c"}) {
    frontier.RestoreHost(origin, std::string_view(origin).substr(7));
  }
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreUrl("http://b/2", 2, false, false);
  frontier.RestoreUrl("http://c/3", 3, false, false);
  const auto request = [&](UrlId url, Health health, seconds ago) {
    const bool answered = health == Health::kWell;
    frontier.RestoreRequest(url,
                            {health, false, crawl.now - ago, crawl.now - ago, {}, {}, answered});
  };
  // Once a host has answered, three failures are not enough to give one up.
  request(3, Health::kWell, seconds(100));
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
    crawl.Finish(lease, lease.id == 1 ? Kind::kUnreachable : Kind::kPage);
  }
  EXPECT_EQ(frontier.WhyWaiting(1, crawl.now)->due, crawl.now + seconds(16));
}

// A host that counted as down gets another chance with a resume, after its rest.
TEST(MemoryFrontierRestore, ForgetsThatAHostWasDown) {
  FrontierOptions options = Polite();
  options.retry.host_failures = 3;
  MemoryFrontier frontier(options, SomeText);
  TestCrawl crawl(frontier);
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  for (const int ago : {9, 6, 1}) {
    const TimePoint at = crawl.now - seconds(ago);
    frontier.RestoreRequest(UrlId{1}, {Health::kFailed, false, at, at, {}, {}});
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
TEST(MemoryFrontierRestore, AfterAKillEveryHostMayJustHaveBeenAsked) {
  MemoryFrontier frontier(Polite(), SomeText);
  TestCrawl crawl(frontier);
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.EndRestore(crawl.now, crawl.now);
  EXPECT_TRUE(crawl.LeaseSome().empty());
  EXPECT_EQ(frontier.NextDue(), crawl.now + seconds(1));
}

// Nor of the pages that were read shortly before it: their links are found again.
TEST(MemoryFrontierRestore, AfterAKillAHostThatIsFoundLaterMayHaveBeenAskedToo) {
  MemoryFrontier frontier(Polite(), SomeText);
  TestCrawl crawl(frontier);
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  const TimePoint restored = crawl.now;
  frontier.EndRestore(restored, restored);
  crawl.now += seconds(1);
  EXPECT_THAT(crawl.LeasedUrls(), ElementsAre(1));
  crawl.now = restored + milliseconds(1'700);
  crawl.Add("http://new/2");
  EXPECT_THAT(crawl.LeasedUrls(), ElementsAre(2)) << "the kill was long enough ago";

  MemoryFrontier another(Polite(), SomeText);
  TestCrawl sooner(another);
  another.EndRestore(sooner.now, sooner.now);
  EXPECT_TRUE(sooner.LeaseSome().empty());
  sooner.now += milliseconds(700);
  sooner.Add("http://new/1");
  EXPECT_TRUE(sooner.LeaseSome().empty());
  EXPECT_EQ(another.NextDue(), sooner.now + milliseconds(300));
}

// A host is asked for its Crawl-delay when there is a URL for it, which may be some time later.
TEST(MemoryFrontierRestore, KeepsTheClocksOfHostsWithoutUrls) {
  FrontierOptions options = Polite();
  options.robots_checks = true;
  options.delay = milliseconds(100);
  MemoryFrontier frontier(options, SomeText);
  TestCrawl crawl(frontier);
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreOver(1, true);
  const TimePoint asked = crawl.now - milliseconds(200);
  frontier.RestoreRequest(UrlId{1}, {Health::kWell, true, asked, asked, {}, {}});
  frontier.EndRestore(crawl.now);
  EXPECT_TRUE(crawl.LeaseSome().empty());
  crawl.now += milliseconds(300);
  crawl.Add("http://a/2");
  const std::optional<Frontier::Lease> check = crawl.LeaseOne();
  ASSERT_TRUE(check && check->kind == LeaseKind::kRobotsCheck);
  frontier.PassRobotsCheck(*check, crawl.MakeOutcome(Kind::kReturned), crawl.now + hours(1),
                           milliseconds(700));
  EXPECT_TRUE(crawl.LeaseSome().empty());
  EXPECT_EQ(frontier.NextDue(), asked + milliseconds(700));
  // Not for ever: by then the longest Crawl-delay has passed.
  crawl.now += options.max_crawl_delay;
  crawl.Finish(crawl.LeaseOne().value(), Kind::kPage);
  EXPECT_EQ(frontier.counts().hosts_active, 0u);
}

// A quick host has to wait for a slow one behind its address that a kill may have forgotten.
TEST(MemoryFrontierRestore, AfterAKillAnAddressMayJustHaveBeenAsked) {
  FrontierOptions options = Polite();
  options.hosts_per_address = 1;
  ASSERT_TRUE(options.host_delays.Add("quick.example", seconds(0)).ok());
  MemoryFrontier frontier(options, SomeText);
  TestCrawl crawl(frontier);
  frontier.RestoreHost("http://slow.test", "slow.test");
  frontier.RestoreHost("http://quick.example", "quick.example");
  for (const UrlId url : {1u, 2u}) {
    frontier.RestoreUrl("http://x/" + std::to_string(url), url, false, false);
    const TimePoint at = crawl.now - hours(1);
    frontier.RestoreRequest(url, {Health::kWell, false, at, at, {}, IpAddress::V4(99)});
  }
  frontier.EndRestore(crawl.now, crawl.now);
  EXPECT_TRUE(crawl.LeaseSome().empty());
  EXPECT_EQ(frontier.NextDue(), crawl.now + seconds(1));
}

// The kill may be some runs ago.
TEST(MemoryFrontierRestore, AnEarlierKillCountsFromItsTime) {
  MemoryFrontier frontier(Polite(), SomeText);
  TestCrawl crawl(frontier);
  frontier.RestoreHost("http://a", "a");
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.EndRestore(crawl.now, crawl.now - milliseconds(600));
  EXPECT_TRUE(crawl.LeaseSome().empty());
  EXPECT_EQ(frontier.NextDue(), crawl.now + milliseconds(400));
}

// Hosts behind one address share its limits from the first lease on.
TEST(MemoryFrontierRestore, KeepsTheAddressesOfHosts) {
  FrontierOptions options = Polite();
  options.hosts_per_address = 1;
  MemoryFrontier frontier(options, SomeText);
  TestCrawl crawl(frontier);
  for (const char* origin : {"http://a", "http://b", "http://c"}) {
    frontier.RestoreHost(origin, std::string_view(origin).substr(7));
  }
  frontier.RestoreUrl("http://a/1", 1, false, false);
  frontier.RestoreUrl("http://b/2", 2, false, false);
  frontier.RestoreUrl("http://c/3", 3, false, false);
  const auto request = [&](UrlId url, std::uint32_t address) {
    const TimePoint at = crawl.now - hours(1);
    frontier.RestoreRequest(url, {Health::kWell, false, at, at, {}, IpAddress::V4(address)});
  };
  request(1, 77);
  request(1, 99);  // The latest one counts.
  request(2, 99);
  request(3, 77);
  frontier.EndRestore(crawl.now);
  EXPECT_THAT(crawl.LeasedUrls(), testing::UnorderedElementsAre(1, 3));
  EXPECT_EQ(frontier.WhyWaiting(2, crawl.now)->why, "address limit");
}

// Hosts of one domain with different delays: the domain rests until the last of them has passed.
TEST(MemoryFrontierRestore, ADomainRestsAsLongAsItsSlowestHostAsksFor) {
  for (const bool slow_is_later : {false, true}) {
    FrontierOptions options = Polite();
    options.hosts_per_domain = 1;
    ASSERT_TRUE(options.host_delays.Add("slow.one", seconds(8)).ok());
    MemoryFrontier frontier(options, SomeText);
    TestCrawl crawl(frontier);
    for (const char* origin : {"http://a.one", "http://slow.one", "http://c.one"}) {
      frontier.RestoreHost(origin, "one");
    }
    for (const UrlId url : {1u, 2u, 3u}) {
      frontier.RestoreUrl("http://x/" + std::to_string(url), url, false, false);
    }
    const TimePoint now = crawl.now;
    const auto request = [&](UrlId url, milliseconds ago) {
      frontier.RestoreRequest(url, {Health::kWell, true, now - ago, now - ago, {}, {}});
    };
    request(1, milliseconds(slow_is_later ? 200 : 100));
    request(2, milliseconds(slow_is_later ? 100 : 200));
    frontier.EndRestore(now);
    EXPECT_TRUE(crawl.LeaseSome().empty());
    EXPECT_EQ(frontier.WhyWaiting(3, now)->due, now + milliseconds(slow_is_later ? 7'900 : 7'800));
  }
}

// A damaged catalogue may refer to anything.
TEST(MemoryFrontierRestore, IgnoresWhatCannotBe) {
  MemoryFrontier frontier(NoWaiting(), SomeText);
  TestCrawl crawl(frontier);
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

TEST(MemoryFrontierMemory, AKnownUrlTakesAtMost32Bytes) {
  constexpr int kUrls = 1'000'000, kPerHost = 500;
  MemoryFrontier frontier(NoWaiting());
  std::vector<std::string> texts(kPerHost);
  for (int i = 0; i < kUrls / kPerHost; ++i) {
    std::vector<Frontier::Offer> offers;
    for (int k = 0; k < kPerHost; ++k) {
      texts[k] = "http://www.host" + std::to_string(i) + ".example/" + std::to_string(k);
      offers.push_back(TestCrawl::MakeOffer(texts[k]));
    }
    frontier.OfferAll(offers, 0);
  }
  EXPECT_EQ(frontier.counts().waiting, static_cast<std::uint64_t>(kUrls));
  EXPECT_LT(static_cast<double>(frontier.memory()) / kUrls, 32);
}

TEST(MemoryFrontierMemory, AHostWithNothingToDoShrinksToAFewCounters) {
  constexpr int kHosts = 300'000;
  FrontierOptions options = Polite();
  options.robots_checks = true;
  MemoryFrontier frontier(options);
  TestCrawl crawl(frontier);
  std::size_t early = 0;
  for (int i = 0; i < kHosts; ++i) {
    crawl.Add("http://host" + std::to_string(i) + "/");
    const Frontier::Lease check = crawl.LeaseOne().value();
    frontier.PassRobotsCheck(check, crawl.MakeOutcome(Kind::kReturned), crawl.now + hours(24),
                             milliseconds(0));
    const Frontier::Lease page = crawl.LeaseOne().value();
    ASSERT_EQ(page.id, check.id);
    crawl.Finish(page, Kind::kPage);
    crawl.now += milliseconds(10);
    if (i == kHosts / 10) early = frontier.memory();
  }
  crawl.now += seconds(2);
  EXPECT_FALSE(crawl.LeaseOne());
  EXPECT_EQ(frontier.counts().hosts_active, 0u);
  EXPECT_LT((frontier.memory() - early) / (kHosts - kHosts / 10), 100u)
      << "a URL, a host and a domain each";
}

TEST(MemoryFrontierMemory, AHostKeepsItsRobotsCheckForAWhile) {
  MemoryFrontier frontier(WithRobotsChecks());
  TestCrawl crawl(frontier);
  crawl.Add("http://a/1");
  frontier.PassRobotsCheck(crawl.LeaseOne().value(), crawl.MakeOutcome(Kind::kDone),
                           crawl.now + hours(24), milliseconds(0));
  crawl.Finish(crawl.LeaseOne().value(), Kind::kPage);
  EXPECT_EQ(frontier.counts().hosts_active, 0u);
  crawl.now += hours(23);
  crawl.Add("http://a/2");
  EXPECT_EQ(crawl.LeaseOne().value().kind, LeaseKind::kUrl);
  crawl.now += hours(1);
  crawl.Add("http://a/3");
  EXPECT_EQ(crawl.LeaseOne().value().kind, LeaseKind::kRobotsCheck);
}

// The catalogue of a MemoryFrontier, as far as it asks for it.
class StoredTexts {
 public:
  void Add(const std::vector<UrlRow>& rows) {
    for (const UrlRow& row : rows) rows_[row.id] = row;
  }
  UrlRow& operator[](UrlId id) { return rows_[id]; }
  MemoryFrontier::ReadUrl Reader() {
    return [this](UrlId id) -> Result<UrlRow> {
      ++reads_;
      const auto row = rows_.find(id);
      if (row == rows_.end()) return Status(StatusCode::kNotFound, "no such row");
      return row->second;
    };
  }
  int reads() const { return reads_; }

 private:
  std::map<UrlId, UrlRow> rows_;
  int reads_ = 0;
};

TEST(MemoryFrontierTexts, AreReadBackOnceTheyAreSettledAndThereIsNoRoom) {
  StoredTexts stored;
  MemoryFrontier frontier(NoWaiting(), stored.Reader(), 0);
  TestCrawl crawl(frontier);
  const std::string first = "http://a/1", second = "http://a/2";
  const Frontier::OfferResult one = frontier.OfferAll({TestCrawl::MakeOffer(first)}, 0);
  stored.Add(one.urls);
  frontier.Settle({}, one.number);
  stored.Add(frontier.OfferAll({TestCrawl::MakeOffer(second)}, 1).urls);
  EXPECT_EQ(frontier.TextOf(1).value(), first);
  EXPECT_EQ(stored.reads(), 1);
  EXPECT_EQ(frontier.TextOf(2).value(), second);
  EXPECT_EQ(stored.reads(), 1) << "it is not settled";
  const std::vector<Frontier::Lease> leases = crawl.LeaseSome();
  ASSERT_EQ(leases.size(), 2u);
  EXPECT_EQ(leases[0].url, first);
  EXPECT_EQ(leases[1].url, second);
  EXPECT_EQ(leases[1].from, 1u);
}

TEST(MemoryFrontierTexts, ThatCannotBeReadGiveTheLeaseBack) {
  StoredTexts stored;
  FrontierOptions options = NoWaiting();
  MemoryFrontier frontier(options, stored.Reader(), 0);
  TestCrawl crawl(frontier);
  const std::string good = "http://a/1", lost = "http://b/2";
  stored.Add(frontier.OfferAll({TestCrawl::MakeOffer(good)}, 0).urls);
  frontier.Settle({}, frontier.OfferAll({TestCrawl::MakeOffer(lost)}, 0).number);
  std::vector<Frontier::Lease> leases;
  const Result<std::size_t> given = frontier.LeaseSome(crawl.now, 10, &leases);
  EXPECT_FALSE(given.ok());
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].url, good);
  EXPECT_EQ(frontier.counts().waiting, 1u);
  EXPECT_EQ(frontier.counts().leased, 1u);
  EXPECT_EQ(frontier.counts().unsettled, 0u);
}

// A repeated crawl finds an old URL again, elsewhere. Its row has been in the catalogue for long,
// but where it was found now has not: until that is settled, only the frontier knows.
TEST(MemoryFrontierTexts, StayUntilTheyAreSettledHoweverOldTheUrlIs) {
  StoredTexts stored;
  FrontierOptions options = NoWaiting();
  MemoryFrontier frontier(options, stored.Reader(), 0);
  TestCrawl crawl(frontier);
  frontier.RestoreHost("http://a", "a");
  constexpr UrlId kOld = 3, kUrls = 3000;
  for (UrlId id = 1; id <= kUrls; ++id) {
    UrlRow& row = stored[id];
    row.id = id;
    row.url = "http://a/" + std::to_string(id);
    row.host = 1;
    row.depth = 7;
    row.from = 2;
    frontier.RestoreUrl(row.url, 1, true, false);
  }
  frontier.EndRestore();
  const std::string ninth = "http://a/9", third = "http://a/3";
  Frontier::Offer found = TestCrawl::MakeOffer(third);
  found.depth = 1;
  const Frontier::OfferResult earlier = frontier.OfferAll({TestCrawl::MakeOffer(ninth)}, 0);
  const Frontier::OfferResult result = frontier.OfferAll({found}, 9);
  ASSERT_EQ(result.requeued.size(), 1u);
  frontier.Settle({}, earlier.number);
  for (const Frontier::Lease& lease : crawl.LeaseSome()) {
    if (lease.id != kOld) continue;
    EXPECT_EQ(lease.depth, 1u);
    EXPECT_EQ(lease.from, 9u);
    crawl.Finish(lease, Kind::kReturned);
  }
  stored[kOld].depth = 1;
  stored[kOld].from = 9;
  const int reads = stored.reads();
  frontier.Settle({}, result.number);
  const Frontier::Lease lease = crawl.LeaseOne().value();
  EXPECT_EQ(lease.id, kOld);
  EXPECT_EQ(stored.reads(), reads + 1) << "there is no room for it any more";
  EXPECT_EQ(lease.from, 9u);
}

// A frontier that several threads lease from.
class MemoryFrontierWorkers : public testing::Test {
 protected:
  // The texts of the URLs that the thread gets.
  std::vector<std::string> LeaseFor(std::uint16_t worker, std::size_t most = 100) {
    std::vector<Frontier::Lease> leases;
    EXPECT_TRUE(frontier_.LeaseFor(worker, crawl_.now, most, &leases).ok());
    std::vector<std::string> urls;
    for (const Frontier::Lease& lease : leases) urls.push_back(lease.url);
    leases_.insert(leases_.end(), leases.begin(), leases.end());
    return urls;
  }
  void FinishAll() {
    for (const Frontier::Lease& lease : leases_) crawl_.Finish(lease, Kind::kPage);
    leases_.clear();
  }

  MemoryFrontier frontier_{Polite()};
  TestCrawl crawl_{frontier_};
  std::vector<Frontier::Lease> leases_;
};

TEST_F(MemoryFrontierWorkers, GetTheHostsThatTheyHad) {
  for (const char* url : {"http://a/1", "http://a/2", "http://b/1", "http://b/2"}) crawl_.Add(url);
  EXPECT_THAT(LeaseFor(1, 1), ElementsAre("http://a/1"));
  EXPECT_THAT(LeaseFor(2, 1), ElementsAre("http://b/1"));
  FinishAll();
  crawl_.now += seconds(1);
  EXPECT_THAT(LeaseFor(2), ElementsAre("http://b/2"));
  EXPECT_LE(frontier_.NextDue(), crawl_.now + Frontier::kPatience);
  EXPECT_THAT(LeaseFor(1), ElementsAre("http://a/2"));
  FinishAll();
  EXPECT_TRUE(frontier_.Finished());
}

TEST_F(MemoryFrontierWorkers, LoseTheirHostsWhenTheyAreLate) {
  for (const char* url : {"http://a/1", "http://a/2", "http://a/3"}) crawl_.Add(url);
  EXPECT_THAT(LeaseFor(1), ElementsAre("http://a/1"));
  FinishAll();
  crawl_.now += seconds(1);
  EXPECT_THAT(LeaseFor(2), IsEmpty());
  crawl_.now += Frontier::kPatience;
  EXPECT_THAT(LeaseFor(2), ElementsAre("http://a/2"));
  FinishAll();
  crawl_.now += seconds(1);
  EXPECT_THAT(LeaseFor(1), IsEmpty());
  EXPECT_THAT(LeaseFor(2), ElementsAre("http://a/3"));
}

TEST_F(MemoryFrontierWorkers, LoseTheHostsThatTheyCannotTake) {
  for (const char* url : {"http://a/1", "http://b/1", "http://a/2", "http://b/2"}) crawl_.Add(url);
  EXPECT_THAT(LeaseFor(1), ElementsAre("http://a/1", "http://b/1"));
  FinishAll();
  crawl_.now += seconds(1);
  EXPECT_THAT(LeaseFor(2), IsEmpty());
  EXPECT_THAT(LeaseFor(1, 1), ElementsAre("http://a/2"));
  EXPECT_THAT(LeaseFor(2), IsEmpty()) << "the first may come again";
  crawl_.now += Frontier::kPatience;
  EXPECT_THAT(LeaseFor(2), ElementsAre("http://b/2"));
}

TEST_F(MemoryFrontierWorkers, ShareAHostWithRequestsUnderWay) {
  MemoryFrontier frontier(NoWaiting());
  TestCrawl crawl(frontier);
  for (const char* url : {"http://a/1", "http://a/2", "http://a/3"}) crawl.Add(url);
  for (const std::uint16_t worker : {1, 2, 1}) {
    std::vector<Frontier::Lease> leases;
    EXPECT_EQ(frontier.LeaseFor(worker, crawl.now, 1, &leases).value(), 1u);
  }
}

}  // namespace
}  // namespace crawler

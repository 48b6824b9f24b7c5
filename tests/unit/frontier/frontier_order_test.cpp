// The order of leases, and everything else a caller sees, against FrontierOracle over long random
// runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "unit/frontier/frontier_conformance.hpp"
#include "unit/frontier/frontier_oracle.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = Frontier::Outcome::Kind;

class RandomRun {
 public:
  RandomRun(const FrontierImplementation& implementation, unsigned seed)
      : random_(seed),
        options_(MakeOptions()),
        owned_(implementation.make(options_)),
        frontier_(*owned_),
        oracle_(options_) {}

  void Go(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      Step();
      Compare();
    }
    if (!testing::Test::HasFailure()) Drain();
  }

 private:
  struct Held {
    Frontier::Lease lease;
    TimePoint at;
  };

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  template <typename T>
  T OneOf(std::initializer_list<T> values) {
    return values.begin()[Pick(static_cast<int>(values.size()))];
  }

  FrontierOptions MakeOptions() {
    FrontierOptions options;
    options.order = OneOf({FrontierOrder::kPriority, FrontierOrder::kPriority, FrontierOrder::kBfs,
                           FrontierOrder::kDfs, FrontierOrder::kDfs, FrontierOrder::kWorth});
    options.delay = milliseconds(OneOf({0, 0, 100, 1000}));
    if (Pick(3) == 0) {
      EXPECT_TRUE(options.host_delays.Add("h1", milliseconds(OneOf({0, 2000}))).ok());
      EXPECT_TRUE(options.host_delays.Add("h4", milliseconds(OneOf({0, 300}))).ok());
    }
    options.per_host = OneOf({1, 1, 2, 5, 0});
    options.hosts_per_domain = OneOf({0, 1, 2, 4});
    options.hosts_per_address = OneOf({0, 1, 2, 5, 10});
    options.max_crawl_delay = milliseconds(OneOf({0, 1500, 30000}));
    options.retry.max_backoff = milliseconds(OneOf({500, 3000, 300000}));
    options.retry.host_failures = OneOf({0, 3, 6, 20});
    options.retry.first_failures = OneOf({0, 1, 3});
    options.retry.retries = OneOf({0, 3, 3, 15});
    options.retry.first_delay = milliseconds(OneOf({0, 1000, 1000}));
    options.robots_checks = OneOf({true, false});
    options.max_pages = static_cast<std::uint64_t>(OneOf({0, 0, 3, 40}));
    options.max_per_domain = static_cast<std::uint64_t>(OneOf({0, 0, 2, 15}));
    options.max_frontier = static_cast<std::uint64_t>(OneOf({0, 0, 25}));
    options.slots = static_cast<std::uint32_t>(OneOf({0, 0, 1, 4, 7}));
    options.hash_key = random_();
    trouble_ = OneOf({0, 10, 40});
    return options;
  }

  void Step() {
    const int what = Pick(20);
    if (what < 6) {
      OfferSome();
    } else if (what < 12) {
      LeaseSome();
    } else if (what < 18) {
      FinishOne();
    } else if (what < 19) {
      TakeGivenUp();
    } else {
      now_ += milliseconds(OneOf({1, 30, 250, 1000, 3000, 60000}));
    }
  }

  void OfferSome() {
    std::vector<std::string> texts;
    std::vector<Frontier::Offer> offers(static_cast<std::size_t>(1 + Pick(6)));
    texts.reserve(3 * offers.size());
    for (Frontier::Offer& offer : offers) {
      const int host = Pick(9);
      offer.site = texts.emplace_back("site" + std::to_string(host / 3));
      offer.origin = texts.emplace_back("http://h" + std::to_string(host));
      offer.url = texts.emplace_back(std::string(offer.origin) + "/" + std::to_string(Pick(60)));
      if (Pick(6) == 0) offer.skipped = SkipReason::kNofollow;
      offer.via = Pick(12) == 0 ? Via::kSitemapFile : Pick(5) == 0 ? Via::kSeed : Via::kLink;
      offer.worth = static_cast<std::uint16_t>(OneOf({0, Pick(5), Pick(Frontier::kMostWorth + 1)}));
    }
    const Frontier::OfferResult result = frontier_.OfferAll(offers, 0);
    EXPECT_EQ(result.number, ++offers_);
    const std::vector<Frontier::Offered>& results = result.offered;
    const std::vector<Frontier::Offered> expected = oracle_.OfferAll(offers);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(results[i].url, expected[i].url);
      EXPECT_EQ(results[i].host, expected[i].host);
      EXPECT_EQ(results[i].is_new, expected[i].is_new);
      EXPECT_EQ(results[i].host_is_new, expected[i].host_is_new);
      EXPECT_EQ(results[i].waits, expected[i].waits);
      EXPECT_EQ(results[i].frontier_full, expected[i].frontier_full);
      EXPECT_EQ(results[i].again, expected[i].again);
    }
  }

  void LeaseSome() {
    const auto most = static_cast<std::size_t>(OneOf({1, 2, 5, 50}));
    std::vector<Frontier::Lease> leases;
    const Result<std::size_t> given = frontier_.LeaseSome(now_, most, &leases);
    EXPECT_TRUE(given.ok() && *given == leases.size());
    const std::vector<Frontier::Lease> expected = oracle_.LeaseSome(now_, most);
    ASSERT_EQ(leases.size(), expected.size());
    leases_ += leases.size();
    for (std::size_t i = 0; i < leases.size(); ++i) {
      SCOPED_TRACE("lease " + std::to_string(i));
      EXPECT_EQ(leases[i].kind, expected[i].kind);
      EXPECT_EQ(leases[i].id, expected[i].id);
      EXPECT_EQ(leases[i].host, expected[i].host);
      EXPECT_EQ(leases[i].is_sitemap(), expected[i].is_sitemap());
      EXPECT_EQ(leases[i].url, expected[i].url);
      EXPECT_EQ(leases[i].failures, expected[i].failures);
      EXPECT_EQ(leases[i].throttled_alone, expected[i].throttled_alone);
      EXPECT_EQ(leases[i].score, expected[i].score);
      held_.push_back({leases[i], now_});
    }
    EXPECT_GE(frontier_.counts().hosts_ready, oracle_.counts().hosts_ready);
    if (leases.size() == most) return;
    // Nothing that becomes due is slept through, and nobody wakes up for what is in the past.
    EXPECT_LE(frontier_.NextDue(), oracle_.NextDue());
    EXPECT_GT(frontier_.NextDue(), now_);
  }

  Frontier::Outcome MakeOutcome(const Held& held) {
    Frontier::Outcome outcome;
    outcome.kind = OneOf({Kind::kPage, Kind::kPage, Kind::kDone});
    if (Pick(100) < trouble_) {
      outcome.kind = OneOf({Kind::kRetry, Kind::kRetry, Kind::kUnreachable, Kind::kThrottled,
                            Kind::kReturned, Kind::kDropped});
    }
    const bool answered = outcome.kind == Kind::kDone || outcome.kind == Kind::kRetry;
    outcome.no_answer = answered && Pick(100) < trouble_;
    outcome.server_error = outcome.kind == Kind::kRetry && !outcome.no_answer;
    outcome.patient = outcome.kind == Kind::kRetry && Pick(4) == 0;
    outcome.now = now_;
    // Whole milliseconds throughout: the frontier keeps some times no finer than that.
    const auto since = std::chrono::duration_cast<milliseconds>(now_ - held.at);
    outcome.started = held.at + since / 4 * Pick(4);
    outcome.took = now_ - outcome.started;
    if (Pick(3) == 0) outcome.retry_after = milliseconds(OneOf({0, 1500, 7000}));
    // Most hosts have one address each, shared by three; one moves about.
    const std::uint32_t place =
        held.lease.host == 2 ? static_cast<std::uint32_t>(Pick(3)) : held.lease.host % 3;
    if (Pick(4) != 0) outcome.address = IpAddress::V4(0x0A000001 + place);
    return outcome;
  }

  void FinishOne() {
    if (held_.empty()) return;
    const auto which = held_.begin() + Pick(static_cast<int>(held_.size()));
    const Held held = *which;
    held_.erase(which);
    const Frontier::Outcome outcome = MakeOutcome(held);
    if (held.lease.kind == Frontier::Lease::Kind::kUrl) {
      EXPECT_EQ(frontier_.Finish(held.lease, outcome), oracle_.Finish(held.lease, outcome));
    } else if (Pick(100) < trouble_) {
      const TimePoint until = now_ + seconds(OneOf({1, 30}));
      EXPECT_EQ(frontier_.FailRobotsCheck(held.lease, outcome, until),
                oracle_.FailRobotsCheck(held.lease, outcome, until));
    } else {
      const TimePoint until = now_ + seconds(OneOf({0, 5, 600}));
      const milliseconds crawl_delay(OneOf({0, 0, 200, 4000}));
      frontier_.PassRobotsCheck(held.lease, outcome, until, crawl_delay);
      oracle_.PassRobotsCheck(held.lease, outcome, until, crawl_delay);
    }
  }

  void TakeGivenUp() {
    std::vector<Frontier::GivenUp> taken;
    while (frontier_.TakeGivenUp(7, &taken) > 0) {
    }
    std::vector<UrlId> urls;
    urls.reserve(taken.size());
    for (const Frontier::GivenUp& given_up : taken) urls.push_back(given_up.url);
    std::sort(urls.begin(), urls.end());
    EXPECT_EQ(urls, oracle_.TakeGivenUp());
  }

  void Compare() {
    const Frontier::Counts is = frontier_.counts(), should = oracle_.counts();
    EXPECT_EQ(is.known, should.known);
    EXPECT_EQ(is.waiting, should.waiting);
    EXPECT_EQ(is.leased, should.leased);
    EXPECT_EQ(is.given_up_untaken, should.given_up_untaken);
    EXPECT_EQ(is.pages, should.pages);
    EXPECT_EQ(is.hosts, should.hosts);
    EXPECT_EQ(is.hosts_active, should.hosts_active);
    EXPECT_EQ(is.held_by_budget, should.held_by_budget);
    EXPECT_EQ(is.pages_spent, should.pages_spent);
    EXPECT_EQ(frontier_.Finished(), oracle_.Finished());
  }

  // With nothing more offered, every crawl comes to its end.
  void Drain() {
    trouble_ = 0;
    for (int i = 0; i < 5000 && !testing::Test::HasFailure() && !frontier_.Finished(); ++i) {
      LeaseSome();
      while (!held_.empty()) FinishOne();
      TakeGivenUp();
      if (frontier_.NextDue() != TimePoint::max()) now_ = std::max(now_, frontier_.NextDue());
      Compare();
    }
    EXPECT_TRUE(frontier_.Finished());
    EXPECT_GT(leases_, 0u);
  }

  std::mt19937 random_;
  int trouble_ = 0;  // Of a hundred requests, how many.
  const FrontierOptions options_;
  const std::unique_ptr<Frontier> owned_;
  Frontier& frontier_;
  FrontierOracle oracle_;
  std::vector<Held> held_;
  TimePoint now_{};
  std::uint64_t offers_ = 0;
  std::size_t leases_ = 0;
};

using ImplementationAndSeed = std::tuple<FrontierImplementation, int>;
class FrontierRandomOrder : public testing::TestWithParam<ImplementationAndSeed> {};

TEST_P(FrontierRandomOrder, IsThatOfTheOracle) {
  const auto& [implementation, block] = GetParam();
  for (int i = 0; i < 25 && !HasFailure(); ++i) {
    const int seed = block * 1000 + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRun(implementation, static_cast<unsigned>(seed)).Go(400);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, FrontierRandomOrder,
                         testing::Combine(testing::ValuesIn(AllFrontiers()), testing::Range(0, 16)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + std::to_string(test.index);
                         });

}  // namespace
}  // namespace crawler

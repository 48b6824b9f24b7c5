// Hosts that do not answer leave slots to hosts that do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/crawl_testing.hpp"

namespace crawler::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;

constexpr int kPages = 120;

// When the good host was asked, robots.txt included.
std::vector<Moment> GoodStarts(SimulatedCrawl& crawl) {
  std::vector<Moment> starts;
  for (const RecordedRequest& request : crawl.network().record()) {
    if (request.origin == "http://good.example") starts.push_back(request.started);
  }
  return starts;
}

// From one request to the next: the delay, and the time that the answer before took.
constexpr milliseconds kDelayAndAnswer{1'040};

// The longest time from one request to the next.
Duration LongestGap(const std::vector<Moment>& starts) {
  Duration longest{0};
  for (std::size_t i = 1; i < starts.size(); ++i) {
    longest = std::max<Duration>(longest, starts[i] - starts[i - 1]);
  }
  return longest;
}

// `name` hosts first, the good one last.
CrawlOptions SeedsOf(const std::string& name, int count) {
  CrawlOptions options = OptionsFor("http://good.example/", seconds(1));
  options.seeds.clear();
  for (int i = 0; i < count; ++i) {
    options.seeds.push_back("http://" + name + std::to_string(i) + ".example/");
  }
  options.seeds.push_back("http://good.example/");
  return options;
}

TEST(SimulatedSlots, TarpitsDoNotStarveAGoodHost) {
  for (const int tarpits : {50, 300, 1'000}) {
    SimulatedWeb web;
    for (int i = 0; i < tarpits; ++i) {
      AddStar(&web, "tar" + std::to_string(i) + ".example", 0).latency = seconds(60);
    }
    AddStar(&web, "good.example", kPages);
    SimulatedCrawl crawl(web, SeedsOf("tar", tarpits));
    crawl.Run();
    const std::vector<Moment> starts = GoodStarts(crawl);
    ASSERT_EQ(starts.size(), 2u + kPages) << tarpits;
    // It waits for its first slot, at most; then it is asked once a second.
    EXPECT_LE(starts.front(), seconds(5 * (1 + tarpits / 128))) << tarpits;
    EXPECT_LE(LongestGap(starts), kDelayAndAnswer) << tarpits;
    EXPECT_THAT(crawl.Problems(), IsEmpty());
  }
}

TEST(SimulatedSlots, HostsThatAnswerOnceAndThenNeverDoNotEither) {
  SimulatedWeb web;
  for (int i = 0; i < 300; ++i) {
    SimulatedHost& host = AddStar(&web, "tar" + std::to_string(i) + ".example", 20);
    for (auto& [path, page] : host.resources) {
      page.forever = Fault::Failure(FetchFailure::kResponseTimeout);
    }
  }
  AddStar(&web, "good.example", kPages);
  SimulatedCrawl crawl(web, SeedsOf("tar", 300));
  crawl.Run();
  const std::vector<Moment> starts = GoodStarts(crawl);
  ASSERT_EQ(starts.size(), 2u + kPages);
  EXPECT_LE(LongestGap(starts), seconds(6)) << "while they hold slots as prompt hosts";
  EXPECT_LE(starts.back() - starts.front(), seconds(kPages + 1 + 10));
}

TEST(SimulatedSlots, AFewSlotsAreSharedAsWell) {
  SimulatedWeb web;
  for (int i = 0; i < 10; ++i) {
    AddStar(&web, "tar" + std::to_string(i) + ".example", 0).latency = seconds(60);
  }
  AddStar(&web, "good.example", kPages);
  CrawlOptions options = SeedsOf("tar", 10);
  options.connections = 2;
  SimulatedCrawl crawl(web, options);
  crawl.Run();
  const std::vector<Moment> starts = GoodStarts(crawl);
  ASSERT_EQ(starts.size(), 2u + kPages);
  EXPECT_LE(LongestGap(starts), kDelayAndAnswer);
}

// Slow is not dead: a host that takes ten seconds is hurried once, and then waited for.
TEST(SimulatedSlots, SlowHostsAreCrawledAllTheSame) {
  SimulatedWeb web;
  for (int i = 0; i < 300; ++i) {
    AddStar(&web, "slow" + std::to_string(i) + ".example", 2).latency = seconds(8);
  }
  AddStar(&web, "good.example", kPages);
  SimulatedCrawl crawl(web, SeedsOf("slow", 300));
  EXPECT_EQ(crawl.Run()->outcome, CrawlResult::Outcome::kFinished);
  EXPECT_EQ(crawl.Pages().size(), 300u * 3 + 1 + kPages);
  EXPECT_LE(LongestGap(GoodStarts(crawl)), kDelayAndAnswer);
  EXPECT_THAT(crawl.Problems(), IsEmpty());
}

}  // namespace
}  // namespace crawler::sim

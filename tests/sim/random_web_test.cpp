#include "sim/random_web.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler::sim {
namespace {

using ::testing::IsEmpty;

TEST(RandomWeb, IsTheSameForASeedAndAnotherForAnother) {
  for (const Weather weather : {Weather::kFine, Weather::kShowers, Weather::kStorms}) {
    EXPECT_EQ(RandomWeb(7, weather).Describe(), RandomWeb(7, weather).Describe());
    EXPECT_NE(RandomWeb(7, weather).Describe(), RandomWeb(8, weather).Describe());
  }
}

TEST(RandomWeb, ExpectationsAreExactUnlessHostsGoAway) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const SimulatedWeb web = RandomWeb(seed, Weather::kShowers);
    const Expectation expected = ExpectPages(web, RandomOptions(seed, web));
    EXPECT_EQ(expected.must, expected.may) << seed;
  }
}

TEST(RandomWeb, ACrawlIsTheSameForASeed) {
  std::string first, second;
  SimulateSeed(3, &first);
  SimulateSeed(3, &second);
  EXPECT_EQ(first, second);
}

// scripts/simulate tries many more.
class RandomCrawls : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomCrawls, KeepAllPromises) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 25; ++seed) {
    EXPECT_THAT(SimulateSeed(seed), IsEmpty()) << "scripts/simulate 1 --seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCrawls, ::testing::Values(1, 26, 51, 76));

}  // namespace
}  // namespace crawler::sim

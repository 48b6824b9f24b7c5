#include "engine/robots_cache.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace crawler {
namespace {

std::shared_ptr<const RobotsRecord> Record() { return std::make_shared<const RobotsRecord>("bot"); }

TEST(RobotsCache, ForgetsTheHostThatWasNotUsedForLongest) {
  RobotsCache cache(3'000);
  for (HostId host = 1; host <= 3; ++host) cache.Put(host, Record(), 700);
  EXPECT_NE(cache.Find(1), nullptr);
  cache.Put(4, Record(), 700);
  EXPECT_EQ(cache.Find(2), nullptr);
  for (const HostId host : {1, 3, 4}) EXPECT_NE(cache.Find(host), nullptr) << host;
}

TEST(RobotsCache, ReplacesTheRulesOfAHost) {
  RobotsCache cache(10'000);
  const auto first = Record(), second = Record();
  cache.Put(1, first, 5'000);
  cache.Put(1, second, 5'000);
  EXPECT_EQ(cache.Find(1), second);
  cache.Put(2, Record(), 4'000);
  EXPECT_EQ(cache.Find(1), second) << "the first does not count any more";
}

TEST(RobotsCache, HoldsOneHostHoweverLargeItsFile) {
  RobotsCache cache(10);
  cache.Put(1, Record(), 500'000);
  EXPECT_NE(cache.Find(1), nullptr);
  cache.Put(2, Record(), 1);
  EXPECT_EQ(cache.Find(1), nullptr);
  EXPECT_NE(cache.Find(2), nullptr);
  EXPECT_EQ(cache.Find(0), nullptr);
}

}  // namespace
}  // namespace crawler

#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace crawler {
namespace {

TEST(Hash64, DependsOnSeedAndBytes) {
  EXPECT_EQ(Hash64("http://a/", 1), Hash64("http://a/", 1));
  EXPECT_NE(Hash64("http://a/", 1), Hash64("http://a/", 2));
  EXPECT_NE(Hash64("http://a/", 1), Hash64("http://b/", 1));
  EXPECT_NE(Hash64("", 1), Hash64(std::string_view("\0", 1), 1));
}

TEST(Hash64, SpreadsSimilarAddresses) {
  std::set<std::uint64_t> low_bits;
  for (int i = 0; i < 100000; ++i) low_bits.insert(Hash64("/p" + std::to_string(i), 7) & 0xffffff);
  EXPECT_GT(low_bits.size(), 99000u);  // Of 2^24 values; about 99,700 for a random function.
}

TEST(RandomKey, Differs) { EXPECT_NE(RandomKey(), RandomKey()); }

}  // namespace
}  // namespace crawler

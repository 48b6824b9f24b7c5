#include "frontier/fingerprint_table.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace crawler {
namespace {

// The table together with what its callers keep: the lower halves.
class Known {
 public:
  std::uint32_t Find(std::uint64_t print) const {
    return table_.Find(
        print, [&](std::uint32_t id) { return lows_[id] == static_cast<std::uint32_t>(print); });
  }
  std::uint32_t Add(std::uint64_t print) {
    lows_.push_back(static_cast<std::uint32_t>(print));
    const auto id = static_cast<std::uint32_t>(lows_.size() - 1);
    table_.Insert(print, id);
    return id;
  }
  std::size_t memory() const { return table_.memory(); }

 private:
  FingerprintTable table_;
  std::vector<std::uint32_t> lows_{0};
};

TEST(FingerprintTable, FindsWhatWasPutInAndNothingElse) {
  Known known;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> prints;
  for (int i = 0; i < 300'000; ++i) {
    prints.push_back(random());
    ASSERT_EQ(known.Find(prints.back()), 0u);
    ASSERT_EQ(known.Add(prints.back()), prints.size());
    if (i % 1000 != 0) continue;
    for (std::size_t k = 0; k < prints.size(); k += 997) ASSERT_EQ(known.Find(prints[k]), k + 1);
  }
  for (std::size_t k = 0; k < prints.size(); ++k) ASSERT_EQ(known.Find(prints[k]), k + 1);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(known.Find(random()), 0u);
}

TEST(FingerprintTable, TellsFingerprintsApartThatShareTheirUpperHalf) {
  Known known;
  for (std::uint64_t low = 1; low <= 3000; ++low) {
    const std::uint64_t print = 0xFFFFFFFF'00000000 | low;
    ASSERT_EQ(known.Find(print), 0u);
    known.Add(print);
  }
  for (std::uint64_t low = 1; low <= 3000; ++low) {
    ASSERT_EQ(known.Find(0xFFFFFFFF'00000000 | low), low);
  }
  EXPECT_EQ(known.Find(0xFFFFFFFE'00000001), 0u);
  EXPECT_EQ(known.Find(0xFFFFFFFF'00000BB9), 0u);
}

// Fingerprints cannot be predicted, so this does not happen; it must not be a catastrophe either.
TEST(FingerprintTable, StaysSmallWhenFingerprintsCrowd) {
  Known known;
  for (std::uint64_t i = 0; i < 5000; ++i) known.Add((0x12FFFFFF - i / 100) << 32 | i);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(known.Find((0x12FFFFFF - i / 100) << 32 | i), i + 1);
  }
  EXPECT_LT(known.memory(), 300'000u);
}

TEST(FingerprintTable, FindsTheLowestAndTheHighest) {
  Known known;
  EXPECT_EQ(known.Find(0), 0u);
  EXPECT_EQ(known.Find(~std::uint64_t{0}), 0u);
  EXPECT_EQ(known.Add(0), 1u);
  EXPECT_EQ(known.Add(~std::uint64_t{0}), 2u);
  EXPECT_EQ(known.Find(0), 1u);
  EXPECT_EQ(known.Find(~std::uint64_t{0}), 2u);
}

TEST(FingerprintTable, TakesTenBytesAnEntry) {
  FingerprintTable table;
  std::mt19937_64 random(2);
  for (std::uint32_t i = 1; i <= 1'000'000; ++i) {
    table.Insert(random(), i);
    if (i % 50'000 == 0 && i >= 200'000) {
      EXPECT_LT(static_cast<double>(table.memory()) / i, 10.8) << i;
    }
  }
}

}  // namespace
}  // namespace crawler

#include "search/fold_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "index/document.hpp"

namespace crawler {
namespace {

struct Item {
  std::int64_t original;
  std::string sketch;
};

std::string RandomSketch(std::mt19937& random) {
  std::string sketch(kSketchBytes, '\0');
  for (char& c : sketch) c = static_cast<char>(random());
  return sketch;
}

// docs/search.md: pages of the same content, and those with 58 of 64 bytes of their sketches in
// common, are one result; it is the first of them.
TEST(FoldTable, FindsTheFirstThatIsAlike) {
  std::mt19937 random(11);  // NOLINT: the same items each time.
  std::vector<Item> items;
  for (int i = 0; i < 3000; ++i) {
    Item item{i % 7 == 0 ? static_cast<std::int64_t>(random() % 3000) : i + 10'000,
              RandomSketch(random)};
    if (i % 3 != 0) {  // Near to one that is there, on both sides of what is near enough.
      item.sketch = items[random() % items.size()].sketch;
      for (std::size_t changes = random() % 10; changes > 0; --changes) {
        item.sketch[random() % kSketchBytes] = static_cast<char>(random());
      }
    }
    if (i % 50 == 0) item.sketch.clear();  // A page without text.
    items.push_back(std::move(item));
  }
  FoldTable table;
  std::vector<Item> kept;
  std::size_t folded = 0;
  for (const Item& item : items) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const Item& other) {
      return other.original == item.original ||
             SketchBytesInCommon(other.sketch, item.sketch) >= kSketchBytesAlike;
    });
    const std::optional<std::size_t> found = table.Find(item.original, item.sketch);
    ASSERT_EQ(found.has_value(), same != kept.end());
    if (found) {
      ASSERT_EQ(*found, static_cast<std::size_t>(same - kept.begin()));
      ++folded;
      continue;
    }
    table.Add(item.original, item.sketch);
    kept.push_back(item);
  }
  EXPECT_GT(folded, 900u);
  EXPECT_GT(kept.size(), 1000u);
  // A few for each that is alike; each with each would be millions.
  EXPECT_LT(table.comparisons(), 20'000u);
}

// Whatever pages have in common, time stays linear.
TEST(FoldTable, ComparesABoundedNumber) {
  std::mt19937 random(12);  // NOLINT
  const std::string common = RandomSketch(random);
  FoldTable table;
  constexpr std::size_t kItems = 10'000;
  for (std::size_t i = 0; i < kItems; ++i) {
    // Too few bytes in common to be alike, but more than half.
    const std::string sketch = common.substr(0, 40) + RandomSketch(random).substr(40);
    ASSERT_FALSE(table.Find(static_cast<std::int64_t>(i), sketch));
    table.Add(static_cast<std::int64_t>(i), sketch);
  }
  EXPECT_LE(table.comparisons(), kItems * FoldTable::kMaxComparisons);
}

}  // namespace
}  // namespace crawler

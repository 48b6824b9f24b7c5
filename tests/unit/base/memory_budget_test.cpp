#include "base/memory_budget.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace crawler {
namespace {

TEST(MemoryBudget, SharesAreGivenBackWithTheirOwners) {
  const auto budget = std::make_shared<MemoryBudget>(100);
  {
    MemoryShare first(budget);
    first.Resize(49);
    EXPECT_FALSE(budget->scarce());
    EXPECT_TRUE(budget->scarce(1));
    MemoryShare moved = std::move(first);
    EXPECT_EQ(budget->used(), 49u);
    MemoryShare copy = moved;
    EXPECT_EQ(budget->used(), 98u);
    EXPECT_TRUE(budget->scarce());
    EXPECT_FALSE(budget->exceeded());
    copy.Resize(60);
    EXPECT_TRUE(budget->exceeded());
    copy.Resize(10);
    EXPECT_EQ(budget->used(), 59u);
    moved = std::move(copy);
    EXPECT_EQ(budget->used(), 10u);
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(MemoryBudget, WithoutABudgetNothingIsCounted) {
  MemoryShare share;
  share.Resize(1'000'000);
  EXPECT_EQ(share.bytes(), 0u);
}

}  // namespace
}  // namespace crawler

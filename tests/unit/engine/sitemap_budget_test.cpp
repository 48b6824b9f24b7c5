#include "engine/sitemap_budget.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

TEST(SitemapBudget, CountsPerHost) {
  SitemapBudget budget({10, 100, 1000});
  EXPECT_EQ(budget.TakeFiles(1, 7), 7u);
  EXPECT_EQ(budget.TakeFiles(1, 7), 3u);
  EXPECT_EQ(budget.TakeFiles(1, 7), 0u);
  EXPECT_EQ(budget.TakeFiles(2, 7), 7u);
  budget.GiveBackFiles(1, 2);
  EXPECT_EQ(budget.TakeFiles(1, 7), 2u);
  EXPECT_EQ(budget.Spent(1), "") << "files that were taken may be fetched";
  EXPECT_EQ(budget.TakeEntries(1, 99), 99u);
  EXPECT_EQ(budget.Spent(1), "");
  EXPECT_EQ(budget.TakeEntries(1, 99), 1u);
  EXPECT_EQ(budget.Spent(1), budget.EntryLimit());
  budget.AddBytes(2, 999);
  EXPECT_EQ(budget.Spent(2), "");
  budget.AddBytes(2, 1);
  EXPECT_EQ(budget.Spent(2), "1000 bytes of sitemaps per host (--max-sitemap-bytes)");
}

TEST(SitemapBudget, ZeroIsNoLimit) {
  SitemapBudget budget({0, 0, 0});
  EXPECT_EQ(budget.TakeFiles(1, 1'000'000), 1'000'000u);
  EXPECT_EQ(budget.TakeEntries(1, 1'000'000), 1'000'000u);
  budget.AddBytes(1, std::size_t{1} << 40);
  EXPECT_EQ(budget.Spent(1), "");
}

}  // namespace
}  // namespace crawler

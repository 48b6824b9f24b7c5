#include "engine/content_index.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

Sha256Digest Of(unsigned number) {
  Sha256Digest digest{};
  digest[7] = static_cast<std::uint8_t>(number >> 8);  // The upper bits say where to look.
  digest[0] = static_cast<std::uint8_t>(number);
  return digest;
}

TEST(ContentIndex, TheFirstStays) {
  ContentIndex index;
  EXPECT_FALSE(index.Find(Of(1)));
  index.Add(Of(1), {10, 100});
  index.Add(Of(1), {11, 101});
  EXPECT_EQ(index.Find(Of(1))->url, 10u);
  EXPECT_FALSE(index.Find(Of(2)));
}

TEST(ContentIndex, APageIsNoDuplicateOfItself) {
  ContentIndex index;
  EXPECT_EQ(index.FirstOther(Of(1), 7), 0u);
  index.Add(Of(1), {5, 100});
  EXPECT_EQ(index.FirstOther(Of(1), 7), 5u);
  EXPECT_EQ(index.FirstOther(Of(1), 5), 0u);
}

// docs/recrawling.md: pages are called duplicates of pages that have the content now.
TEST(ContentIndex, WhoHasOtherContentNowHasAnHeirOrNone) {
  ContentIndex index;
  index.Replace(Of(1), 10, 0);  // Nothing is there.
  index.Add(Of(1), {10, 100});
  index.Replace(Of(1), 99, 0);  // It was not the first.
  EXPECT_EQ(index.Find(Of(1))->url, 10u);
  index.Replace(Of(1), 10, 12);
  EXPECT_EQ(index.Find(Of(1))->url, 12u);
  index.Replace(Of(1), 12, 0);
  EXPECT_FALSE(index.Find(Of(1)));
  index.Add(Of(1), {13, 103});
  EXPECT_EQ(index.Find(Of(1))->url, 13u);
}

// What lies behind a place that was given up is still found, also when the table grows.
TEST(ContentIndex, NeighboursOutliveThoseWhoGo) {
  ContentIndex index;
  constexpr unsigned kMany = 500;
  for (unsigned i = 1; i <= kMany; ++i) index.Add(Of(i), {i, i});
  for (unsigned i = 1; i <= kMany; i += 2) index.Replace(Of(i), i, 0);
  for (unsigned i = kMany + 1; i <= 2 * kMany; ++i) index.Add(Of(i), {i, i});
  for (unsigned i = 1; i <= 2 * kMany; ++i) {
    const auto first = index.Find(Of(i));
    EXPECT_EQ(first ? first->url : 0u, i <= kMany && i % 2 == 1 ? 0u : i);
  }
}

}  // namespace
}  // namespace crawler

#include "frontier/url_texts.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include "sanitizers.hpp"

namespace crawler {
namespace {

UrlRow RowOf(UrlId id) {
  UrlRow row;
  row.id = id;
  row.host = 1;
  row.url = "http://a.example/" + std::to_string(id) + "/" + std::string(200, 'x');
  return row;
}

std::size_t Allocated() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(UrlTexts, TakeLittleMoreMemoryThanTheyAreLong) {
  if (kSanitized) GTEST_SKIP() << "memory is counted by malloc alone";
  constexpr UrlId kUrls = 100'000;
  const std::size_t before = Allocated();
  UrlTexts texts(0);
  std::size_t size = 0;
  for (UrlId id = 1; id <= kUrls; ++id) {
    const UrlRow row = RowOf(id);
    size += row.url.size();
    texts.Keep(row, id);
  }
  // Beside each text some 25 bytes say where and how it was found.
  EXPECT_LT(Allocated() - before, size + kUrls * 32 + (std::size_t{1} << 20));
  texts.Settle(kUrls);
  EXPECT_LT(Allocated() - before, 10'000u) << "nothing is left without room";
}

TEST(UrlTexts, KeepWhatIsNotSettledAndWhatThereIsRoomFor) {
  constexpr std::size_t kRoom = 2'000'000;
  UrlTexts texts(kRoom);
  for (UrlId id = 1; id <= 20'000; ++id) texts.Keep(RowOf(id), id);
  UrlRow row;
  texts.Settle(15'000);
  for (const UrlId id : {1, 1'000, 15'001, 20'000}) {
    ASSERT_TRUE(texts.Find(id, &row)) << id;
    EXPECT_EQ(row.url, RowOf(id).url);
  }
  EXPECT_FALSE(texts.Find(14'000, &row)) << "the newest settled ones leave first";
  texts.Settle(20'000);
  std::size_t held = 0;
  for (UrlId id = 1; id <= 20'000; ++id) {
    if (texts.Find(id, &row)) held += row.url.size();
  }
  EXPECT_LE(held, kRoom);
  EXPECT_GE(held, kRoom / 2);
}

}  // namespace
}  // namespace crawler

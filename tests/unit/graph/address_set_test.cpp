#include "graph/address_set.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "sanitizers.hpp"

namespace crawler {
namespace {

using std::string_literals::operator""s;

TEST(AddressSet, KeepsEachTextOnce) {
  AddressSet set;
  std::string text = "http://example.org/";
  const auto first = set.Insert(text);
  text[0] = 'x';  // It was copied.
  const auto again = set.Insert("http://example.org/");
  EXPECT_TRUE(first.is_new);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(first.address.data(), again.address.data());
  EXPECT_EQ(first.address.view(), "http://example.org/");
}

TEST(AddressSet, AnyBytesWillDo) {
  AddressSet set;
  const std::string texts[] = {""s,
                               "\0"s,
                               "\0\0"s,
                               "a"s,
                               "a\0"s,
                               "a\0b"s,
                               "\xff\xfe"s,
                               "A"s,
                               std::string(1 << 20, 'x'),
                               std::string((1 << 20) + 1, 'x')};
  for (const std::string& text : texts) {
    const auto inserted = set.Insert(text);
    EXPECT_TRUE(inserted.is_new);
    EXPECT_EQ(inserted.address.view(), text);
    EXPECT_EQ(inserted.address.size(), text.size());
    EXPECT_EQ(inserted.address.data()[text.size()], '\0');
  }
  for (const std::string& text : texts) EXPECT_FALSE(set.Insert(text).is_new);
}

TEST(AddressSet, AgreesWithUnorderedSet) {
  std::mt19937 random(3);
  AddressSet set;
  std::unordered_set<std::string> oracle;
  std::vector<std::pair<std::string, const char*>> all;
  for (int i = 0; i < 100000; ++i) {
    // Short ones over a small alphabet: many come again.
    std::string text(random() % 12, '\0');
    for (char& c : text) c = "ab/\0"[random() % 4];
    const auto inserted = set.Insert(text);
    ASSERT_EQ(inserted.is_new, oracle.insert(text).second);
    ASSERT_EQ(inserted.address.view(), text);
    if (inserted.is_new) all.emplace_back(text, inserted.address.data());
  }
  // Texts have stayed where they were while the set grew.
  for (const auto& [text, data] : all) {
    ASSERT_EQ(std::string_view(data, text.size()), text);
    ASSERT_EQ(set.Insert(text).address.data(), data);
  }
}

// "`is_new` for exactly one caller per text"
TEST(AddressSet, OneThreadWinsEachText) {
  constexpr int kThreads = 4;
  constexpr int kTexts = kSanitized ? 5000 : 50000;
  AddressSet set;
  std::atomic<int> won{0};
  std::vector<std::vector<const char*>> data(kThreads, std::vector<const char*>(kTexts));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTexts; ++i) {
        // From both ends, so that threads meet at the same text and at the same growing table.
        const int text = t % 2 == 0 ? i : kTexts - 1 - i;
        const auto inserted = set.Insert("p" + std::to_string(text));
        if (inserted.is_new) ++won;
        data[static_cast<std::size_t>(t)][static_cast<std::size_t>(text)] = inserted.address.data();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, kTexts);
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(data[static_cast<std::size_t>(t)], data[0]);
}

// At most 64 bytes per address besides its text, at any moment: tables and blocks that have just
// grown are the worst.
TEST(AddressSet, CostsLittleBesideTheText) {
  if (kSanitized) GTEST_SKIP() << "the sanitizers' malloc() does not report its size";
  constexpr int kCount = 1000000;
  const auto heap = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = heap();
  AddressSet set;
  std::size_t text = 0;
  for (int i = 1; i <= kCount; ++i) {
    text += set.Insert("http://example.org/some/path/" + std::to_string(i)).address.size();
    if (i < 10000 || i % 5000 != 0) continue;
    const double beside = static_cast<double>(heap() - before - text) / i;
    ASSERT_LE(beside, 64) << i;
    ASSERT_GT(beside, 8) << i;
  }
}

TEST(AddressSet, EmptyOneIsSmall) { EXPECT_LT(sizeof(AddressSet), 20000u); }

TEST(AddressSet, RefusesFourGibibytes) {
  if (kSanitized) GTEST_SKIP() << "too slow with sanitizers";
  constexpr std::size_t kSize = std::size_t{4} << 30;
  void* const zeros =
      mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(zeros, MAP_FAILED);
  AddressSet set;
  EXPECT_THROW(set.Insert({static_cast<const char*>(zeros), kSize}), std::length_error);
  EXPECT_TRUE(set.Insert("a").is_new);
  munmap(zeros, kSize);
}

}  // namespace
}  // namespace crawler

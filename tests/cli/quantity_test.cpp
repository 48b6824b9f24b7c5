#include "quantity.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

TEST(Quantity, SizesHaveDecimalAndBinaryUnits) {
  const struct {
    const char* text;
    std::uint64_t bytes;
  } cases[] = {
      {"0", 0},
      {"0GB", 0},
      {"1000", 1000},
      {"7B", 7},
      {"10MB", 10'000'000},
      {"10mb", 10'000'000},
      {"10 MB", 10'000'000},
      {"10M", 10'000'000},
      {"3k", 3'000},
      {"3KB", 3'000},
      {"3KiB", 3'072},
      {"1.5GiB", 1'610'612'736},
      {"1GiB", 1'073'741'824},
      {"2TB", 2'000'000'000'000},
      {"2TiB", 2'199'023'255'552},
      {".5kB", 500},
      {"0.1kB", 100},
      {"007", 7},
  };
  for (const auto& c : cases) EXPECT_EQ(ParseSize(c.text), c.bytes) << c.text;
}

TEST(Quantity, TimesAreInSecondsWithoutAUnit) {
  const struct {
    const char* text;
    milliseconds time;
  } cases[] = {
      {"0", milliseconds(0)},
      {"1", seconds(1)},
      {"0.5", milliseconds(500)},
      {"0.5s", milliseconds(500)},
      {"500ms", milliseconds(500)},
      {"2h", hours(2)},
      {"1.5h", hours(1) + std::chrono::minutes(30)},
      {"5m", std::chrono::minutes(5)},
      {"5min", std::chrono::minutes(5)},
      {"5 MIN", std::chrono::minutes(5)},
      {"2d", hours(48)},
      {"3.2", milliseconds(3200)},
      {"365d", hours(365 * 24)},
  };
  for (const auto& c : cases) EXPECT_EQ(ParseTime(c.text), c.time) << c.text;
}

// A limit of 0 is none: a tiny one must not become it.
TEST(Quantity, FractionsAreRoundedUp) {
  EXPECT_EQ(ParseTime("0.0001s"), milliseconds(1));
  EXPECT_EQ(ParseTime("0.1ms"), milliseconds(1));
  EXPECT_EQ(ParseTime("1.0001"), milliseconds(1001));
  EXPECT_EQ(ParseTime("0.000"), milliseconds(0));
  EXPECT_EQ(ParseSize("0.001B"), 1u);
  EXPECT_EQ(ParseSize("0.3333333333333333333333333333MB"), 333'334u);
  EXPECT_EQ(ParseSize("1.0000000000000000000000001kB"), 1'001u);
  EXPECT_EQ(ParseSize("0.999999999999999999999TiB"), 1'099'511'627'776u);
}

TEST(Quantity, TooLargeIsTheLargest) {
  EXPECT_EQ(ParseSize("18446744073709551615"), kLargest);
  EXPECT_EQ(ParseSize("18446744073709551616"), kLargest);
  EXPECT_EQ(ParseSize("99999999999999999999999999999999999999999999TiB"), kLargest);
  EXPECT_EQ(ParseTime("99999999999999999999999999d"), milliseconds::max());
  EXPECT_EQ(ParseCount("99999999999999999999999999"), kLargest);
}

TEST(Quantity, OtherTextIsRefused) {
  for (const char* text :
       {"",     " ",     ".",     "-1",  "+1",     "1.",       "1..2",   "1.2.3", "1e3",
        "0x10", "1,000", "1_000", "MB",  "10 ",    " 10",      "10  MB", "10MB ", "10MBs",
        "10 0", "ten",   "inf",   "nan", "1.5.MB", "\xc2\xbd", "10\tMB"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
    EXPECT_EQ(ParseCount(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParseSize("10s"), std::nullopt);
  EXPECT_EQ(ParseSize("10bit"), std::nullopt);
  EXPECT_EQ(ParseTime("10MB"), std::nullopt);
  EXPECT_EQ(ParseTime("1w"), std::nullopt);
  EXPECT_EQ(ParseCount("10k"), std::nullopt);
  EXPECT_EQ(ParseCount("1.0"), std::nullopt);
}

TEST(Quantity, IsWrittenAsItIsRead) {
  EXPECT_EQ(SizeText(10'000'000), "10MB");
  EXPECT_EQ(SizeText(std::uint64_t{256} << 20), "256MiB");
  EXPECT_EQ(SizeText(1'001), "1001B");
  EXPECT_EQ(SizeText(3'000), "3kB");
  EXPECT_EQ(SizeText(3'072), "3KiB");
  EXPECT_EQ(SizeText(0), "0B");
  EXPECT_EQ(TimeText(milliseconds(1'000)), "1s");
  EXPECT_EQ(TimeText(milliseconds(1'500)), "1500ms");
  EXPECT_EQ(TimeText(milliseconds(300'000)), "5min");
  EXPECT_EQ(TimeText(hours(365 * 24)), "365d");
  EXPECT_EQ(TimeText(milliseconds(0)), "0s");
  for (const std::uint64_t number : {0ull, 1ull, 999ull, 1'000ull, 1'024ull, 1'048'576ull,
                                     5'000'000'000ull, 123'456'789ull, 1ull << 50}) {
    EXPECT_EQ(ParseSize(SizeText(number)), number);
    EXPECT_EQ(ParseTime(TimeText(milliseconds(number))), milliseconds(number));
  }
}

}  // namespace

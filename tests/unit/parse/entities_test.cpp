#include "parse/entities.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

std::string Decode(std::string_view raw, bool in_attribute = false) {
  std::string out;
  AppendDecoded(raw, in_attribute, &out);
  return out;
}

// HTML 13.2.5.73, named character reference state.
TEST(CharacterReference, NamedMatchesTheLongestName) {
  EXPECT_EQ(Decode("&amp;&lt;&gt;&quot;"), "&<>\"");
  EXPECT_EQ(Decode("&notin;"), "\u2209");
  EXPECT_EQ(Decode("&notit;"), "\u00ACit;");
  EXPECT_EQ(Decode("&not"), "\u00AC");
  EXPECT_EQ(Decode("&no"), "&no");
  EXPECT_EQ(Decode("&CounterClockwiseContourIntegral;"), "\u2233");
  EXPECT_EQ(Decode("&NotEqualTilde;"), "\u2242\u0338");
  EXPECT_EQ(Decode("&AMP &AMP;&Amp;"), "& &&Amp;");
}

TEST(CharacterReference, InAttributesAnUnfinishedNameBeforeAWordStays) {
  EXPECT_EQ(Decode("?a=1&copy=2", true), "?a=1&copy=2");
  EXPECT_EQ(Decode("?a=1&copy=2", false), "?a=1\u00A9=2");
  EXPECT_EQ(Decode("&copyx", true), "&copyx");
  EXPECT_EQ(Decode("&copy x", true), "\u00A9 x");
  EXPECT_EQ(Decode("&copy;x", true), "\u00A9x");
  EXPECT_EQ(Decode("&copy", true), "\u00A9");
}

// HTML 13.2.5.80, numeric character reference end state.
TEST(CharacterReference, Numeric) {
  EXPECT_EQ(Decode("&#65;&#x41;&#X41"), "AAA");
  EXPECT_EQ(Decode("&#128;&#x99;"), "\u20AC\u2122");
  EXPECT_EQ(Decode("&#0;&#xD800;&#x110000;"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(Decode("&#99999999999999999999;"), "\uFFFD");
  EXPECT_EQ(Decode("&#18446744073709551681;"), "\uFFFD");  // 2^64 + 65: must not wrap round.
  EXPECT_EQ(Decode("&#x10FFFF;"), "\U0010FFFF");
  EXPECT_EQ(Decode("&#;&#x;&#xg;&#"), "&#;&#x;&#xg;&#");
}

TEST(CharacterReference, LoneAmpersandsStay) {
  EXPECT_EQ(Decode("&"), "&");
  EXPECT_EQ(Decode("& &;&&&1;"), "& &;&&&1;");
  EXPECT_EQ(Decode("&\x80\xFF;"), "&\x80\xFF;");
}

// HTML 13.2.3.5, preprocessing the input stream, and NUL in attribute values.
TEST(AppendDecoded, NewlinesAndNul) {
  EXPECT_EQ(Decode("a\r\nb\rc\n\r"), "a\nb\nc\n\n");
  EXPECT_EQ(Decode(std::string_view("a\0b", 3)), "a\uFFFDb");
}

}  // namespace
}  // namespace crawler

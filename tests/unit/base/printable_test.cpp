#include "base/printable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

std::string Printable(std::string_view text) {
  std::string printable;
  AppendPrintable(text, &printable);
  return printable;
}

TEST(Printable, LeavesTextOfAllLanguagesAlone) {
  for (const char* text : {"", "plain ~ text", "naïve €5 中文 😀", "می\u200Cخواهم", "👩\u200D💻"}) {
    EXPECT_EQ(Printable(text), text);
    EXPECT_EQ(PrintableJson(text), text);
  }
}

TEST(Printable, ShowsControlsAndDeceptiveCharacters) {
  EXPECT_EQ(Printable("a\x1b[31m\x7f\n"), "a\\x1b[31m\\x7f\\x0a");
  EXPECT_EQ(Printable("\u009b31m"), "\\xc2\\x9b31m");
  EXPECT_EQ(Printable("\u202ecod.exe\u2066\u061c\u2028\ufeff\u200b"),
            "\\u202ecod.exe\\u2066\\u061c\\u2028\\ufeff\\u200b");
  EXPECT_EQ(Printable("\U000E0041"), "\\ue0041");
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("\x9b"), "\\x9b");
  EXPECT_EQ(Printable("\xc2"), "\\xc2");
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b");                    // Overlong.
  EXPECT_EQ(Printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");           // Overlong.
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // A surrogate.
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // Beyond U+10FFFF.
}

TEST(Printable, JsonKeepsItsMeaning) {
  EXPECT_EQ(PrintableJson("{\n  \"a\": \"\u009b\u202e\x7f\u2028\"\n}"),
            "{\n  \"a\": \"\\u009b\\u202e\\u007f\\u2028\"\n}");
  EXPECT_EQ(PrintableJson("\"\U000E0041\""), "\"\\udb40\\udc41\"");
}

}  // namespace
}  // namespace crawler

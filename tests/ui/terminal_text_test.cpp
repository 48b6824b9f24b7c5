#include "terminal_text.hpp"

#include <gtest/gtest.h>

namespace {

TEST(TerminalText, CountsColumns) {
  EXPECT_EQ(ColumnsOf(""), 0u);
  EXPECT_EQ(ColumnsOf("plain"), 5u);
  EXPECT_EQ(ColumnsOf("é·…"), 3u);
  EXPECT_EQ(ColumnsOf("e\u0301"), 1u);  // A letter and a combining accent.
  EXPECT_EQ(ColumnsOf("日本語"), 6u);
  EXPECT_EQ(ColumnsOf("한글"), 4u);
  EXPECT_EQ(ColumnsOf("🙂"), 2u);
  EXPECT_EQ(ColumnsOf("\xff\xc3"), 2u);  // No UTF-8: a column each.
}

TEST(TerminalText, CutsTheMiddle) {
  EXPECT_EQ(FitMiddle("example.org/a", 13), "example.org/a");
  EXPECT_EQ(FitMiddle("example.org/a", 9), "exam…rg/a");
  EXPECT_EQ(FitMiddle("example", 2), "…e");
  EXPECT_EQ(FitMiddle("example", 1), "…");
  EXPECT_EQ(FitMiddle("example", 0), "");
}

TEST(TerminalText, CutsTheEnd) {
  EXPECT_EQ(FitEnd("waiting for a", 13), "waiting for a");
  EXPECT_EQ(FitEnd("waiting for a", 8), "waiting…");
  EXPECT_EQ(FitEnd("waiting", 0), "");
}

// A wide character is never cut in two, and a combining one never left alone.
TEST(TerminalText, FitsAnyWidth) {
  const std::string texts[] = {"https://例え.テスト/日本語/ページ", "e\u0301e\u0301e\u0301e\u0301",
                               "a🙂b🙂c🙂d", "\xff\xfe\xfd…", std::string(300, 'x')};
  for (const std::string& text : texts) {
    for (std::size_t columns = 0; columns < 50; ++columns) {
      for (const std::string& fitted : {FitMiddle(text, columns), FitEnd(text, columns)}) {
        EXPECT_LE(ColumnsOf(fitted), columns) << text;
        // At most one column is lost to a wide character at each side of the cut.
        EXPECT_GE(ColumnsOf(fitted) + 2, std::min(columns, ColumnsOf(text))) << text;
      }
    }
  }
}

TEST(TerminalText, StylesOnlyWithColours) {
  const StyledLine line = {{"3 pages", Style::kBold}, {" · "}, {"1 error", Style::kRed}};
  EXPECT_EQ(Render(line, false), "3 pages · 1 error");
  EXPECT_EQ(Render(line, true), "\033[1m3 pages\033[0m · \033[31m1 error\033[0m");
  EXPECT_EQ(ColumnsOf(line), 17u);
}

}  // namespace

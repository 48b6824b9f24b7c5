#include "inspect/line_diff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace crawler {
namespace {

using Lines = std::vector<std::string_view>;

std::string Hunks(std::string_view before, std::string_view after) {
  const Lines a = SplitLines(before), b = SplitLines(after);
  const auto changes = DiffLines(a, b);
  return changes ? UnifiedHunks(a, b, *changes) : "none";
}

/// `before` with the changes applied.
Lines Apply(const Lines& before, const Lines& after, const std::vector<LineChange>& changes) {
  Lines out;
  std::size_t next = 0;
  for (const LineChange& change : changes) {
    out.insert(out.end(), before.begin() + next, before.begin() + change.before);
    out.insert(out.end(), after.begin() + change.after, after.begin() + change.after_end);
    next = change.before_end;
  }
  out.insert(out.end(), before.begin() + next, before.end());
  return out;
}

std::size_t EditsOf(const std::vector<LineChange>& changes) {
  std::size_t edits = 0;
  for (const LineChange& c : changes) edits += c.before_end - c.before + c.after_end - c.after;
  return edits;
}

/// The fewest edits, by the table of longest common subsequences.
std::size_t FewestEdits(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      common[i + 1][j + 1] =
          a[i] == b[j] ? common[i][j] + 1 : std::max(common[i][j + 1], common[i + 1][j]);
    }
  }
  return a.size() + b.size() - 2 * common[a.size()][b.size()];
}

TEST(LineDiff, ShowsHunksWithContext) {
  EXPECT_EQ(Hunks("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nX\ne\nf\ng\nh\nnew\n"),
            "@@ -2,7 +2,8 @@\n b\n c\n-d\n+X\n e\n f\n g\n h\n+new\n");
  EXPECT_EQ(Hunks("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"),
            "@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n@@ -7,3 +7,3 @@\n 7\n 8\n-9\n+nine\n");
  EXPECT_EQ(Hunks("", "a\n"), "@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(Hunks("a", ""), "@@ -1,1 +0,0 @@\n-a\n");
  EXPECT_EQ(Hunks("a\n", "a"), "");
}

TEST(LineDiff, CountsTheLinesThatItSplits) {
  for (const std::string_view text : {"", "\n", "a", "a\n", "a\nb", "\n\nb\n"}) {
    EXPECT_EQ(CountLines(text), SplitLines(text).size()) << text;
  }
}

TEST(LineDiff, LinesArePrintable) {
  EXPECT_EQ(Hunks("a\x1b[2J", "\xe2\x80\xae\xff"), "@@ -1,1 +1,1 @@\n-a\\x1b[2J\n+\\u202e\\xff\n");
}

TEST(LineDiff, FindsTheFewestChanges) {
  std::mt19937 random(7);  // NOLINT(*-msc51-cpp): the same texts in each run.
  const Lines words = {"a", "b", "c", "d"};
  for (int round = 0; round < 500; ++round) {
    const auto make = [&] {
      Lines lines(random() % 12);
      for (std::string_view& line : lines) line = words[random() % words.size()];
      return lines;
    };
    const Lines before = make(), after = make();
    const auto changes = DiffLines(before, after);
    ASSERT_TRUE(changes);
    EXPECT_EQ(Apply(before, after, *changes), after);
    EXPECT_EQ(EditsOf(*changes), FewestEdits(before, after));
  }
}

TEST(LineDiff, LimitsHold) {
  const Lines before = {"a", "b", "c"}, after = {"x", "y", "z"};
  EXPECT_TRUE(DiffLines(before, after, {3, 6, 1000}));
  EXPECT_FALSE(DiffLines(before, after, {2, 6, 1000}));
  EXPECT_FALSE(DiffLines(before, after, {3, 5, 1000}));
  EXPECT_FALSE(DiffLines(before, after, {3, 6, 4}));
}

TEST(LineDiff, HostileTextsEndSoon) {
  // The same line again and again: the longest way along each diagonal.
  std::string before, after;
  for (int i = 0; i < 90'000; ++i) before += "\n";
  for (int i = 0; i < 45'000; ++i) after += i % 2 == 0 ? "\n" : "x\n";
  EXPECT_EQ(Hunks(before, after), "none");
}

}  // namespace
}  // namespace crawler

#include "status_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using crawler::CrawlActivity;
using crawler::CrawlStatistics;
using crawler::HostHoldup;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

CrawlStatistics Running() {
  CrawlStatistics s;
  s.phase = "expansion";
  s.pages = 1'190;
  s.urls_done = 1'204;
  s.urls_waiting = 3'185;
  s.urls_under_way = 1;
  s.this_run.http_errors = 2;
  s.elapsed = seconds(21);
  return s;
}

Pace Fast() {
  Pace pace;
  pace.pages_per_second = 59.4;
  pace.bytes_per_second = 1'200'000;
  pace.grows = false;
  pace.left = seconds(54);
  return pace;
}

CrawlActivity Fetching(const std::string& url) {
  CrawlActivity activity;
  activity.url = url;
  return activity;
}

CrawlActivity Waiting(const std::string& why, const std::string& trouble = "") {
  HostHoldup holdup;
  holdup.host = "https://docs.example.org";
  holdup.due_in = milliseconds(14'000);
  holdup.why = why;
  holdup.trouble = trouble;
  holdup.interval = seconds(1);
  holdup.asked_by = "--delay";
  CrawlActivity activity;
  activity.holdup = holdup;
  return activity;
}

std::vector<std::string> Texts(const CrawlStatistics& s, const CrawlActivity& activity,
                               const Pace& pace, std::size_t columns, std::size_t rows = 24) {
  std::vector<std::string> texts;
  for (const StyledLine& line : StatusLines(s, activity, pace, columns, rows)) {
    texts.push_back(Render(line, false));
  }
  return texts;
}

TEST(StatusLines, ShowAllThereIsRoomFor) {
  const CrawlActivity activity = Fetching("https://en.cppreference.com/w/cpp/container/vector");
  EXPECT_THAT(Texts(Running(), activity, Fast(), 120),
              ElementsAre("1,204 of 4,390 known · 59 pages/s · 1.2 MB/s · 2 errors · 0:21 · about "
                          "0:54 left",
                          "en.cppreference.com/w/cpp/container/vector"));
  EXPECT_THAT(Texts(Running(), activity, Fast(), 80),
              ElementsAre("1,204 of 4,390 known · 59 pages/s · 2 errors · 0:21 · about 0:54 left",
                          "en.cppreference.com/w/cpp/container/vector"));
}

// Bytes go first, then errors if there are none, then the number of known URLs.
TEST(StatusLines, DropTheLeastImportantFirst) {
  CrawlStatistics s = Running();
  s.this_run.http_errors = 0;
  const auto first = [&](std::size_t columns) { return Texts(s, {}, Fast(), columns)[0]; };
  EXPECT_EQ(first(81),
            "1,204 of 4,390 known · 59 pages/s · 1.2 MB/s · 0 errors · 0:21 · about 0:54 left");
  EXPECT_EQ(first(80), "1,204 of 4,390 known · 59 pages/s · 0 errors · 0:21 · about 0:54 left");
  EXPECT_EQ(first(69), "1,204 of 4,390 known · 59 pages/s · 0:21 · about 0:54 left");
  EXPECT_EQ(first(58), "1,204 done · 59 pages/s · 0:21 · about 0:54 left");
  EXPECT_EQ(first(48), "1,204 done · 59 pages/s · 0:21");
  EXPECT_EQ(first(30), "1,204 done · 0:21");
  EXPECT_EQ(first(17), "1,204 done");
  EXPECT_EQ(first(8), "1,204 …");
}

TEST(StatusLines, ErrorsOutliveTheRate) {
  EXPECT_EQ(Texts(Running(), {}, Fast(), 31)[0], "1,204 done · 2 errors · 0:21");
}

TEST(StatusLines, SayWhatTheyDoNotKnow) {
  CrawlStatistics s = Running();
  Pace pace = Fast();
  pace.grows = true;
  pace.at_least = true;
  pace.left = seconds(6'120);
  EXPECT_EQ(Texts(s, {}, pace, 100)[0],
            "1,204 of at least 4,390 · 59 pages/s · 1.2 MB/s · 2 errors · 0:21 · at least 1:42:00 "
            "left");
  pace = {};
  pace.grows = false;
  EXPECT_EQ(Texts(s, {}, pace, 80)[0],
            "1,204 of 4,390 known · 0 pages/s · 0 B/s · 2 errors · 0:21");
}

TEST(StatusLines, CountPagesUpToTheirBudget) {
  CrawlStatistics s = Running();
  s.max_pages = 2'000;
  EXPECT_THAT(Texts(s, {}, Fast(), 80)[0], HasSubstr("1,190 of 2,000 pages · "));
  s.max_pages = 1'000'000;  // It will not be reached, as far as is known.
  EXPECT_THAT(Texts(s, {}, Fast(), 80)[0], HasSubstr("1,204 of 4,390 known · "));
}

TEST(StatusLines, SayWhyItWaits) {
  const auto second = [](const CrawlActivity& activity) {
    return Texts(Running(), activity, Fast(), 100).at(1);
  };
  EXPECT_EQ(second(Waiting("backoff", "503 at /search")),
            "docs.example.org is backing off for 14 s: 503 at /search");
  EXPECT_EQ(second(Waiting("politeness")),
            "waiting for docs.example.org: 1 s between requests (--delay)");
  EXPECT_EQ(second(Waiting("retry", "500 at /x")),
            "waiting for docs.example.org: another attempt in 14 s: 500 at /x");
  EXPECT_EQ(second(Waiting("request under way")), "waiting for an answer from docs.example.org");
  EXPECT_EQ(second(Waiting("slowed down after errors", "502 at /")),
            "docs.example.org is asked less often after errors: 502 at /");
  EXPECT_EQ(Texts(Running(), Waiting("ready"), Fast(), 100).size(), 1u);
}

TEST(StatusLines, ASecondLineNeedsRowsToSpare) {
  const CrawlActivity activity = Fetching("http://a/");
  EXPECT_EQ(Texts(Running(), activity, Fast(), 80, 4).size(), 2u);
  EXPECT_EQ(Texts(Running(), activity, Fast(), 80, 3).size(), 1u);
  EXPECT_EQ(Texts(Running(), activity, Fast(), 80, 1).size(), 1u);
}

TEST(StatusLines, OtherPhasesHaveWords) {
  CrawlStatistics s = Running();
  for (const auto& [phase, words] :
       {std::pair("restoring", "reading the stored crawl · 0:21"),
        std::pair("indexing", "making the index of 1,190 pages · 0:21"),
        std::pair("completion", "finishing · 0:21")}) {
    s.phase = phase;
    EXPECT_THAT(Texts(s, Fetching("http://a/"), Fast(), 80), ElementsAre(words));
  }
}

// Wide characters, escape sequences and endless URLs fit into any terminal.
TEST(StatusLines, FitAnyTerminal) {
  const std::string urls[] = {"http://example.org/" + std::string(5'000, 'a'),
                              "http://例え.テスト/日本語のとても長いページの名前/その下のページ",
                              "http://example.org/\033[2J\033]0;owned\007/\r\n\x9b"
                              "31m",
                              "http://example.org/\u202egpj.exe",
                              "",
                              "x"};
  CrawlStatistics large = Running();
  large.urls_done = large.urls_waiting = large.pages = ~std::uint64_t{0} / 4;
  large.this_run.failures = 123'456'789;
  large.elapsed = std::chrono::hours(100'000);
  for (const CrawlStatistics& s : {Running(), large, CrawlStatistics()}) {
    for (const std::string& url : urls) {
      for (std::size_t columns = 20; columns <= 200; ++columns) {
        const std::vector<StyledLine> lines =
            StatusLines(s, Fetching(url), Fast(), columns, columns % 10);
        ASSERT_GE(lines.size(), 1u);
        ASSERT_LE(lines.size(), columns % 10 >= 4 ? 2u : 1u);
        for (const StyledLine& line : lines) {
          ASSERT_LT(ColumnsOf(line), columns);
          ASSERT_GT(ColumnsOf(line), 0u);
          for (const char c : Render(line, false)) {
            ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << url;
          }
        }
      }
    }
  }
}

TEST(StatusLines, APlainLineNamesThePhase) {
  EXPECT_EQ(
      PlainStatus(Running(), Fast()),
      "expansion: 1,204 of 4,390 known · 59 pages/s · 1.2 MB/s · 2 errors · 0:21 · about 0:54 "
      "left");
}

}  // namespace

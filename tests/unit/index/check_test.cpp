#include "index/check.hpp"

#include <gtest/gtest.h>

#include "index/merge.hpp"
#include "index/test_crawl.hpp"

namespace crawler {
namespace {

/// All problems, a line each.
std::string Problems(TestCrawl& crawl) {
  std::string problems;
  Check(CheckIndex(crawl.db(), [&](std::string text) { problems.append(text).append("\n"); }));
  return problems;
}

/// Pages of which every one links to others.
void AddPages(TestCrawl& crawl, WordSource& words, int count) {
  for (int i = 0; i < count; ++i) {
    const int number = 1 + static_cast<int>(crawl.Int("SELECT count(*) FROM urls"));
    TestPage page = words.Page(number);
    page.noindex = number % 11 == 0;
    page.links = "[[" + std::to_string(1 + words.Below(number)) + ",0,\"" + words.Words(2) + "\"]]";
    crawl.Add(page);
  }
}

/// 200 pages in three segments, indexed.
void FillForCheck(TestCrawl& crawl) {
  WordSource words(3, 400);
  for (const int pages : {120, 50, 30}) {
    AddPages(crawl, words, pages);
    crawl.Flush();
  }
  crawl.Index();
}

TEST(CheckIndex, FindsNothingInAnIndexAtAnyStageOfItsLife) {
  TestCrawl crawl;
  EXPECT_EQ(Problems(crawl), "");  // --no-index, or nothing crawled yet.
  WordSource words(7, 400);
  for (int round = 0; round < 4; ++round) {
    for (int segment = 0; segment < 12; ++segment) {
      AddPages(crawl, words, 10);
      EXPECT_EQ(Problems(crawl), "") << "postings in memory";
      crawl.Flush();
      EXPECT_EQ(Problems(crawl), "") << "a crawl under way";
    }
    AddPages(crawl, words, 5);
    crawl.Reopen();
    EXPECT_EQ(Problems(crawl), "") << "killed";
    crawl.Index();
    EXPECT_EQ(Problems(crawl), "") << "indexed";
    const std::int64_t last = crawl.Int("SELECT max(id) FROM pages");
    for (std::int64_t page = 1 + round; page < last; page += 9) crawl.Remove(page);
    Check(crawl.db().Execute("INSERT OR REPLACE INTO crawl_state VALUES('last_page', " +
                             std::to_string(last) + ")"));
    EXPECT_EQ(Problems(crawl), "") << "pages removed";
    if (round % 2 == 0) crawl.Index();
    EXPECT_EQ(Problems(crawl), "") << "and their postings";
    Check(MergeTextSegments(crawl.db(), {}, {.segments = 2}));
    EXPECT_EQ(Problems(crawl), "") << "merged";
  }
}

// What was committed when the phase was stopped is not damage (docs/formats.md, "The index").
TEST(CheckIndex, FindsNothingWhereverThePhaseWasStopped) {
  TestCrawl crawl;
  WordSource words(5, 300);
  for (int segment = 0; segment < 12; ++segment) {
    AddPages(crawl, words, 5);
    crawl.Flush();
  }
  crawl.Remove(7);
  crawl.Reopen();
  for (int steps = 0;; ++steps) {  // Each run gets further than the one before.
    int left = steps;
    IndexOptions options;
    options.stop = [&] { return left-- <= 0; };
    IndexReport report;
    const Status status = RunIndexing(crawl.db(), options, &report);
    ASSERT_EQ(Problems(crawl), "") << "after " << steps << " steps";
    if (status.ok()) break;
    ASSERT_EQ(status.code(), StatusCode::kCancelled);
  }
}

TEST(CheckIndex, FindsEveryKindOfDamage) {
  const struct {
    const char* sql;
    const char* problem;
  } damages[] = {
      {"UPDATE index_segments SET last_page = 300000000", "segments that contradict their pages"},
      {"UPDATE index_segments SET last_page = -1", "segments that contradict their pages"},
      {"UPDATE index_segments SET last_page = last_page - 1 WHERE id = 1",
       "segments that contradict their pages: 1, the first is 1;"},
      {"UPDATE index_segments SET pages = pages - 1 WHERE id = 2",
       "segments that contradict their pages: 1, the first is 2;"},
      {"UPDATE index_segments SET page_data = x'ff' WHERE kind = 1",
       "segments that contradict their pages: 1,"},
      {"UPDATE postings SET docs = zeroblob(50), document_freq = 9",
       "postings that cannot be read"},
      {"UPDATE postings SET docs = x'' WHERE rowid = 5", "postings that cannot be read: 1,"},
      {"UPDATE postings SET document_freq = document_freq + 1 WHERE rowid = 5",
       "postings that cannot be read: 1,"},
      {"UPDATE postings SET document_freq = -1 WHERE rowid = 5",
       "postings that cannot be read: 1,"},
      // One page further than the segment's last.
      {"UPDATE postings SET document_freq = 1, docs = x'e407' WHERE rowid = 5",
       "postings that cannot be read: 1,"},
      {"UPDATE postings SET positions = x'' WHERE rowid IN (5, 6)",
       "postings that cannot be read: 2,"},
      {"UPDATE postings SET positions = positions || x'01' WHERE rowid = 5",
       "postings that cannot be read: 1,"},
      {"DELETE FROM postings WHERE rowid = 5", "segments that have lost postings: 1,"},
      {"DELETE FROM postings", "segments that have lost postings: 4, the first is 1;"},
      {"DELETE FROM index_segments", "postings of segments that are not there: 4, the first is 1;"},
      {"DELETE FROM index_segments WHERE id = 2; DELETE FROM postings WHERE segment = 2",
       "pages with a text that are in no segment: "},
      {"DELETE FROM index_segments WHERE id = 3; DELETE FROM postings WHERE segment = 3",
       "pages with a text that are in no segment: "},
      {"UPDATE page_text SET text = randomblob(100) WHERE page_id IN (3, 5)",
       "texts of pages that cannot be read: 2, the first is http://"},
      {"DELETE FROM page_text WHERE page_id IN (3, 5)",
       "pages in segments that have no text: 2, the first is http://"},
      {"DELETE FROM index_terms WHERE id = 5", "terms that index_terms does not have: "},
      {"UPDATE index_terms SET document_freq = 1000 WHERE id = 5",
       "frequencies in index_terms that are not those of the postings"},
      {"DELETE FROM page_weights WHERE page_id = 7",
       "pages without a row in page_weights: 1, the first is http://"},
  };
  TestCrawl crawl;
  FillForCheck(crawl);
  ASSERT_EQ(crawl.Int("SELECT count(*) FROM index_segments"), 4);
  for (const auto& damage : damages) {
    Check(crawl.db().Execute("BEGIN"));
    Check(crawl.db().Execute(damage.sql));
    const std::string problems = Problems(crawl);
    EXPECT_NE(problems.find(damage.problem), std::string::npos) << damage.sql << "\n" << problems;
    EXPECT_NE(problems.find("`crawler index --rebuild`"), std::string::npos) << problems;
    Check(crawl.db().Execute("ROLLBACK"));
    ASSERT_EQ(Problems(crawl), "");
  }
}

// Up to version 4 segments did not say what is largest, and postings had no words.
TEST(CheckIndex, ReadsFoldersOfOlderVersions) {
  TestCrawl crawl;
  FillForCheck(crawl);
  Check(crawl.db().Execute("UPDATE index_segments SET largest = NULL, bytes = bytes + 1"));
  EXPECT_EQ(Problems(crawl), "");
  Check(
      crawl.db().Execute("DROP TABLE removed_pages; ALTER TABLE postings DROP COLUMN words;"
                         "ALTER TABLE index_segments DROP COLUMN largest"));
  EXPECT_EQ(Problems(crawl), "");
  Check(crawl.db().Execute("DELETE FROM postings WHERE segment = 1"));
  EXPECT_NE(Problems(crawl).find("segments that have lost postings: 1, the first is 1;"),
            std::string::npos);
}

TEST(CheckIndex, SaysEachKindOnceWithAShortExample) {
  TestCrawl crawl;
  FillForCheck(crawl);
  Check(
      crawl.db().Execute("UPDATE postings SET docs = x'ff', term = term || hex(zeroblob(10000))"));
  const std::string problems = Problems(crawl);
  EXPECT_NE(problems.find("postings that cannot be read: " +
                          std::to_string(crawl.Int("SELECT count(*) FROM postings")) + ","),
            std::string::npos)
      << problems;
  EXPECT_LT(problems.size(), 1000u);
}

}  // namespace
}  // namespace crawler

// Pages leave the index: IndexWriter::Remove() promises that the index is then as if they had never
// been there.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "index/merge.hpp"
#include "search/changing_crawl.hpp"

namespace crawler {
namespace {

/// Runs the phase until it is stopped at the n-th question.
void RunInterrupted(TestCrawl& crawl, int patience) {
  crawl.Reopen();
  int asked = 0;
  IndexOptions options;
  options.stop = [&] { return asked++ == patience; };
  IndexReport report;
  const Status status = RunIndexing(crawl.db(), options, &report);
  ASSERT_TRUE(status.ok() || status.code() == StatusCode::kCancelled) << status.ToString();
}

TEST(Removal, LeavesAnIndexThatNeverHadThePages) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ChangingCrawl changing(seed);
    TestCrawl& crawl = changing.crawl();
    for (int i = 0; i < 12; ++i) changing.Add();
    for (int step = 0; step < 100; ++step) {
      switch (changing.source().Below(16)) {
        case 0:
          crawl.Flush();
          break;
        case 1:
          crawl.Reopen();
          break;
        case 2:
          RunInterrupted(crawl, changing.source().Below(40));
          break;
        case 3:
          if (changing.source().Below(3) == 0) crawl.Index();
          break;
        case 4:
          crawl.Reopen();
          Check(MergeTextSegments(crawl.db(), {}, {.segments = 2}));
          break;
        case 5:
          changing.AddRedirect();
          break;
        case 6:
        case 7:
        case 8:
        case 9:
          changing.Remove();
          break;
        case 10:
          changing.Replace();
          break;
        default:
          changing.Add();
      }
      if (step % 30 == 29) ExpectNoneIsFound(crawl, changing.removed());
    }
    crawl.Index("kbox kdoxing");
    ExpectLikeFresh(changing, "kbox kdoxing");
  }
}

// At every commit of a repeated crawl some pages go. An open reader leaves them out at once,
// without reading everything anew, as it does when the generation changes.
TEST(Removal, IsSeenByAnOpenReader) {
  TestCrawl crawl;
  WordSource words(12, 40);
  for (int i = 1; i <= 6; ++i) crawl.Add(words.Page(i));
  crawl.Index();
  Result<std::unique_ptr<QueryEngine>> engine = QueryEngine::Open(crawl.path());
  ASSERT_TRUE(engine.ok()) << engine.status().ToString();
  const auto found = [&] {
    QueryOptions options;
    options.fold = false;
    const Result<QueryAnswer> answer = (*engine)->Search("after:2001", options);
    std::set<std::int64_t> pages;
    EXPECT_TRUE(answer.ok()) << answer.status().ToString();
    if (!answer.ok()) return pages;
    for (const QueryAnswer::Result& result : answer->results) {
      EXPECT_FALSE(result.snippet.text.empty());
      pages.insert(result.hit.page);
    }
    EXPECT_EQ(pages.size(), answer->total);
    EXPECT_EQ(pages.size(), (*engine)->searcher().pages());
    return pages;
  };
  const std::string generation = "SELECT value FROM crawl_state WHERE key = 'index.generation'";
  const std::int64_t before = crawl.Int(generation);
  EXPECT_EQ(found(), (std::set<std::int64_t>{1, 2, 3, 4, 5, 6}));
  crawl.Remove(2);
  crawl.Remove(6);
  EXPECT_EQ(found(), (std::set<std::int64_t>{1, 3, 4, 5}));
  crawl.Remove(3);
  EXPECT_EQ(found(), (std::set<std::int64_t>{1, 4, 5}));
  EXPECT_EQ(crawl.Int(generation), before);
  crawl.AddAs(words.Page(7), 7, 7);
  crawl.Flush();
  EXPECT_EQ(found(), (std::set<std::int64_t>{1, 4, 5, 7}));
  crawl.Index();
  EXPECT_EQ(found(), (std::set<std::int64_t>{1, 4, 5, 7}));
}

TEST(Removal, OfAllPagesLeavesNothing) {
  ChangingCrawl changing(77);
  for (int i = 0; i < 20; ++i) changing.Add();
  TestCrawl& crawl = changing.crawl();
  crawl.Index();
  while (!changing.pages().empty()) changing.Remove();
  const IndexReport report = crawl.Index();
  EXPECT_TRUE(report.changed);
  EXPECT_EQ(report.pages, 0u);
  for (const char* table : {"index_terms", "page_terms", "page_weights", "page_text", "postings",
                            "index_segments", "removed_pages"}) {
    EXPECT_EQ(crawl.Int(std::string("SELECT count(*) FROM ") + table), 0) << table;
  }
  // And it can grow again.
  changing.Add();
  EXPECT_EQ(crawl.Index().pages, changing.pages().begin()->second.noindex ? 0u : 1u);
}

// "Re-indexes only what changed".
TEST(Removal, TouchesOnlySegmentsThatHaveThePage) {
  TestCrawl crawl;
  WordSource words(4, 300);
  for (int i = 1; i <= 40; ++i) {
    crawl.Add(words.Page(i));
    if (i % 10 == 0) crawl.Flush();
  }
  crawl.Index();
  const std::string others =
      "SELECT s.id, p.term, p.docs FROM index_segments s JOIN postings p ON p.segment = s.id"
      " WHERE s.kind = 0 AND NOT 15 BETWEEN s.first_page AND s.last_page ORDER BY s.id, p.term";
  const std::string texts = "SELECT * FROM page_text WHERE page_id <> 15";
  const std::string before = crawl.Dump(others, 3), texts_before = crawl.Dump(texts, 8);
  crawl.Remove(15);
  const IndexReport report = crawl.Index();
  EXPECT_EQ(report.recovered, 0u);  // Nothing was analysed.
  EXPECT_EQ(report.pages, 39u);
  EXPECT_EQ(crawl.Int("SELECT count(*) FROM index_segments WHERE kind = 0"), 4);
  EXPECT_EQ(crawl.Dump(others, 3), before);
  EXPECT_EQ(crawl.Dump(texts, 8), texts_before);
  // A page that is in no segment costs no segment.
  const std::string ids = "SELECT id FROM index_segments WHERE kind = 0";
  const std::string ids_before = crawl.Dump(ids, 1);
  crawl.Remove(15);
  crawl.Remove(4711);
  crawl.Index();
  EXPECT_EQ(crawl.Dump(ids, 1), ids_before);
}

// Version 4 of the schema knew of no removal. It can be searched as it is, and pages removed once
// it is brought up to date; the word that stands for a term then stays what it was.
TEST(Removal, FromAFolderOfAnOlderVersion) {
  TestCrawl crawl;
  WordSource words(21, 100);
  for (int i = 1; i <= 30; ++i) crawl.Add(words.Page(i));
  crawl.Index();
  std::map<std::int64_t, TestPage> pages;
  for (std::int64_t page = 1; page <= 30; ++page) pages[page];
  // Older versions did not weigh titles.
  Check(crawl.db().Execute("UPDATE page_weights SET title_weight = NULL"));
  Check(BumpGeneration(crawl.db()));
  const std::string expected = DumpAnswers(crawl, pages);
  Check(crawl.db().Execute(
      "ALTER TABLE page_weights DROP COLUMN title_weight;"
      "DROP VIEW inlinks; DROP VIEW broken_links; DROP VIEW redirect_chains;"
      "DROP VIEW duplicate_titles;"
      "DROP VIEW fates; CREATE VIEW fates AS SELECT 1;"  // Only its name is needed.
      "ALTER TABLE urls ADD COLUMN turned_away TEXT;"
      "ALTER TABLE urls DROP COLUMN skipped; ALTER TABLE urls DROP COLUMN skip_detail;"
      "ALTER TABLE visits DROP COLUMN failure; ALTER TABLE visits DROP COLUMN host_id;"
      "ALTER TABLE visits DROP COLUMN given_up; DROP INDEX requeued_by_url;"
      "ALTER TABLE requeued RENAME TO promotions;"
      "CREATE INDEX promotions_by_url ON promotions(url_id);"
      "DROP TABLE rounds; ALTER TABLE visits DROP COLUMN change;"
      "ALTER TABLE pages DROP COLUMN payload_hash; ALTER TABLE pages DROP COLUMN h1;"
      "ALTER TABLE pages DROP COLUMN hreflang; ALTER TABLE pages DROP COLUMN headers;"
      "DROP TABLE removed_pages; ALTER TABLE postings DROP COLUMN words;"
      "ALTER TABLE index_segments DROP COLUMN largest; PRAGMA user_version = 4"));
  ExpectSame(DumpAnswers(crawl, pages), expected);
  crawl.Reopen();
  EXPECT_EQ(crawl.Int("PRAGMA user_version"), static_cast<std::int64_t>(CatalogueSchema().size()));
  ExpectSame(DumpAnswers(crawl, pages), expected);
  crawl.Remove(3);
  ExpectNoneIsFound(crawl, {3});
  EXPECT_EQ(crawl.Index().pages, 29u);
  EXPECT_EQ(crawl.Int("SELECT count(*) FROM index_terms t WHERE t.document_freq <>"
                      " (SELECT count(*) FROM page_text p, json_each(p.terms) e"
                      "  WHERE e.key = t.term)"),
            0);
}

// A merge that was begun keeps the pages it was begun with, whatever is removed before it goes on.
TEST(Removal, DuringAnInterruptedMerge) {
  for (int patience = 0; patience < 12; patience += 3) {
    TestCrawl crawl, fresh;
    WordSource words(9, 200), same_words(9, 200);
    for (int i = 1; i <= 60; ++i) {
      crawl.Add(words.Page(i));
      if (i % 5 == 0) crawl.Flush();
      const TestPage page = same_words.Page(i);
      if (i != 1 && i != 7 && i != 59) fresh.AddAs(page, i, i);
    }
    crawl.Remove(1);
    RunInterrupted(crawl, patience);
    crawl.Remove(7);
    crawl.Remove(59);
    ExpectNoneIsFound(crawl, {1, 7, 59});
    crawl.Index();
    fresh.Index();
    Check(MergeTextSegments(crawl.db(), {}, {.segments = 1}));
    ExpectSame(DumpTables(crawl), DumpTables(fresh));
  }
}

}  // namespace
}  // namespace crawler

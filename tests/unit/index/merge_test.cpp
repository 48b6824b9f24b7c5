#include "index/merge.hpp"

#include <gtest/gtest.h>

#include "index/test_crawl.hpp"

namespace crawler {
namespace {

/// All that readers see of the index, whatever the ids of its segments.
std::string DumpIndex(TestCrawl& crawl) {
  return crawl.Dump(
             "SELECT s.kind, p.term, p.document_freq, p.shown, p.docs, p.positions FROM postings p"
             " JOIN index_segments s ON s.id = p.segment ORDER BY s.kind, s.first_page, p.term",
             6) +
         crawl.Dump(
             "SELECT kind, state, first_page, last_page, pages, bytes, page_data"
             " FROM index_segments ORDER BY kind, first_page",
             7) +
         crawl.Dump("SELECT term, document_freq, idf, shown FROM index_terms ORDER BY term", 4) +
         crawl.Dump("SELECT page_id, norm, page_rank, static_rank FROM page_weights", 4) +
         crawl.Dump("SELECT id, relevance_score FROM pages", 2);
}

/// `segments` segments of some pages each.
void Fill(TestCrawl& crawl, int segments, int pages_each) {
  WordSource words(7, 400);
  int number = 0;
  for (int segment = 0; segment < segments; ++segment) {
    for (int i = 0; i < pages_each; ++i) {
      TestPage page = words.Page(++number);
      page.noindex = number % 11 == 0;
      page.links = "[" + std::to_string(1 + words.Below(number)) + ",[" +
                   std::to_string(1 + words.Below(number)) + ",0,\"" + words.Words(2) + "\"]]";
      crawl.Add(page);
    }
    crawl.Flush();
  }
}

TEST(Merge, ManySegmentsGiveWhatOneWould) {
  TestCrawl one, many;
  Fill(one, 1, 240);
  Fill(many, 24, 10);
  EXPECT_EQ(one.Int("SELECT count(*) FROM index_segments"), 1);
  EXPECT_EQ(many.Int("SELECT count(*) FROM index_segments"), 24);
  one.Index();
  many.Index();
  EXPECT_EQ(many.Int("SELECT count(*) FROM index_segments WHERE kind = 0"), MergeLimits().segments);
  // Made one, they are what one would have been.
  Check(MergeTextSegments(many.db(), {}, {.segments = 1}));
  EXPECT_EQ(many.Int("SELECT count(*) FROM index_segments WHERE kind = 0"), 1);
  const std::string postings =
      "SELECT p.term, p.document_freq, p.shown, p.docs, p.positions FROM postings p"
      " JOIN index_segments s ON s.id = p.segment WHERE s.kind = 0 ORDER BY p.term";
  EXPECT_EQ(many.Dump(postings, 5), one.Dump(postings, 5));
  const std::string pages = "SELECT page_data, pages FROM index_segments ORDER BY kind";
  EXPECT_EQ(many.Dump(pages, 2), one.Dump(pages, 2));
  const std::string terms = "SELECT * FROM index_terms";
  EXPECT_EQ(many.Dump(terms, 5), one.Dump(terms, 5));
  EXPECT_EQ(many.Int("SELECT count(*) FROM postings WHERE segment NOT IN"
                     " (SELECT id FROM index_segments)"),
            0);
}

// Postings of one term are held in memory while they are merged.
TEST(Merge, NoTermBecomesLargerThanTheLimit) {
  TestCrawl one, many;
  Fill(one, 1, 240);
  Fill(many, 24, 10);
  const std::int64_t largest = one.Int("SELECT largest FROM index_segments");
  MergeLimits limits;
  limits.segments = 1;
  limits.term_bytes = static_cast<std::uint64_t>(largest) / 3;
  Check(MergeTextSegments(many.db(), {}, limits));
  EXPECT_EQ(many.Int("SELECT max(largest) FROM index_segments"),
            many.Int("SELECT max(length(term) + length(docs) + length(positions) +"
                     " coalesce(length(words), 0)) FROM postings"));
  EXPECT_LE(many.Int("SELECT max(largest) FROM index_segments"), largest / 3);
  EXPECT_GT(many.Int("SELECT count(*) FROM index_segments"), 3);
  EXPECT_LT(many.Int("SELECT count(*) FROM index_segments"), 8);
  one.Index();
  many.Index();
  EXPECT_EQ(many.Dump("SELECT * FROM index_terms", 5), one.Dump("SELECT * FROM index_terms", 5));
}

TEST(Merge, AnIndexThatGrowsIsNotWrittenAgainAsAWhole) {
  TestCrawl crawl;
  Fill(crawl, 1, 300);
  crawl.Index();
  const std::int64_t first = crawl.Int("SELECT min(id) FROM index_segments WHERE kind = 0");
  WordSource words(8, 400);
  crawl.Add(words.Page(1000));
  const IndexReport report = crawl.Index();
  EXPECT_TRUE(report.changed);
  EXPECT_EQ(crawl.Int("SELECT count(*) FROM index_segments WHERE id = " + std::to_string(first)),
            1);
  EXPECT_EQ(report.pages, 300u - 300u / 11 + 1);
}

/// The phase, with all segments made one first.
Status RunAll(Database& db, const IndexOptions& options) {
  const Status status = MergeTextSegments(db, options.stop, {.segments = 1});
  IndexReport report;
  return status.ok() ? RunIndexing(db, options, &report) : status;
}

TEST(Merge, StoppedAnywhereItGoesOnToTheSameResult) {
  TestCrawl whole;
  Fill(whole, 9, 8);
  Check(RunAll(whole.db(), {}));
  const std::string expected = DumpIndex(whole);

  TestCrawl stopped;
  Fill(stopped, 9, 8);
  // Each run is stopped a little later than the one before, as if killed there.
  int runs = 0;
  for (int patience = 0;; ++patience, ++runs) {
    ASSERT_LT(runs, 200);
    stopped.Reopen();
    int asked = 0;
    IndexOptions options;
    options.stop = [&] { return asked++ == patience; };
    const Status status = RunAll(stopped.db(), options);
    if (status.ok()) break;
    ASSERT_EQ(status.code(), StatusCode::kCancelled) << status.ToString();
  }
  EXPECT_GT(runs, 3);
  EXPECT_EQ(DumpIndex(stopped), expected);

  // And with the same patience each time there is progress, so that it ends.
  TestCrawl slow;
  Fill(slow, 9, 8);
  for (runs = 0; runs < 200; ++runs) {
    slow.Reopen();
    int asked = 0;
    IndexOptions options;
    options.stop = [&] { return asked++ >= 70; };
    if (RunAll(slow.db(), options).ok()) break;
  }
  EXPECT_LT(runs, 200);
  EXPECT_EQ(DumpIndex(slow), expected);
}

TEST(Merge, DoneTwiceIsDoneOnce) {
  TestCrawl crawl;
  Fill(crawl, 3, 20);
  EXPECT_TRUE(crawl.Index().changed);
  const std::string before = DumpIndex(crawl);
  const std::int64_t generation =
      crawl.Int("SELECT value FROM crawl_state WHERE key = 'index.generation'");
  const IndexReport again = crawl.Index();
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(DumpIndex(crawl), before);
  EXPECT_EQ(crawl.Int("SELECT value FROM crawl_state WHERE key = 'index.generation'"), generation);
  // Another topic changes relevance only.
  EXPECT_TRUE(crawl.Index("kbox").changed);
}

TEST(Merge, PostingsLostWithTheProcessAreMadeAgain) {
  TestCrawl whole, killed;
  WordSource words(3, 300), same_words(3, 300);
  for (int i = 1; i <= 40; ++i) {
    whole.Add(words.Page(i));
    killed.Add(same_words.Page(i));
    if (i == 10) {
      whole.Flush();
      killed.Flush();
    }
    if (i == 10 || i == 25 || i == 33) killed.Reopen();
  }
  killed.Reopen();
  EXPECT_EQ(killed.Int("SELECT max(last_page) FROM index_segments"), 10);
  const IndexReport report = killed.Index();
  EXPECT_EQ(report.recovered, 30u);
  EXPECT_EQ(report.pages, 40u);
  whole.Index();
  EXPECT_EQ(DumpIndex(killed), DumpIndex(whole));
}

// A kill costs one segment, and the log of the database does not hold them all.
TEST(Merge, PostingsMadeAgainAreCommittedSegmentBySegment) {
  TestCrawl crawl;
  WordSource words(6, 100'000);
  for (int i = 1; i <= 60; ++i) {
    TestPage page = words.Page(i);
    page.text = words.Words(1'000);
    page.headings.clear();
    page.link_blocks.clear();
    crawl.Add(page);
  }
  Check(crawl.db().Execute("DELETE FROM index_segments; DELETE FROM postings"));
  crawl.Reopen();
  Result<Database> other = Database::Open(crawl.path(), Database::Mode::kReadOnly);
  ASSERT_TRUE(other.ok());
  Result<std::unique_ptr<IndexWriter>> writer = IndexWriter::Open(crawl.db(), 1);
  ASSERT_TRUE(writer.ok());
  // Stopped, and never flushed, as if it were killed when others see two segments.
  const Status stopped = (*writer)->Recover(
      [&] { return *other->QueryInt("SELECT count(*) FROM index_segments") == 2; });
  EXPECT_EQ(stopped.code(), StatusCode::kCancelled) << stopped.ToString();
  writer->reset();
  crawl.Reopen();
  EXPECT_EQ(crawl.Int("SELECT count(*) FROM index_segments"), 2);
  const std::int64_t done = crawl.Int("SELECT sum(pages) FROM index_segments");
  const IndexReport report = crawl.Index();
  EXPECT_EQ(report.pages, 60u);
  EXPECT_EQ(report.recovered, 60u - static_cast<std::uint64_t>(done));
}

// A merge that was begun says which pages it has; a damaged folder may say anything.
TEST(Merge, DamagedPagesOfAMergeAreAnError) {
  const auto run_with = [](const std::string& damage) {
    TestCrawl crawl;
    Fill(crawl, 4, 10);
    Check(crawl.db().Execute(
        "INSERT INTO index_segments SELECT 99, 0, 1, min(first_page), max(last_page),"
        " sum(pages) - 1, 0, group_concat(id, ' '), x'', 0 FROM index_segments;"
        "UPDATE index_segments SET " +
        damage + " WHERE id = 99"));
    IndexReport report;
    return RunIndexing(crawl.db(), {}, &report).code();
  };
  const std::string record = "000000000000'";  // Language, date and four lengths.
  EXPECT_EQ(run_with("page_data = x'28" + record), StatusCode::kOk);
  EXPECT_EQ(run_with("first_page = 40, page_data = x'28" + record), StatusCode::kOk);
  for (const std::string page : {"00", "29", "ffffffff0f"}) {  // None, 41 of 40, the highest.
    EXPECT_EQ(run_with("page_data = x'" + page + record), StatusCode::kCorruption) << page;
  }
  EXPECT_EQ(run_with("first_page = 40, page_data = x'27" + record), StatusCode::kCorruption);
  EXPECT_EQ(run_with("first_page = 41, page_data = x'28" + record), StatusCode::kCorruption);
}

TEST(Merge, DamagedPostingsAreAnError) {
  TestCrawl crawl;
  Fill(crawl, 4, 10);
  Check(crawl.db().Execute("UPDATE postings SET docs = x'ffff', document_freq = 9"));
  IndexReport report;
  const Status status = RunIndexing(crawl.db(), {}, &report);
  EXPECT_EQ(status.code(), StatusCode::kCorruption) << status.ToString();
}

}  // namespace
}  // namespace crawler

// Pages are numbered anew when most ids belong to none any more: RenumberPages() promises that all
// else stays as it was, at any moment and for any reader.
#include "index/renumber.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "index/merge.hpp"
#include "search/changing_crawl.hpp"

namespace crawler {
namespace {

constexpr const char* kIds = "SELECT id, url FROM pages ORDER BY id";

/// So that even a few unused ids are too many.
IndexOptions NothingToSpare() {
  IndexOptions options;
  options.spare_ids = 0;
  options.topic = "kbox kdoxing";
  return options;
}

bool IsDense(TestCrawl& crawl) {
  return crawl.Int("SELECT max(id) FROM pages") == crawl.Int("SELECT count(*) FROM pages");
}

/// Every page gets a new id, and some a third one.
void ChangeAll(ChangingCrawl& changing) {
  for (std::size_t i = 0; i < 3 * changing.pages().size(); ++i) {
    changing.Replace();
    if (i % 20 == 0) changing.crawl().Flush();
  }
  changing.Remove();
  changing.Add();
}

TEST(Renumber, KeepsAllThatIsNotANumber) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ChangingCrawl changing(seed);
    TestCrawl& crawl = changing.crawl();
    for (int i = 0; i < 25; ++i) changing.Add();
    changing.AddRedirect();
    for (int round = 0; round < 4; ++round) {
      ChangeAll(changing);
      ASSERT_FALSE(IsDense(crawl));
      if (round == 2) crawl.Reopen();
      const IndexReport report = crawl.Index(NothingToSpare());
      EXPECT_TRUE(report.changed);
      EXPECT_TRUE(IsDense(crawl));
      changing.Renumber();
    }
    ExpectLikeFresh(changing, "kbox kdoxing");
  }
}

TEST(Renumber, StoppedAnywhereItIsAllOrNothing) {
  ChangingCrawl changing(5);
  TestCrawl& crawl = changing.crawl();
  for (int i = 0; i < 25; ++i) changing.Add();
  crawl.Index();
  ChangeAll(changing);
  const std::string before = crawl.Dump(kIds, 2);
  int stopped_before = 0, stopped_after = 0;
  for (int patience = 0;; ++patience) {
    ASSERT_LT(patience, 500);
    crawl.Reopen();
    int asked = 0;
    IndexOptions options = NothingToSpare();
    options.stop = [&] { return asked++ == patience; };
    IndexReport report;
    const Status status = RunIndexing(crawl.db(), options, &report);
    if (status.ok()) break;
    ASSERT_EQ(status.code(), StatusCode::kCancelled) << status.ToString();
    if (IsDense(crawl)) {
      ++stopped_after;
    } else {
      ++stopped_before;
      ASSERT_EQ(crawl.Dump(kIds, 2), before);
      EXPECT_GT(crawl.Int("SELECT count(*) FROM postings"), 0);
    }
  }
  EXPECT_GT(stopped_before, 1);
  EXPECT_GT(stopped_after, 1);
  changing.Renumber();
  TestCrawl fresh;
  changing.WriteWhatIsLeft(&fresh);
  fresh.Index("kbox kdoxing");
  ExpectSame(DumpAnswers(crawl, changing.pages()), DumpAnswers(fresh, changing.pages()));
}

TEST(Renumber, IsDoneWhenMostIdsAreUnused) {
  TestCrawl crawl;
  TestPage page;
  page.text = "kbox";
  const auto has_unused = [&](std::uint64_t spare) { return *HasUnusedIds(crawl.db(), spare); };
  EXPECT_FALSE(has_unused(0));
  for (const std::int64_t id : {1, 20, 30}) {
    page.url = "http://a.example/" + std::to_string(id);
    crawl.AddAs(page, id, id);
  }
  EXPECT_TRUE(has_unused(0));
  EXPECT_TRUE(has_unused(23));
  EXPECT_FALSE(has_unused(24));
  crawl.Index();  // As many as there are by default are nothing.
  EXPECT_EQ(crawl.Int("SELECT max(id) FROM pages"), 30);
}

// What is left of a page that is not there must not become part of another, or end the phase.
TEST(Renumber, StraysAreInNobodysWay) {
  TestCrawl crawl;
  WordSource words(3, 50);
  for (const std::int64_t id : {2, 5, 9, 14}) crawl.AddAs(words.Page(1), id, id);
  crawl.Index();
  Check(crawl.db().Execute(
      "INSERT INTO page_text SELECT 1, language, date, words, sketch, headings, terms, text"
      " FROM page_text WHERE page_id = 2; INSERT INTO page_weights VALUES(1, 2, 3, 4, 5);"
      "DELETE FROM pages WHERE id = 9; INSERT INTO crawl_state VALUES('last_page', '40')"));
  EXPECT_EQ(crawl.Index(NothingToSpare()).pages, 3u);
  EXPECT_TRUE(IsDense(crawl));
  for (const char* table : {"page_text", "page_weights"}) {
    EXPECT_EQ(crawl.Int(std::string("SELECT sum(page_id) FROM ") + table), 1 + 2 + 3) << table;
  }
  EXPECT_EQ(crawl.Int("SELECT count(*) FROM crawl_state WHERE key = 'last_page'"), 0);
}

TEST(Renumber, KeepsTheIndexesOfTheTable) {
  TestCrawl crawl;
  WordSource words(3, 50);
  for (const std::int64_t id : {2, 5, 9}) crawl.AddAs(words.Page(1), id, id);
  Check(crawl.db().Execute(kCompletionIndexes));
  Check(crawl.db().Execute(kRoundIndexes));
  Check(crawl.db().Execute(kCompletionIndexes));
  // index_words is made by the phase itself.
  const std::string schema =
      "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE '%index_words%' ORDER BY name";
  const std::string before = crawl.Dump(schema, 2);
  crawl.Index(NothingToSpare());
  EXPECT_TRUE(IsDense(crawl));
  EXPECT_EQ(crawl.Dump(schema, 2), before);
  EXPECT_EQ(crawl.Dump("PRAGMA integrity_check", 1), "ok|\n");
}

// Whoever searches meanwhile never sees the text of one page with the address of another.
TEST(Renumber, AnOpenReaderStaysRight) {
  TestCrawl crawl;
  constexpr std::int64_t kPages = 12;
  TestPage page;
  const auto add = [&](std::int64_t url, std::int64_t id) {
    page.url = "http://a.example/" + std::to_string(url);
    page.text = "everywhere and " + WordSource::Name(static_cast<int>(url)) + " here";
    crawl.AddAs(page, url, id);
  };
  for (std::int64_t url = 1; url <= kPages; ++url) add(url, url);
  crawl.Index(NothingToSpare());

  std::atomic<bool> over{false};
  std::thread reader([&] {
    Result<std::unique_ptr<QueryEngine>> engine = QueryEngine::Open(crawl.path());
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    QueryOptions options;
    options.limit = 100;
    options.fold = false;
    std::size_t found = 0;
    while (!over.load()) {
      const Result<QueryAnswer> answer = (*engine)->Search("everywhere", options);
      ASSERT_TRUE(answer.ok()) << answer.status().ToString();
      for (const QueryAnswer::Result& result : answer->results) {
        const std::string number = result.hit.url.substr(result.hit.url.rfind('/') + 1);
        ASSERT_NE(result.snippet.text.find(WordSource::Name(std::stoi(number))), std::string::npos)
            << result.hit.url << ": " << result.snippet.text;
        ++found;
      }
    }
    EXPECT_GT(found, 0u);
  });
  for (int round = 0; round < 12; ++round) {
    // In another order each time, so that ids change hands.
    for (std::int64_t i = 0; i < kPages; ++i) {
      const std::int64_t url = 1 + (i * 5 + round) % kPages;
      crawl.Remove(crawl.Int("SELECT id FROM pages WHERE url_id = " + std::to_string(url)));
      add(url, 1 + crawl.Int("SELECT max(id) FROM pages") + kPages);
    }
    crawl.Index(NothingToSpare());
    EXPECT_TRUE(IsDense(crawl));
  }
  over.store(true);
  reader.join();
}

}  // namespace
}  // namespace crawler

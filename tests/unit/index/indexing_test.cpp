#include "index/indexing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "index/postings.hpp"
#include "index/test_crawl.hpp"
#include "index/weights.hpp"

namespace crawler {
namespace {

/// TF-IDF of a crawl by the definition, from its texts alone: words by splitting at blanks (the
/// test's words are such that nothing more happens to them), counted in maps.
struct BruteForce {
  std::vector<std::map<std::string, int>> counts;  // By page, from 0.
  std::vector<int> words;
  std::map<std::string, int> document_freq;

  static void Count(const std::string& text, std::map<std::string, int>* counts, int* words) {
    std::string word;
    for (const char c : text + " ") {
      if (c != ' ' && c != '\n') {
        word.push_back(c);
      } else if (!word.empty()) {
        ++(*counts)[word];
        ++*words;
        word.clear();
      }
    }
  }

  void Add(const TestPage& page) {
    counts.emplace_back();
    words.push_back(0);
    Count(page.title, &counts.back(), &words.back());
    // Words of the navigation do not count.
    const std::size_t end =
        page.link_blocks.empty() ? page.text.size() : page.link_blocks.front().offset;
    Count(page.text.substr(0, end), &counts.back(), &words.back());
    for (const auto& [term, count] : counts.back()) ++document_freq[term];
  }
  double Idf(const std::string& term) const {
    return std::log(static_cast<double>(counts.size()) / document_freq.at(term));
  }
};

std::vector<TestPage> SomePages(unsigned seed, int count) {
  WordSource words(seed, 150);
  std::vector<TestPage> pages;
  for (int i = 1; i <= count; ++i) {
    TestPage page = words.Page(i);
    page.language = "en";
    pages.push_back(page);
  }
  return pages;
}

// The numbers that DESIGN promises to any SQLite client.
TEST(Indexing, TermTablesHoldTfIdfAsDefined) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    TestCrawl crawl;
    BruteForce expected;
    int number = 0;
    for (const TestPage& page : SomePages(seed, 30)) {
      crawl.Add(page);
      expected.Add(page);
      if (++number % 8 == 0) crawl.Flush();
    }
    const IndexReport report = crawl.Index();
    EXPECT_EQ(report.pages, 30u);
    EXPECT_EQ(report.terms, expected.document_freq.size());

    Result<Statement> terms =
        crawl.db().Prepare("SELECT term, document_freq, idf, shown FROM index_terms ORDER BY id");
    ASSERT_TRUE(terms.ok());
    auto next = expected.document_freq.begin();
    while (*terms->Step()) {
      ASSERT_NE(next, expected.document_freq.end());
      EXPECT_EQ(terms->Text(0), next->first);
      EXPECT_EQ(terms->Int(1), next->second);
      EXPECT_NEAR(terms->Real(2), expected.Idf(next->first), 1e-12);
      EXPECT_EQ(terms->Text(3), next->first);
      ++next;
    }
    EXPECT_EQ(next, expected.document_freq.end());

    Result<Statement> page_terms = crawl.db().Prepare(
        "SELECT p.page_id, t.term, p.tf_idf_score, p.term_freq FROM page_terms p"
        " JOIN index_terms t ON t.id = p.term_id");
    ASSERT_TRUE(page_terms.ok()) << page_terms.status().ToString();
    std::size_t rows = 0, wanted = 0;
    while (*page_terms->Step()) {
      const auto page = static_cast<std::size_t>(page_terms->Int(0)) - 1;
      const std::string term(page_terms->Text(1));
      const int count = expected.counts.at(page).at(term);
      EXPECT_EQ(page_terms->Int(3), count);
      EXPECT_NEAR(page_terms->Real(2), expected.Idf(term) * count / expected.words[page], 1e-12);
      ++rows;
    }
    for (const auto& counts : expected.counts) wanted += counts.size();
    EXPECT_EQ(rows, wanted);

    // Recomputed in SQL from nothing but the stored vectors.
    EXPECT_EQ(crawl.Int("SELECT count(*) FROM index_terms t WHERE t.document_freq <>"
                        " (SELECT count(*) FROM page_text p, json_each(p.terms) e"
                        "  WHERE e.key = t.term)"),
              0);
    // Norms.
    for (std::size_t page = 0; page < expected.counts.size(); ++page) {
      double square = 0;
      for (const auto& [term, count] : expected.counts[page]) {
        square += std::pow(count * expected.Idf(term), 2);
      }
      Result<Statement> norm =
          crawl.db().Prepare("SELECT norm FROM page_weights WHERE page_id = ?");
      norm->Bind(1, static_cast<std::int64_t>(page) + 1);
      ASSERT_TRUE(*norm->Step());
      EXPECT_NEAR(norm->Real(0), std::sqrt(square), 1e-9);
    }
  }
}

TEST(Indexing, RelevanceIsTheCosineToTheTopic) {
  TestCrawl crawl;
  BruteForce expected;
  const std::vector<TestPage> pages = SomePages(11, 40);
  for (const TestPage& page : pages) {
    crawl.Add(page);
    expected.Add(page);
  }
  const std::set<std::string> topic = {WordSource::Name(0), WordSource::Name(5),
                                       WordSource::Name(17)};
  std::string text = "unknownword";
  for (const std::string& word : topic) text.append(" ").append(word);
  crawl.Index(text);
  double topic_square = 0;
  for (const std::string& word : topic) topic_square += std::pow(expected.Idf(word), 2);
  int relevant = 0;
  for (std::size_t page = 0; page < pages.size(); ++page) {
    double dot = 0, square = 0;
    for (const auto& [term, count] : expected.counts[page]) {
      const double weight = count * expected.Idf(term);
      square += weight * weight;
      if (topic.contains(term)) dot += weight * expected.Idf(term);
    }
    Result<Statement> select = crawl.db().Prepare("SELECT relevance_score FROM pages WHERE id = ?");
    select->Bind(1, static_cast<std::int64_t>(page) + 1);
    ASSERT_TRUE(*select->Step());
    EXPECT_NEAR(select->Real(0), dot / std::sqrt(square * topic_square), 1e-9);
    relevant += select->Real(0) > 0 ? 1 : 0;
  }
  EXPECT_GT(relevant, 5);
}

TEST(Indexing, AnchorsCountForThePageTheLinkLeadsTo) {
  TestCrawl crawl;
  TestPage page;
  page.language = "en";
  page.url = "http://a.example/1";
  page.text = "kbox";
  page.links = R"([[2,0,"kfox kgox"],[5,0,"kfox"],[4,1,"kvox"],[1,0,"itself"]])";
  crawl.Add(page);
  page.url = "http://a.example/2";
  page.links = R"([[1,0,"kzox"],[3,0,"hidden"]])";
  crawl.Add(page);
  page.url = "http://a.example/3";
  page.noindex = true;
  page.links = R"([[2,0,"kfox"]])";
  crawl.Add(page);
  page.noindex = false;
  page.url = "http://a.example/4";
  page.duplicate_of = 2;  // Links to it count for page 2.
  page.links.clear();
  crawl.Add(page);
  crawl.AddRedirect("http://a.example/5", 2);
  crawl.Index();
  std::map<std::string, std::map<std::uint32_t, std::uint32_t>> found;
  Result<Statement> select = crawl.db().Prepare(
      "SELECT p.term, p.document_freq, p.docs FROM postings p"
      " JOIN index_segments s ON s.id = p.segment WHERE s.kind = 1 AND s.state = 0");
  ASSERT_TRUE(select.ok());
  while (*select->Step()) {
    PostingsReader reader(select->Blob(2), static_cast<std::uint32_t>(select->Int(1)));
    for (const Posting& posting : reader.NextBlock()) {
      found[std::string(select->Text(0))][posting.page] = posting.counts[0];
    }
  }
  const std::map<std::string, std::map<std::uint32_t, std::uint32_t>> expected = {
      {"kfox", {{2, 3}}}, {"kgox", {{2, 1}}}, {"kvox", {{2, 1}}}, {"kzox", {{1, 1}}}};
  EXPECT_EQ(found, expected);
  // How many words point to a page.
  std::vector<PageRecord> records;
  Check(VisitPageRecords(crawl.db(), crawl.Int("SELECT id FROM index_segments WHERE kind = 1"),
                         [&](const PageRecord& record) { records.push_back(record); }));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].lengths[0], 1u);
  EXPECT_EQ(records[1].lengths[0], 5u);
}

TEST(Indexing, AnchorsInManyPartsAreThoseOfOne) {
  const auto fill = [](TestCrawl& crawl) {
    WordSource words(5, 2000);
    for (int i = 1; i <= 60; ++i) {
      TestPage page = words.Page(i);
      page.language = "en";
      page.links = "[";
      for (int n = 0; n < 300; ++n) {
        page.links += (n == 0 ? "[" : ",[") + std::to_string(1 + words.Below(60)) + ",0,\"" +
                      words.Words(3) + "\"]";
      }
      page.links += "]";
      crawl.Add(page);
    }
  };
  const std::string postings =
      "SELECT p.term, p.document_freq, p.docs, s.page_data FROM postings p"
      " JOIN index_segments s ON s.id = p.segment WHERE s.kind = 1 ORDER BY p.term";
  TestCrawl roomy, narrow;
  fill(roomy);
  fill(narrow);
  roomy.Index();
  IndexOptions options;
  options.max_ram = 400'000;
  std::size_t parts = 0;
  options.stop = [&] {
    parts = std::max<std::size_t>(
        parts, static_cast<std::size_t>(
                   narrow.Int("SELECT count(*) FROM index_segments WHERE state = 3")));
    return false;
  };
  IndexReport report;
  Check(RunIndexing(narrow.db(), options, &report));
  EXPECT_GT(parts, 2u);
  EXPECT_EQ(narrow.Int("SELECT count(*) FROM index_segments WHERE kind = 1"), 1);
  EXPECT_EQ(narrow.Dump(postings, 4), roomy.Dump(postings, 4));
}

// docs/formats.md: duplicate_of is the first page with the same content. Pages without any are not
// duplicates.
TEST(Indexing, OfPagesWithOneContentTheFirstIsTheOriginal) {
  TestCrawl crawl;
  TestPage page;
  page.url = "http://a.example/";
  for (const char* text : {"kbox", "kbox", "kdox", "kbox", "", ""}) {
    page.text = text;
    page.content_hash = "content " + page.text;
    crawl.Add(page);  // None of them knows of the others.
  }
  crawl.Remove(3);
  crawl.Index();
  EXPECT_EQ(crawl.Dump("SELECT id, coalesce(duplicate_of, 0) FROM pages", 2),
            "1|0|\n2|1|\n4|1|\n5|0|\n6|0|\n");
}

// One page leaves, and the text of another, which had been missing, is there after all.
TEST(Indexing, AsManyPagesAsBeforeAreNotTheSamePages) {
  TestCrawl crawl, fresh;
  const std::vector<TestPage> pages = SomePages(17, 10);
  for (std::int64_t id = 1; id <= 10; ++id) {
    const TestPage& page = pages[static_cast<std::size_t>(id) - 1];
    crawl.AddAs(page, id, id);
    if (id != 5) fresh.AddAs(page, id, id);
  }
  Check(
      crawl.db().Execute("CREATE TABLE missing AS SELECT * FROM page_text WHERE page_id = 3;"
                         "DELETE FROM page_text WHERE page_id = 3"));
  crawl.Reopen();
  EXPECT_EQ(crawl.Index().pages, 9u);
  crawl.Remove(5);
  Check(
      crawl.db().Execute("INSERT INTO page_text SELECT * FROM missing;"
                         "DELETE FROM index_segments WHERE kind = 0; DELETE FROM postings"));
  crawl.Reopen();
  EXPECT_EQ(crawl.Index().pages, 9u);
  fresh.Index();
  const std::string terms = "SELECT * FROM index_terms ORDER BY id";
  EXPECT_EQ(crawl.Dump(terms, 5), fresh.Dump(terms, 5));
}

TEST(Indexing, NoindexPagesLeaveNothingToFind) {
  TestCrawl crawl;
  TestPage page;
  page.url = "http://a.example/secret";
  page.text = "secret words";
  page.noindex = true;
  crawl.Add(page);
  const IndexReport report = crawl.Index();
  EXPECT_EQ(report.pages, 0u);
  EXPECT_EQ(report.unindexed, 1u);
  EXPECT_EQ(crawl.Int("SELECT count(*) FROM page_text"), 0);
  EXPECT_EQ(crawl.Int("SELECT count(*) FROM postings"), 0);
}

// Folders of the version before have pages and no text of them.
TEST(Indexing, AFolderOfTheVersionBeforeIsBroughtUpToDate) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("old-" + std::to_string(::getpid()) + ".db"))
          .string();
  std::filesystem::remove(path);
  {
    Result<Database> db = Database::Open(path, Database::Mode::kCreate);
    ASSERT_TRUE(db.ok());
    Check(Migrate(*db, CatalogueSchema().first(1)));
    Check(db->Execute(
        "INSERT INTO pages(url_id, visit_id, url, domain, content_hash, status_code, crawled_at,"
        " depth, priority, size, noindex, nofollow)"
        " VALUES(1,1,'http://a.example/','a.example','',200,0,0,0,0,0,0)"));
    Check(Migrate(*db, CatalogueSchema()));
    IndexReport report;
    Check(RunIndexing(*db, {}, &report));
    EXPECT_EQ(report.unindexed, 1u);
  }
  std::filesystem::remove(path);
}

TEST(Indexing, LanguagesAreNumbersAndBack) {
  for (const char* code : {"", "en", "de", "ja", "zh-hant", "yue", "sr-latn"}) {
    EXPECT_EQ(UnpackLanguage(PackLanguage(code)), code);
  }
}

}  // namespace
}  // namespace crawler

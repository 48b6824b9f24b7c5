#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "index/document.hpp"
#include "index/index_writer.hpp"
#include "index/indexing.hpp"
#include "index/segments.hpp"
#include "store/schema.hpp"

namespace crawler {

/// A page as a test writes it down.
struct TestPage {
  std::string url;
  std::string title;
  std::string text;
  std::vector<PageSlice> headings;
  std::vector<PageSlice> link_blocks;
  std::string language = "en";
  std::int64_t date = 1'700'000'000'000;
  bool noindex = false;
  std::int64_t duplicate_of = 0;
  std::string links;         ///< As page_links holds them.
  std::string content_hash;  ///< Empty: its content is like no other's.
};

inline void Check(const Status& status) { ASSERT_TRUE(status.ok()) << status.ToString(); }

/// A crawl.db in a folder of its own. The URL of page i has the id i, unless a test says otherwise.
class TestCrawl {
 public:
  TestCrawl() {
    static std::atomic<int> count{0};
    folder_ = std::filesystem::temp_directory_path() /
              ("index-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    Reopen();
  }
  ~TestCrawl() {
    writer_.reset();
    db_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TestCrawl(const TestCrawl&) = delete;
  TestCrawl& operator=(const TestCrawl&) = delete;

  std::string path() const { return (folder_ / "crawl.db").string(); }
  Database& db() { return *db_; }

  /// As after a kill: what is only in memory is gone.
  void Reopen() {
    writer_.reset();
    db_.reset();
    Result<Database> db = Database::Open(path(), Database::Mode::kCreate);
    ASSERT_TRUE(db.ok());
    db_ = std::make_unique<Database>(std::move(db).value());
    Check(db_->Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF"));
    Check(Migrate(*db_, CatalogueSchema()));
  }

  void Add(const TestPage& page) {
    AddAs(page, urls_ + 1, 1 + std::max(pages_, Int("SELECT max(id) FROM pages")));
  }

  /// With ids that the test chooses; those of pages ascend.
  void AddAs(const TestPage& page, std::int64_t id, std::int64_t page_id) {
    OpenWriter();
    Check(db_->Execute("BEGIN"));
    Result<Statement> insert = db_->Prepare(
        "INSERT INTO pages(url_id, visit_id, url, domain, title, content_hash, status_code,"
        " crawled_at, depth, priority, size, noindex, nofollow, duplicate_of, id)"
        " VALUES(?1,?1,?2,?3,?4,?9,200,?5,0,0,?10,?6,0,?7,?8)");
    ASSERT_TRUE(insert.ok()) << insert.status().ToString();
    const std::size_t begin = page.url.find("://") + 3;
    // The colons of [::1] are no port's.
    const std::size_t bracket = page.url[begin] == '[' ? page.url.find(']', begin) : begin;
    const std::string domain =
        page.url.substr(begin, page.url.find_first_of("/:", bracket) - begin);
    AddUrlRow(id, page.url);
    pages_ = page_id;
    const std::string content =
        page.content_hash.empty() ? "page " + std::to_string(page_id) : page.content_hash;
    Check(insert->Bind(1, id)
              .Bind(2, page.url)
              .Bind(3, domain)
              .BindTextOrNull(4, page.title)
              .Bind(5, page.date)
              .Bind(6, std::int64_t{page.noindex})
              .BindIdOrNull(7, page.duplicate_of)
              .Bind(8, page_id)
              .Bind(9, content)
              .Bind(10, static_cast<std::int64_t>(page.text.size()))
              .Run());
    if (!page.links.empty()) {
      Result<Statement> links = db_->Prepare("INSERT INTO page_links VALUES(?,?)");
      Check(links->Bind(1, id).Bind(2, page.links).Run());
    }
    if (!page.noindex) {
      DocumentSource source;
      source.url = page.url;
      source.title = page.title;
      source.text = page.text;
      source.headings = page.headings;
      source.link_blocks = page.link_blocks;
      source.language_hint = page.language;
      source.date = page.date;
      builder_.Build(source, &document_);
      Check(writer_->Add(page_id, document_));
    }
    Check(db_->Execute("COMMIT"));
  }

  /// As a crawl does when it is repeated and the page is gone.
  void Remove(std::int64_t page_id) {
    OpenWriter();
    Check(db_->Execute("BEGIN"));
    Check(writer_->Remove(page_id));
    const std::string id = std::to_string(page_id);
    // The last id that was given is remembered.
    Check(db_->Execute(
        "INSERT OR REPLACE INTO crawl_state SELECT 'last_page', max((SELECT max(id) FROM pages),"
        " coalesce((SELECT CAST(value AS INTEGER) FROM crawl_state WHERE key = 'last_page'), 0));"
        "DELETE FROM page_links WHERE from_id = (SELECT url_id FROM pages WHERE id = " +
        id + "); DELETE FROM pages WHERE id = " + id));
    Check(db_->Execute("COMMIT"));
  }

  /// A URL that was a redirect.
  std::int64_t AddRedirect(const std::string& url, std::int64_t to) {
    const std::int64_t id = urls_ + 1;
    AddUrlRow(id, url);
    AddRedirectAs(id, to);
    return id;
  }
  void AddRedirectAs(std::int64_t id, std::int64_t to) {
    Result<Statement> visit = db_->Prepare(
        "INSERT INTO visits(url_id, at, final, outcome, redirect_to, failures, priority, bytes)"
        " VALUES(?,0,1,'redirect',?,0,0,0)");
    Check(visit->Bind(1, id).Bind(2, to).Run());
  }
  void AddUrl(std::int64_t id) { AddUrlRow(id, "http://known.example/"); }

  void Flush() {
    OpenWriter();
    Check(db_->Execute("BEGIN"));
    Check(writer_->Flush());
    Check(db_->Execute("COMMIT"));
  }

  IndexReport Index(const std::string& topic = "") {
    IndexOptions options;
    options.topic = topic;
    return Index(options);
  }
  IndexReport Index(const IndexOptions& options) {
    writer_.reset();
    IndexReport report;
    Check(RunIndexing(*db_, options, &report));
    return report;
  }

  std::int64_t Int(const std::string& sql) {
    const Result<std::int64_t> value = db_->QueryInt(sql);
    EXPECT_TRUE(value.ok()) << value.status().ToString();
    return value.ok() ? *value : -1;
  }

  /// All rows of a query as text.
  std::string Dump(const std::string& sql, int columns) {
    Result<Statement> select = db_->Prepare(sql);
    EXPECT_TRUE(select.ok()) << select.status().ToString();
    std::string dump;
    Result<bool> row = select->Step();
    for (; row.ok() && *row; row = select->Step()) {
      for (int i = 0; i < columns; ++i) dump.append(select->Blob(i)).push_back('|');
      dump.push_back('\n');
    }
    return dump;
  }

 private:
  void OpenWriter() {
    if (writer_ != nullptr) return;
    Result<std::unique_ptr<IndexWriter>> writer = IndexWriter::Open(*db_, std::size_t{1} << 20);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    writer_ = std::move(writer).value();
    Check(writer_->Recover());
  }
  void AddUrlRow(std::int64_t id, const std::string& url) {
    urls_ = std::max(urls_, id);
    Result<Statement> insert = db_->Prepare(
        "INSERT OR IGNORE INTO urls(id, url, host_id, depth, redirects, via, from_id) "
        "VALUES(?,?,1,0,0,1,NULL)");
    ASSERT_TRUE(insert.ok()) << insert.status().ToString();
    Check(insert->Bind(1, id).Bind(2, url).Run());
  }

  std::filesystem::path folder_;
  std::unique_ptr<Database> db_;
  std::unique_ptr<IndexWriter> writer_;
  DocumentBuilder builder_;
  IndexedDocument document_;
  std::int64_t urls_ = 0, pages_ = 0;
};

/// Words whose frequencies fall as those of a language do.
class WordSource {
 public:
  WordSource(unsigned seed, int vocabulary) : random_(seed), vocabulary_(vocabulary) {}

  std::string Word() {
    const double share = std::uniform_real_distribution<double>(0, 1)(random_);
    return Name(static_cast<int>(share * share * share * vocabulary_));
  }
  static std::string Name(int number) {
    // Letters that no stemmer takes for an ending.
    std::string name = "k";
    do {
      name.append(std::string(1, "bdfgkmpvxz"[number % 10])).append("o");
      number /= 10;
    } while (number > 0);
    return name + "x";
  }
  std::string Words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text.append(i == 0 ? "" : i % 17 == 0 ? "\n" : " ").append(Word());
    return text;
  }
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  TestPage Page(int number) {
    TestPage page;
    page.url = "http://" + Name(Below(4)) + ".example/" + Word() + "/" + std::to_string(number);
    page.title = Words(1 + Below(5));
    const std::string heading = Words(1 + Below(3));
    page.text = heading + "\n" + Words(Below(60));
    page.headings = {{0, static_cast<std::uint32_t>(heading.size())}};
    if (Below(3) == 0) {
      const std::string menu = Words(1 + Below(12));
      page.text += "\n";
      page.link_blocks = {
          {static_cast<std::uint32_t>(page.text.size()), static_cast<std::uint32_t>(menu.size())}};
      page.text += menu;
    }
    page.date = 1'600'000'000'000 + std::int64_t{Below(1000)} * 86'400'000;
    page.language = Below(3) == 0 ? "de" : "en";
    return page;
  }

 private:
  std::mt19937 random_;
  const int vocabulary_;
};

}  // namespace crawler

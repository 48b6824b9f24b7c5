#include "store/schema.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "db/database.hpp"

namespace crawler {
namespace {

// docs/formats.md: a newer program brings an older folder up to date.
class Schema : public ::testing::Test {
 protected:
  Schema() {
    folder_ = std::filesystem::temp_directory_path() / ("schema-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Schema() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// A catalogue of an older version.
  Database OpenAt(std::size_t version) {
    Result<Database> db = Database::Open((folder_ / "crawl.db").string(), Database::Mode::kCreate);
    EXPECT_TRUE(db.ok()) << db.status().ToString();
    Run(*db, "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL");
    const Status status = Migrate(*db, CatalogueSchema().first(version));
    EXPECT_TRUE(status.ok()) << status.ToString();
    return std::move(db).value();
  }
  static void Update(Database& db) {
    const Status status = Migrate(db, CatalogueSchema());
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Int(db, "PRAGMA user_version"), static_cast<int>(CatalogueSchema().size()));
    EXPECT_EQ(Int(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"),
              0);
  }
  static void Run(Database& db, const std::string& sql) {
    const Status status = db.Execute(sql);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  static std::int64_t Int(Database& db, const std::string& sql) {
    const Result<std::int64_t> value = db.QueryInt(sql, -1);
    EXPECT_TRUE(value.ok()) << value.status().ToString();
    return value.ok() ? *value : -1;
  }

  std::filesystem::path folder_;
};

// Version 4 gave postings rowids; the rows stayed as they were.
TEST_F(Schema, PostingsOfVersion3AreKept) {
  Database db = OpenAt(3);
  Run(db,
      "INSERT INTO postings VALUES(2, 'zebra', 3, 'zebras', x'0102', x'03'),"
      " (1, 'zebra', 1, NULL, x'', NULL), (1, 'äpfel', 7, '', x'ff00ff', x''),"
      " (1, 'apple', 2, 'Apple', randomblob(100000), randomblob(50000));"
      "INSERT INTO postings SELECT 3, 'term' || value, value, 'shown' || value, zeroblob(value % "
      "100), NULL FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n "
      "WHERE value < 3000) SELECT value FROM n);"
      "CREATE TABLE before AS SELECT * FROM postings");
  EXPECT_EQ(Int(db, "SELECT count(*) FROM before"), 3004);
  Update(db);
  const std::string all = "SELECT segment, term, document_freq, shown, docs, positions FROM ";
  EXPECT_EQ(Int(db, "SELECT count(*) FROM postings"), 3004);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM (" + all + "before EXCEPT " + all + "postings)"), 0);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM (" + all + "postings EXCEPT " + all + "before)"), 0);
  // In the order of their keys, as they are written anew; and still unique.
  EXPECT_EQ(Int(db,
                "SELECT count(*) FROM postings a JOIN postings b ON b.rowid = a.rowid + 1"
                " WHERE (a.segment, a.term) >= (b.segment, b.term)"),
            0);
  EXPECT_FALSE(db.Execute("INSERT INTO postings(segment, term, document_freq, docs)"
                          " VALUES(1, 'zebra', 1, x'')")
                   .ok());
  EXPECT_EQ(Int(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'old_postings'"), 0);
  EXPECT_EQ(Int(db, "SELECT document_freq FROM postings WHERE segment = 3 AND term = 'term77'"),
            77);
}

// Pages of a version without the index have no text; `crawler index` finds them by that.
TEST_F(Schema, PagesOfVersion1AreKeptWithoutText) {
  Database db = OpenAt(1);
  Run(db,
      "INSERT INTO pages(url_id, visit_id, url, domain, content_hash, status_code, crawled_at,"
      " depth, priority, size, noindex, nofollow) VALUES(1, 1, 'http://a.example/', 'a.example',"
      " '00', 200, 5, 0, 1.5, 10, 0, 0);"
      "INSERT INTO visits(url_id, at, final, outcome, failures, priority, bytes)"
      " VALUES(1, 5, 1, 'page', 0, 1.5, 10)");
  Update(db);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM pages WHERE url = 'http://a.example/' AND size = 10"), 1);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM visits WHERE at = 5 AND retry_after_ms IS NULL"), 1);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM page_text"), 0);
}

TEST_F(Schema, ANewerVersionIsLeftAlone) {
  Database db = OpenAt(CatalogueSchema().size());
  Run(db, "PRAGMA user_version = 1000");
  EXPECT_EQ(Migrate(db, CatalogueSchema()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Int(db, "PRAGMA user_version"), 1000);
}

}  // namespace
}  // namespace crawler

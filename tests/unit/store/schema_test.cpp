#include "store/schema.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "model/url_record.hpp"
#include "store/read_catalogue.hpp"

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

// A crawl of version 6, with every text that was a code's ancestor.
constexpr const char* kCrawlOfVersion6 = R"sql(
INSERT INTO hosts VALUES(1, 'http://a.example', 'a.example'), (2, 'http://b.example:81', 'b.example');
INSERT INTO crawl_state VALUES('seed', '00ff'), ('options', '{}');
INSERT INTO urls VALUES(1, 'http://a.example/', 1, 0, 0, 0, NULL, NULL),
 (2, 'http://a.example/2', 1, 1, 0, 1, 1, 'nofollow'),
 (3, 'http://a.example/3', 1, 9, 0, 1, 1, 'deeper than the depth budget'),
 (4, 'http://a.example/4', 1, 1, 0, 1, 1, 'scope: exclude pattern /p/4$'),
 (5, 'http://c.example/5', 1, 1, 0, 1, 1, 'scope: reach'),
 (6, 'http://a.example/6', 1, 1, 0, 1, 1, NULL),
 (7, 'http://b.example:81/', 2, 1, 0, 1, 1, NULL),
 (8, 'http://a.example/8', 1, 1, 0, 1, 1, 'the frontier is full');
INSERT INTO promotions VALUES(1, 3, 2, 1, 1);
INSERT INTO visits(id, url_id, at, final, outcome, detail, failures, priority, bytes) VALUES
 (1, NULL, 1, 1, 'robots', 'http://a.example/robots.txt', 0, 1, 10),
 (2, NULL, 1, 1, 'robots', 'http://b.example:81/robots.txt: connect timeout: 5 s', 1, 1, 0),
 (3, 1, 1, 1, 'page', NULL, 0, 1, 10),
 (4, 6, 1, 0, 'failed', 'dns: no such name: x', 1, 1, 0),
 (5, 6, 1, 1, 'given up', 'its host http://a.example was given up at X after 8 failures in a row', 1, 1, 0),
 (6, 7, 1, 1, 'given up', 'no robots.txt from its host http://b.example:81, given up', 0, 1, 0),
 (7, 8, 1, 1, 'given up', 'its host was given up after 9 requests to wait in a row', 0, 1, 0),
 (8, 4, 1, 0, 'unwanted', 'something else', 0, 1, 0);
)sql";

// What a reader of the newest schema has to find in it.
void ExpectCodes(Database& db) {
  const auto rows = [&db](const std::string& sql) {
    std::vector<std::string> texts;
    const Status status =
        ForEachRow(db, sql, [&](Statement& row) { texts.emplace_back(row.Text(0)); });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(rows("SELECT coalesce(skipped, '') || '|' || coalesce(skip_detail, '') FROM urls"
                 " ORDER BY id"),
            (Texts{"|", "1|", "2|", "9|/p/4$", "10|", "|", "|", "3|"}));
  EXPECT_EQ(rows("SELECT coalesce(failure, '') || '|' || coalesce(host_id, '') || '|' ||"
                 " coalesce(given_up, '') FROM visits ORDER BY id"),
            (Texts{"|1|", "connect timeout|2|", "||", "dns||", "||failures", "||no robots.txt",
                   "||throttled", "||"}));
  EXPECT_EQ(rows("SELECT url_id || ' ' || depth || ' ' || waits FROM requeued"), Texts{"3 2 1"});
  EXPECT_EQ(rows("SELECT value FROM crawl_state WHERE key = 'hash_key'"), Texts{"00ff"});
  EXPECT_EQ(rows("SELECT key FROM crawl_state WHERE key = 'seed'"), Texts{});
}

TEST_F(Schema, ReasonsOfVersion6BecomeCodes) {
  Database db = OpenAt(6);
  Run(db, kCrawlOfVersion6);
  Update(db);
  ExpectCodes(db);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM pragma_table_info('urls') WHERE name = 'turned_away'"),
            0);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'hosts_by_origin'"), 0);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM fates WHERE fate = 'skipped' AND url_id IN (2, 5)"), 2);
  EXPECT_EQ(Int(db,
                "SELECT count(*) FROM fates WHERE url_id = 4 AND reason ="
                " 'scope: exclude pattern /p/4$'"),
            1);
  EXPECT_EQ(Int(db, "SELECT count(*) FROM fates WHERE url_id = 3 AND fate = 'waiting'"), 1);
}

TEST_F(Schema, AnOlderCatalogueIsReadAsTheNewestWithoutAChange) {
  for (const std::size_t version : {6, 5, 2}) {
    std::filesystem::remove(folder_ / "crawl.db");
    {
      Database db = OpenAt(version);
      Run(db, kCrawlOfVersion6);
    }
    const std::string path = (folder_ / "crawl.db").string();
    Result<Database> db = OpenCatalogueForReading(path);
    ASSERT_TRUE(db.ok()) << db.status().ToString();
    ExpectCodes(*db);
    EXPECT_EQ(
        Int(*db, "SELECT count(*) FROM visits WHERE retry_after_ms IS NULL AND change IS NULL"), 8);
    EXPECT_EQ(Int(*db, "SELECT count(*) FROM rounds"), 0);
    EXPECT_EQ(Int(*db,
                  "SELECT count(payload_hash) + count(h1) + count(hreflang) + count(headers)"
                  " FROM pages"),
              0);
    EXPECT_EQ(Int(*db, "PRAGMA user_version"), static_cast<int>(version));
    EXPECT_FALSE(db->Execute("DELETE FROM hosts").ok());
  }
}

// The texts of the view are those that programs show.
TEST_F(Schema, EverySkipReasonHasItsText) {
  Database db = OpenAt(CatalogueSchema().size());
  constexpr int kReasons = static_cast<int>(SkipReason::kNotIncluded);
  for (int code = 1; code <= kReasons; ++code) {
    Run(db,
        "INSERT INTO urls(id, url, host_id, depth, redirects, via, skipped, skip_detail)"
        " VALUES(" +
            std::to_string(code) + ", '', 1, 0, 0, 0, " + std::to_string(code) + ", 'what')");
    const Result<std::string> text =
        db.QueryText("SELECT reason FROM fates WHERE url_id = ?", std::to_string(code));
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(*text, DescribeSkip(static_cast<SkipReason>(code), "what"));
  }
}

TEST_F(Schema, ANewerVersionIsLeftAlone) {
  Database db = OpenAt(CatalogueSchema().size());
  Run(db, "PRAGMA user_version = 1000");
  EXPECT_EQ(Migrate(db, CatalogueSchema()).code(), StatusCode::kUnsupported);
  EXPECT_EQ(OpenCatalogueForReading(db.path()).status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(Int(db, "PRAGMA user_version"), 1000);
}

}  // namespace
}  // namespace crawler

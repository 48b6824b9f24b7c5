#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inspect/inspect.hpp"
#include "store/catalogue.hpp"
#include "store/schema.hpp"

namespace crawler {
namespace {

using Kind = ReadOutcome::Kind;

/// A folder whose catalogue a test fills with SQL.
class ExportTest : public testing::Test {
 protected:
  ExportTest() : folder_((std::filesystem::temp_directory_path() / "export-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~ExportTest() override { std::filesystem::remove_all(folder_); }

  void Make(const std::string& sql) {
    Result<Database> db = Database::Open(folder_ + "/crawl.db", Database::Mode::kCreate);
    ASSERT_TRUE(db.ok());
    Status status = Migrate(*db, CatalogueSchema());
    ASSERT_TRUE(status.ok()) << status.message();
    status = db->Execute(sql);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  std::string Export(std::string_view what, DataFormat format = DataFormat::kJsonl) {
    std::string out;
    const ReadOutcome outcome = ExportFolder(
        folder_, what, format,
        [&out](std::string_view text) {
          out.append(text);
          return true;
        },
        {}, false);
    EXPECT_EQ(outcome.error, "");
    return out;
  }

  ReadOutcome Query(const std::string& sql, const ReadLimits& limits = {}) {
    rows_.clear();
    const RowSink sink = MakeSink([this](std::string_view line) { rows_.emplace_back(line); });
    return QueryFolder(folder_, sql, sink, limits);
  }

  template <typename Take>
  static RowSink MakeSink(Take take) {
    return {[](std::span<const std::string>) { return true; },
            [take](std::span<const Cell> row) {
              std::string line;
              for (const Cell& cell : row) {
                line += cell.kind == Cell::Kind::kInteger ? std::to_string(cell.integer)
                                                          : std::string(cell.text);
                line += '|';
              }
              take(line);
              return true;
            }};
  }

  std::string folder_;
  std::vector<std::string> rows_;
};

constexpr const char* kRedirects = R"sql(
INSERT INTO urls(id, url, host_id, depth, redirects, via, from_id) VALUES
  (1, 'http://a/', 1, 0, 0, 0, NULL), (2, 'http://a/2', 1, 1, 0, 1, 1), (3, 'http://a/3', 1, 1, 1, 2, 2),
  (4, 'http://a/loop', 1, 1, 0, 1, 1), (5, 'http://a/back', 1, 1, 1, 2, 4),
  (6, 'http://a/self', 1, 1, 0, 1, 1), (7, 'http://a/gone', 1, 1, 0, 2, 3);
INSERT INTO visits(url_id, at, final, outcome, status_code, redirect_to, failures, priority, bytes)
VALUES (1, 0, 1, 'page', 200, NULL, 0, 0, 0), (2, 0, 1, 'redirect', 301, 3, 0, 0, 0),
       (3, 0, 1, 'redirect', 302, 7, 0, 0, 0), (4, 0, 1, 'redirect', 301, 5, 0, 0, 0),
       (5, 0, 1, 'redirect', 301, 4, 0, 0, 0), (6, 0, 1, 'redirect', 301, 6, 0, 0, 0),
       (7, 0, 1, 'http error', 404, NULL, 0, 0, 0);
INSERT INTO page_links VALUES (1, '[2,[4,1,"=cmd|x"],7]');
)sql";

TEST_F(ExportTest, ChainsAndLoopsOfRedirects) {
  Make(kRedirects);
  ASSERT_EQ(
      Query("SELECT url, hops, loop, end_url, end_fate, end_status, chain FROM redirect_chains"
            " ORDER BY url_id")
          .error,
      "");
  EXPECT_EQ(rows_,
            (std::vector<std::string>{
                "http://a/2|2|0|http://a/gone|http error|404|http://a/2 -> http://a/3 -> "
                "http://a/gone|",
                "http://a/3|1|0|http://a/gone|http error|404|http://a/3 -> http://a/gone|",
                "http://a/loop|2|1|http://a/loop|redirect|301|http://a/loop -> http://a/back -> "
                "http://a/loop|",
                "http://a/back|2|1|http://a/back|redirect|301|http://a/back -> http://a/loop -> "
                "http://a/back|",
                "http://a/self|1|1|http://a/self|redirect|301|http://a/self -> http://a/self|"}));
}

TEST_F(ExportTest, BrokenLinksHaveTheirSources) {
  Make(kRedirects);
  EXPECT_EQ(Export("broken", DataFormat::kCsv),
            "url,status_code,fate,reason,via,from_url,nofollow,anchor\r\n"
            "http://a/gone,404,http error,,link,http://a/,0,\r\n"
            "http://a/gone,404,http error,,redirect,http://a/3,0,\r\n");
}

TEST_F(ExportTest, TheGraphAsLists) {
  Make(kRedirects);
  EXPECT_EQ(Export("graph", DataFormat::kAdjacency), "2 4 7\n\n\n\n\n\n\n");
  EXPECT_EQ(Export("graph", DataFormat::kUrlList),
            "http://a/\nhttp://a/2\nhttp://a/3\nhttp://a/loop\nhttp://a/back\nhttp://a/self\n"
            "http://a/gone\n");
}

TEST_F(ExportTest, EveryExportIsReadFromEveryVersion) {
  for (std::size_t version = 1; version <= CatalogueSchema().size(); ++version) {
    std::filesystem::remove(folder_ + "/crawl.db");
    {
      Result<Database> db = Database::Open(folder_ + "/crawl.db", Database::Mode::kCreate);
      ASSERT_TRUE(db.ok());
      ASSERT_TRUE(Migrate(*db, CatalogueSchema().first(version)).ok());
      ASSERT_TRUE(db->Execute("INSERT INTO hosts VALUES (1, 'http://a', 'a');"
                              "INSERT INTO urls(id, url, host_id, depth, redirects, via)"
                              " VALUES (1, 'http://a/', 1, 0, 0, 0)")
                      .ok());
    }
    for (const ExportKind& kind : ListExports()) {
      SCOPED_TRACE(std::to_string(version) + " " + kind.name);
      const bool graph = std::string_view(kind.name) == "graph";
      const std::string out = Export(kind.name, graph ? DataFormat::kGraphml : DataFormat::kCsv);
      EXPECT_NE(out, "");
    }
    EXPECT_NE(Export("urls", DataFormat::kCsv).find("http://a/,waiting"), std::string::npos);
  }
}

TEST_F(ExportTest, OnlyQueriesAreRun) {
  Make(kRedirects);
  EXPECT_EQ(Query("SELECT count(*) FROM urls; -- all").kind, Kind::kDone);
  EXPECT_EQ(rows_, std::vector<std::string>{"7|"});
  EXPECT_EQ(Query("PRAGMA table_info(urls)").kind, Kind::kDone);
  for (const char* sql :
       {"DELETE FROM urls", "CREATE TEMP TABLE t(a)", "ATTACH '/tmp/x.db' AS x",
        "PRAGMA user_version = 3", "PRAGMA temp_store_directory", "VACUUM INTO '/tmp/x.db'",
        "SELECT 1; SELECT 2", "", ";", "-- nothing", "SELEC 1", "SELECT ?",
        "SELECT load_extension('x')", "BEGIN", "COMMIT", "SELECT nothing FROM urls",
        "SELECT json_extract('{', '$')", "EXPLAIN DELETE FROM urls",
        "INSERT INTO urls(id) VALUES (9) RETURNING id"}) {
    const ReadOutcome outcome = Query(sql);
    EXPECT_EQ(outcome.kind, Kind::kBadRequest) << sql << ": " << outcome.error;
    EXPECT_NE(outcome.error, "") << sql;
  }
  EXPECT_EQ(Query(std::string("SELECT 1\0", 9)).kind, Kind::kBadRequest);
  EXPECT_NE(Query("SELECT hex(zeroblob(1000000000))").kind, Kind::kDone);
}

TEST_F(ExportTest, AQueryEndsInTime) {
  Make("");
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n";
  ReadLimits limits;
  limits.max_time = std::chrono::milliseconds(50);
  EXPECT_EQ(Query(endless, limits).kind, Kind::kTimeout);
  limits = {};
  int asked = 0;
  limits.stopped = [&asked] { return ++asked > 3; };
  EXPECT_EQ(Query(endless, limits).kind, Kind::kStopped);
}

TEST_F(ExportTest, BadRequestsSaySo) {
  const TextSink none = [](std::string_view) { return true; };
  EXPECT_EQ(ExportFolder(folder_, "urls", DataFormat::kCsv, none, {}, false).kind, Kind::kNotFound);
  Make(kRedirects);
  EXPECT_EQ(ExportFolder(folder_, "all", DataFormat::kCsv, none, {}, false).kind,
            Kind::kBadRequest);
  EXPECT_EQ(ExportFolder(folder_, "graph", DataFormat::kCsv, none, {}, false).kind,
            Kind::kBadRequest);
  EXPECT_EQ(ExportFolder(folder_, "urls", DataFormat::kGraphml, none, {}, false).kind,
            Kind::kBadRequest);
  const TextSink full = [](std::string_view) { return false; };
  EXPECT_EQ(ExportFolder(folder_, "urls", DataFormat::kCsv, full, {}, false).kind, Kind::kStopped);
  EXPECT_EQ(ExportFolder(folder_, "graph", DataFormat::kGraphml, full, {}, false).kind,
            Kind::kStopped);
  {
    Result<Database> db = Database::Open(folder_ + "/crawl.db", Database::Mode::kCreate);
    ASSERT_TRUE(db.ok() && db->Execute("PRAGMA user_version = 1000").ok());
  }
  const ReadOutcome newer = ExportFolder(folder_, "urls", DataFormat::kCsv, none, {}, false);
  EXPECT_EQ(newer.kind, Kind::kStorage);
  EXPECT_NE(newer.error.find("newer version"), std::string::npos) << newer.error;
}

}  // namespace
}  // namespace crawler

#include "db/database.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace crawler {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("database_test-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "x.db").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Database Make() { return std::move(Database::Open(path_, Database::Mode::kCreate)).value(); }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(DatabaseTest, WhatIsBoundComesBack) {
  Database db = Make();
  ASSERT_TRUE(db.Execute("CREATE TABLE t(i, r, s, b, n)").ok());
  Statement insert = std::move(db.Prepare("INSERT INTO t VALUES(?,?,?,?,?)")).value();
  const std::string blob("a\0b", 3);
  ASSERT_TRUE(insert.Bind(1, std::int64_t{-7})
                  .Bind(2, 2.5)
                  .Bind(3, std::string_view("text"))
                  .BindBlob(4, blob)
                  .BindNull(5)
                  .Run()
                  .ok());
  EXPECT_EQ(db.last_insert_id(), 1);
  Statement select = std::move(db.Prepare("SELECT * FROM t")).value();
  ASSERT_TRUE(select.Step().value());
  EXPECT_EQ(select.Int(0), -7);
  EXPECT_EQ(select.Real(1), 2.5);
  EXPECT_EQ(select.Text(2), "text");
  EXPECT_EQ(select.Blob(3), blob);
  EXPECT_TRUE(select.IsNull(4));
  EXPECT_EQ(select.Text(4), "");
  EXPECT_FALSE(select.Step().value());
}

TEST_F(DatabaseTest, EmptyTextIsTextOrNullAsAsked) {
  Database db = Make();
  ASSERT_TRUE(db.Execute("CREATE TABLE t(a, b, c)").ok());
  Statement insert = std::move(db.Prepare("INSERT INTO t VALUES(?,?,?)")).value();
  ASSERT_TRUE(
      insert.Bind(1, std::string_view()).BindTextOrNull(2, "").BindIdOrNull(3, 0).Run().ok());
  EXPECT_EQ(db.QueryInt("SELECT a IS NOT NULL AND b IS NULL AND c IS NULL FROM t").value(), 1);
}

TEST_F(DatabaseTest, ErrorsNameTheFileAndHaveACode) {
  const auto missing = Database::Open(path_, Database::Mode::kReadOnly);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  EXPECT_NE(missing.status().message().find(path_), std::string::npos);

  Database db = Make();
  const Status bad_sql = db.Execute("SELEKT 1");
  EXPECT_EQ(bad_sql.code(), StatusCode::kInternal);
  EXPECT_NE(bad_sql.message().find("SELEKT"), std::string::npos);

  std::ofstream(path_ + "2") << std::string(5000, 'x');
  auto rubbish = Database::Open(path_ + "2", Database::Mode::kReadOnly);
  const Status status =
      rubbish.ok() ? rubbish->Execute("SELECT * FROM sqlite_schema") : rubbish.status();
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
}

TEST_F(DatabaseTest, AReaderSeesWhatIsCommitted) {
  Database writer = Make();
  ASSERT_TRUE(writer.Execute("PRAGMA journal_mode = WAL; CREATE TABLE t(a)").ok());
  Database reader = std::move(Database::Open(path_, Database::Mode::kReadOnly)).value();
  ASSERT_TRUE(writer.Execute("BEGIN; INSERT INTO t VALUES(1)").ok());
  EXPECT_EQ(reader.QueryInt("SELECT count(*) FROM t").value(), 0);
  ASSERT_TRUE(writer.Execute("COMMIT").ok());
  EXPECT_EQ(reader.QueryInt("SELECT count(*) FROM t").value(), 1);
  EXPECT_FALSE(reader.Execute("INSERT INTO t VALUES(2)").ok());
}

TEST_F(DatabaseTest, MigrationsRunOnceAndInOrder) {
  Database db = Make();
  const char* const first[] = {"CREATE TABLE a(x)"};
  const char* const both[] = {"CREATE TABLE a(x)", "INSERT INTO a VALUES(1)"};
  ASSERT_TRUE(Migrate(db, first).ok());
  ASSERT_TRUE(Migrate(db, both).ok());
  ASSERT_TRUE(Migrate(db, both).ok());
  EXPECT_EQ(db.QueryInt("SELECT count(*) FROM a").value(), 1);
  // An older program must not touch what a newer one has written.
  EXPECT_EQ(Migrate(db, first).code(), StatusCode::kUnsupported);
}

TEST_F(DatabaseTest, AFailedMigrationLeavesNothing) {
  Database db = Make();
  const char* const steps[] = {"CREATE TABLE a(x)", "nonsense"};
  EXPECT_FALSE(Migrate(db, steps).ok());
  EXPECT_EQ(db.QueryInt("SELECT count(*) FROM sqlite_schema").value(), 0);
  EXPECT_EQ(db.QueryInt("PRAGMA user_version").value(), 0);
}

// A file that cannot be created is no missing file: that would be the caller's mistake.
TEST(Database, CannotBeCreatedInAFolderThatIsNotThere) {
  EXPECT_EQ(Database::Open("/nowhere/at/all.db", Database::Mode::kCreate).status().code(),
            StatusCode::kIoError);
  EXPECT_EQ(Database::Open("/nowhere/at/all.db", Database::Mode::kReadOnly).status().code(),
            StatusCode::kNotFound);
}

}  // namespace
}  // namespace crawler

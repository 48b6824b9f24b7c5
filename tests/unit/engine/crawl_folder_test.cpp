#include "engine/crawl_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "db/database.hpp"

namespace crawler {
namespace {

class CrawlFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = std::filesystem::temp_directory_path() /
            ("crawl_folder_test-" + std::to_string(getpid()) + "-" +
             testing::UnitTest::GetInstance()->current_test_info()->name());
    path_ = (base_ / "deep" / "crawl").string();
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  std::filesystem::path base_;
  std::string path_;
};

TEST_F(CrawlFolderTest, IsMadeAndHeldByOne) {
  auto folder = CrawlFolder::Create(path_);
  ASSERT_TRUE(folder.ok()) << folder.status().message();
  EXPECT_EQ(CrawlFolder::Holder(path_), getpid());
  EXPECT_EQ(CrawlFolder::Create(path_).status().code(), StatusCode::kBusy);
  *folder = nullptr;
  EXPECT_EQ(CrawlFolder::Holder(path_), 0);
  EXPECT_TRUE(CrawlFolder::Create(path_).ok());
}

// Holder() shares the lock for a moment; a crawl that begins just then is not turned away.
TEST_F(CrawlFolderTest, AskingWhoHoldsItKeepsNobodyOut) {
  ASSERT_TRUE(CrawlFolder::Create(path_).ok());
  const int lock = open((path_ + "/lock").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(flock(lock, LOCK_SH), 0);
  std::thread asking([lock] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    close(lock);
  });
  EXPECT_TRUE(CrawlFolder::Create(path_).ok());
  asking.join();
}

TEST_F(CrawlFolderTest, OnlyACrawlCanBeOpened) {
  ASSERT_TRUE(CrawlFolder::Create(path_).ok());
  EXPECT_EQ(CrawlFolder::Open(path_).status().code(), StatusCode::kNotFound);
  std::ofstream(CrawlFolder::CataloguePath(path_)) << "no database, but long enough to be one ....";
  EXPECT_EQ(CrawlFolder::Open(path_).status().code(), StatusCode::kCorruption);
  std::ofstream(CrawlFolder::CataloguePath(path_), std::ios::trunc);  // Killed when it was made.
  EXPECT_TRUE(CrawlFolder::Open(path_).ok());
}

std::string Content(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(CrawlFolderTest, FilesOfOthersAreLeftAlone) {
  const std::filesystem::path folder = path_;
  const auto expect_refused = [&](std::string_view said) {
    for (const Status& status :
         {CrawlFolder::Create(path_).status(), CrawlFolder::Open(path_).status()}) {
      if (status.code() == StatusCode::kNotFound) continue;  // No crawl.db.
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_NE(status.message().find(said), std::string::npos) << status.message();
    }
    EXPECT_FALSE(CrawlFolder::Create(path_).ok());
  };
  const auto begin_again = [&] {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  };
  begin_again();
  std::ofstream(folder / "thesis.txt") << "years of work";
  expect_refused("thesis.txt");
  EXPECT_FALSE(std::filesystem::exists(folder / "lock"));
  EXPECT_FALSE(std::filesystem::exists(folder / "warc"));

  for (const char* foreign : {"PATH=/bin", "12 monkeys\n", "-1\n", "12"}) {
    begin_again();
    std::ofstream(folder / "lock") << foreign;
    expect_refused("lock is not the lock of a crawl");
    EXPECT_EQ(Content(folder / "lock"), foreign);
  }

  begin_again();
  std::filesystem::create_directories(folder / "warc");
  std::ofstream(folder / "warc" / "a.warc.gz") << "x";
  expect_refused("WARC files");
  EXPECT_FALSE(std::filesystem::exists(folder / "lock"));
}

TEST_F(CrawlFolderTest, NoLinkIsFollowed) {
  const std::filesystem::path folder = path_;
  const std::filesystem::path target = base_ / "target";
  for (const char* name : {"lock", "crawl.db", "crawl.db-wal", "crawl.db-journal", "warc"}) {
    std::filesystem::remove_all(base_);
    std::filesystem::create_directories(folder);
    std::ofstream(target) << "12\n";
    std::filesystem::create_symlink(target, folder / name);
    const Status status = CrawlFolder::Create(path_).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("symbolic link"), std::string::npos) << status.message();
    EXPECT_EQ(Content(target), "12\n");
    std::filesystem::remove(target);  // A link that leads nowhere creates nothing there.
    EXPECT_FALSE(CrawlFolder::Create(path_).ok());
    EXPECT_FALSE(std::filesystem::exists(target));
    EXPECT_EQ(CrawlFolder::Holder(path_), 0);
  }
}

TEST_F(CrawlFolderTest, ADatabaseOfAnotherProgramIsNotChanged) {
  std::filesystem::create_directories(path_);
  const std::string path = CrawlFolder::CataloguePath(path_);
  {
    Result<Database> db = Database::Open(path, Database::Mode::kCreate);
    ASSERT_TRUE(db.ok());
    ASSERT_TRUE(db->Execute("CREATE TABLE letters(text)").ok());
  }
  const std::string before = Content(path);
  EXPECT_EQ(CrawlFolder::Create(path_).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CrawlFolder::Open(path_).status().code(), StatusCode::kNotFound) << "no crawl to go on";
  EXPECT_EQ(Content(path), before);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/lock"));
}

TEST_F(CrawlFolderTest, AFifoIsNoReasonToWait) {
  std::filesystem::create_directories(path_);
  ASSERT_EQ(mkfifo((path_ + "/lock").c_str(), 0600), 0);
  EXPECT_EQ(CrawlFolder::Holder(path_), 0);
  EXPECT_EQ(CrawlFolder::Create(path_).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(CrawlFolderTest, CanBeKeptPrivate) {
  auto folder = CrawlFolder::Create(path_);
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE((*folder)->MakePrivate().ok());
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(CrawlFolderTest, WhatCannotBeMadeIsSaid) {
  std::filesystem::create_directories(base_);
  std::ofstream(base_ / "file") << "x";
  EXPECT_EQ(CrawlFolder::Create((base_ / "file").string()).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CrawlFolder::Create("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CrawlFolder::Holder((base_ / "nowhere").string()), 0);
}

}  // namespace
}  // namespace crawler

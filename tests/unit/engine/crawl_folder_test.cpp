#include "engine/crawl_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

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
  EXPECT_EQ(CrawlFolder::Create(path_).status().code(), StatusCode::kCancelled);
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
  std::ofstream(CrawlFolder::CataloguePath(path_)) << "x";
  EXPECT_TRUE(CrawlFolder::Open(path_).ok());
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

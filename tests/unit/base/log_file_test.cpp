#include "base/log_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace crawler {
namespace {

class LogFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "log_file_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::vector<std::string> Lines(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  std::filesystem::path folder_;
};

TEST_F(LogFileTest, AppendsToWhatIsThere) {
  const std::filesystem::path path = folder_ / "log";
  std::ofstream(path) << "old\n";
  {
    const auto file = LogFile::Open(path);
    ASSERT_TRUE(file.ok());
    (*file)->Write("first");
    (*file)->Write("");
  }
  const auto again = LogFile::Open(path);
  ASSERT_TRUE(again.ok());
  (*again)->Write("second");
  EXPECT_THAT(Lines(path), testing::ElementsAre("old", "first", "", "second"));
  EXPECT_EQ((*again)->lost_lines(), 0u);
}

TEST_F(LogFileTest, UnwritablePathIsAnErrorWithItsReason) {
  for (const std::filesystem::path& path : {folder_ / "missing" / "log", folder_}) {
    const auto file = LogFile::Open(path);
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.status().code(), StatusCode::kIoError);
    EXPECT_THAT(file.status().message(), testing::HasSubstr(path.string() + ": "));
  }
}

// "Each line is one write, so lines of several threads … do not mix", and none is lost while the
// file is rotated under them.
TEST_F(LogFileTest, LinesOfManyThreadsStayWholeThroughReopening) {
  constexpr int kThreads = 4, kLines = 2000, kRotations = 20;
  const std::filesystem::path path = folder_ / "log";
  const auto file = LogFile::Open(path);
  ASSERT_TRUE(file.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string line(static_cast<std::size_t>(100 + t), static_cast<char>('a' + t));
      for (int i = 0; i < kLines; ++i) (*file)->Write(line);
    });
  }
  for (int i = 0; i < kRotations; ++i) {
    std::filesystem::rename(path, folder_ / ("log." + std::to_string(i)));
    EXPECT_TRUE((*file)->Reopen().ok());
  }
  for (std::thread& thread : threads) thread.join();

  std::map<std::string, int> counts;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    for (const std::string& line : Lines(entry.path())) ++counts[line];
  }
  ASSERT_EQ(counts.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [line, count] : counts) {
    EXPECT_EQ(count, kLines) << line;
    EXPECT_EQ(line.size(), static_cast<std::size_t>(100 + line[0] - 'a'));
  }
  EXPECT_EQ((*file)->lost_lines(), 0u);
}

TEST_F(LogFileTest, FailedReopenKeepsTheOldFile) {
  const std::filesystem::path path = folder_ / "log";
  const auto file = LogFile::Open(path);
  ASSERT_TRUE(file.ok());
  std::filesystem::rename(path, folder_ / "renamed");
  std::filesystem::create_directory(path);
  EXPECT_EQ((*file)->Reopen().code(), StatusCode::kIoError);
  (*file)->Write("still here");
  EXPECT_THAT(Lines(folder_ / "renamed"), testing::ElementsAre("still here"));
}

TEST_F(LogFileTest, LinesThatDoNotFitAreCounted) {
  const auto full = LogFile::Open("/dev/full");
  ASSERT_TRUE(full.ok());
  (*full)->Write("lost");
  (*full)->Write("lost too");
  EXPECT_EQ((*full)->lost_lines(), 2u);
}

}  // namespace
}  // namespace crawler

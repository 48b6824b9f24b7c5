// DESIGN, state and durability: with full durability the machine's crash costs nothing committed. A
// commit that has not been synced is what a crash costs, so syncs are counted.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "engine/web_crawl.hpp"

namespace {

std::atomic<int> wal_syncs{0};

void CountSync(int fd) {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
  if (path.string().ends_with("crawl.db-wal")) ++wal_syncs;
}

}  // namespace

// Those of the program come before those of the C library, for SQLite too.
extern "C" int fsync(int fd) {
  CountSync(fd);
  return static_cast<int>(syscall(SYS_fsync, fd));
}
extern "C" int fdatasync(int fd) {
  CountSync(fd);
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace crawler {
namespace {

class DurabilityTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (std::filesystem::temp_directory_path() / "durability-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    base_ = path;
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  CrawlOptions Options(bool full) const {
    CrawlOptions options;
    options.seeds = {"http://127.0.0.1/"};  // Which nobody may connect to.
    options.folder = base_ / (full ? "full" : "normal");
    options.full_durability = full;
    return options;
  }

  static int SyncsOfRun(const CrawlOptions& options) {
    const int before = wal_syncs.load();
    EXPECT_EQ(WebCrawl(options, {}).Run().outcome, CrawlResult::Outcome::kIncomplete);
    return wal_syncs.load() - before;
  }

  static int SyncsOfResume(const CrawlOptions& options) {
    const int before = wal_syncs.load();
    CrawlOptions folder_only;
    folder_only.folder = options.folder;
    EXPECT_EQ(WebCrawl(folder_only, {}).Resume({}).outcome, CrawlResult::Outcome::kIncomplete);
    return wal_syncs.load() - before;
  }

  std::filesystem::path base_;
};

TEST_F(DurabilityTest, FullSyncsEveryCommitAlsoOfAResume) {
  EXPECT_GT(SyncsOfRun(Options(true)), SyncsOfRun(Options(false)));
  EXPECT_GT(SyncsOfResume(Options(true)), SyncsOfResume(Options(false)));
}

}  // namespace
}  // namespace crawler

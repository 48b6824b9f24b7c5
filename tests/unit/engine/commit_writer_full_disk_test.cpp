#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "engine/commit_writer.hpp"
#include "unit/engine/commit_writer_testing.hpp"

namespace crawler {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Limits the size of files while it lives. Writing beyond fails, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*const handler_)(int);
};

class CommitWriterFullDiskTest : public CommitWriterFailureFixture {
 protected:
  ~CommitWriterFullDiskTest() override {
    if (!mounted_) return;
    writer_ = nullptr;
    catalogue_ = nullptr;
    warc_ = nullptr;
    umount2(folder_.c_str(), MNT_DETACH);
  }
  /// Makes the folder a disk of 4 MB; false if that is not allowed.
  bool MountSmallDisk() {
    mounted_ = geteuid() == 0 && mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=4m") == 0;
    return mounted_;
  }
  /// Opens the WARC at the committed position, and expects nothing behind it.
  void ExpectWarcReopens() {
    std::uint64_t committed = 0;
    {
      Result<Database> db = Database::Open(path(), Database::Mode::kReadOnly);
      ASSERT_TRUE(db.ok()) << db.status().message();
      const Result<std::string> state = ReadState(*db, "warc");
      ASSERT_TRUE(state.ok() && state->starts_with("1 "));
      committed = std::stoull(state->substr(2));
    }
    const Result<std::unique_ptr<WarcWriter>> warc = WarcWriter::Open(folder_, {}, {1, committed});
    EXPECT_TRUE(warc.ok()) << warc.status().message();
    EXPECT_EQ(std::filesystem::file_size(folder_ + "/crawl-00001.warc.gz"), committed);
    EXPECT_GT(committed, 1'000U);
  }
  void StartAndCommitCapture() {
    StartWithWarc();
    CommitBatch batch = CaptureBatch(1, 1'000);
    batch.visits = PageBatch(1).visits;
    batch.lease = 10;
    Push(std::move(batch));
    Commit();
    ASSERT_FALSE(writer_->failed());
  }

 private:
  bool mounted_ = false;
};

TEST_F(CommitWriterFullDiskTest, TheCatalogueDoesNotFit) {
  if (!MountSmallDisk()) GTEST_SKIP() << "needs root and mount";
  Start();
  CommitFirst();
  CommitBatch batch = PageBatch(2);
  batch.page->links.assign(5 << 20, ' ');
  Push(std::move(batch));
  Commit();
  ExpectOnlyFirst(StatusCode::kResourceExhausted, AllOf(HasSubstr(path()), HasSubstr("full")));
  ExpectReopens();
}

TEST_F(CommitWriterFullDiskTest, TheCatalogueCannotGrow) {
  Start();
  CommitFirst();
  CommitBatch batch = PageBatch(2);
  batch.page->links.assign(5 << 20, ' ');
  Push(std::move(batch));
  {
    const FileSizeLimit full(4 << 20);
    Commit();
  }
  ExpectOnlyFirst(StatusCode::kIoError, HasSubstr(path()));
  ExpectReopens();
}

TEST_F(CommitWriterFullDiskTest, TheWarcDoesNotFit) {
  if (!MountSmallDisk()) GTEST_SKIP() << "needs root and mount";
  StartAndCommitCapture();
  Push(CaptureBatch(2, 5 << 20));
  Commit();
  ExpectOnlyFirst(StatusCode::kResourceExhausted, HasSubstr(folder_ + "/crawl-00001.warc.gz"));
  ExpectWarcReopens();
  ExpectReopens();
}

TEST_F(CommitWriterFullDiskTest, AppendingToTheWarcFails) {
  StartAndCommitCapture();
  Push(CaptureBatch(2, 2 << 20));  // Does not fit into the buffer of the WARC.
  {
    const FileSizeLimit full(100'000);
    writer_->WriteDue();
  }
  ExpectOnlyFirst(StatusCode::kResourceExhausted, HasSubstr(folder_ + "/crawl-00001.warc.gz"));
  ExpectWarcReopens();
  ExpectReopens();
}

TEST_F(CommitWriterFullDiskTest, FlushingTheWarcFails) {
  StartAndCommitCapture();
  Push(CaptureBatch(2, 200'000));
  writer_->WriteDue();
  EXPECT_FALSE(writer_->failed());
  {
    const FileSizeLimit full(100'000);
    Commit();
  }
  ExpectOnlyFirst(StatusCode::kResourceExhausted, HasSubstr(folder_ + "/crawl-00001.warc.gz"));
  ExpectWarcReopens();
  ExpectReopens();
}

TEST_F(CommitWriterFullDiskTest, TheIndexOfTheWarcCannotBeWritten) {
  StartAndCommitCapture();
  Push(CaptureBatch(2, 1'000));
  std::filesystem::create_directories(folder_ + "/crawl-00001.cdxj/not empty");
  const Status status = CloseAll();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("crawl-00001.cdxj"));
  EXPECT_TRUE(writer_->failed());
  EXPECT_EQ(failures_.load(), 1);
  // It can be made again from the WARC, which is complete.
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1", "event 2"));
}

}  // namespace
}  // namespace crawler

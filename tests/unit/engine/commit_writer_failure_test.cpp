#include <chrono>
#include <semaphore>
#include <thread>

#include "engine/commit_writer.hpp"
#include "unit/engine/commit_writer_testing.hpp"

namespace crawler {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class CommitWriterFailureTest : public CommitWriterFailureFixture {};

TEST_F(CommitWriterFailureTest, CloseReportsAPlaceThatWasNeverPushed) {
  for (const bool own_thread : {false, true}) {
    own_thread ? StartWithThread() : Start();
    Push(LeaseBatch(1));
    writer_->Reserve();
    Push(LeaseBatch(3));
    const Status status = CloseAll();
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_THAT(status.message(), HasSubstr("reserved"));
    EXPECT_THAT(commits_, ElementsAre(Pair(ElementsAre(10), 0)));
    EXPECT_THAT(CommittedEvents(), ElementsAre("event 1"));
    commits_.clear();
    Execute("DELETE FROM events");
  }
}

TEST_F(CommitWriterFailureTest, ACheckThatFailsEndsTheWriterAfterACommit) {
  bool has_room = true;
  hooks_.check = [&] {
    return has_room ? Status::Ok() : Status(StatusCode::kOutOfMemory, "no room");
  };
  Start();
  CommitFirst();
  has_room = false;
  clock_.Advance(100ms);
  Push(EventBatch(2));
  writer_->WriteDue();
  EXPECT_TRUE(writer_->failed());
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1", "event 2")) << "long before it is due";
  Push(EventBatch(3));
  EXPECT_EQ(CloseAll().message(), "no room");
  EXPECT_THAT(CommittedEvents(), SizeIs(2));
}

TEST_F(CommitWriterFailureTest, CloseReportsALastPlaceThatWasNeverPushed) {
  for (const bool own_thread : {false, true}) {
    own_thread ? StartWithThread() : Start();
    Push(EventBatch(1));
    writer_->Reserve();
    EXPECT_EQ(CloseAll().code(), StatusCode::kInternal);
    EXPECT_THAT(CommittedEvents(), ElementsAre("event 1"));
    Execute("DELETE FROM events");
  }
}

TEST_F(CommitWriterFailureTest, AnEarlierErrorIsReportedInsteadOfAMissingPlace) {
  for (const bool own_thread : {false, true}) {
    own_thread ? StartWithThread() : Start();
    writer_->Reserve();
    Push(EventBatch(2));
    writer_->Fail(Status(StatusCode::kCorruption, "first error"));
    writer_->Fail(Status(StatusCode::kIoError, "second error"));
    const Status status = CloseAll();
    EXPECT_EQ(status.code(), StatusCode::kCorruption);
    EXPECT_EQ(status.message(), "first error");
  }
}

TEST_F(CommitWriterFailureTest, AStatementThatFailsEndsTheTransaction) {
  Start();
  CommitFirst();
  Push(PageBatch(2));
  Execute("DROP TABLE dead_letters");
  CommitBatch batch = PageBatch(3);
  batch.lease = 30;
  batch.dead_letters.push_back({3, 0, "failed", "[]"});
  Push(std::move(batch));
  Push(PageBatch(4));
  Commit();
  ExpectOnlyFirst(StatusCode::kInternal, AllOf(HasSubstr(path()), HasSubstr("dead_letters")));
}

TEST_F(CommitWriterFailureTest, RowsOfAnOpenTransactionAreRolledBack) {
  Start();
  CommitFirst();
  Execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON events WHEN NEW.kind = 'event 3' "
      "BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END");
  Push(PageBatch(2));
  writer_->WriteDue();
  EXPECT_FALSE(writer_->failed());
  Push(PageBatch(3));
  writer_->WriteDue();
  EXPECT_TRUE(writer_->failed());
  EXPECT_EQ(failures_.load(), 1);
  ExpectOnlyFirst(StatusCode::kIoError, HasSubstr("refused by a trigger"));
  Execute("DROP TRIGGER refuse");
  ExpectReopens();
}

TEST_F(CommitWriterFailureTest, ACommitThatFailsIsNotReportedAsCommitted) {
  Prepare("PRAGMA foreign_keys = ON");
  // A violation of this constraint is found by COMMIT.
  Execute(
      "CREATE TABLE child(parent REFERENCES hosts(id) DEFERRABLE INITIALLY DEFERRED);"
      "CREATE TRIGGER orphan AFTER INSERT ON events WHEN NEW.kind = 'event 2' "
      "BEGIN INSERT INTO child VALUES(99); END");
  Start();
  CommitFirst();
  Push(PageBatch(2));
  writer_->WriteDue();
  EXPECT_FALSE(writer_->failed());
  Commit();
  ExpectOnlyFirst(StatusCode::kIoError, AllOf(HasSubstr(path()), HasSubstr("FOREIGN KEY")));
}

TEST_F(CommitWriterFailureTest, ALockedCatalogueIsAnError) {
  Prepare("PRAGMA busy_timeout = 10");
  Start();
  CommitFirst();
  {
    Result<Database> other = Database::Open(path(), Database::Mode::kCreate);
    ASSERT_TRUE(other.ok());
    Expect(other->Execute("BEGIN IMMEDIATE"));
    Push(PageBatch(2));
    writer_->WriteDue();
    EXPECT_TRUE(writer_->failed());
  }
  // The error is final: the batches behind it are not written after the lock is gone.
  Push(PageBatch(3));
  Commit();
  ExpectOnlyFirst(StatusCode::kBusy, AllOf(HasSubstr(path()), HasSubstr("locked")));
  ExpectReopens();
}

TEST_F(CommitWriterFailureTest, AReadOnlyCatalogueIsAnError) {
  Prepare("PRAGMA query_only = ON");
  Start();
  Push(EventBatch(1));
  Commit();
  EXPECT_TRUE(writer_->failed());
  EXPECT_THAT(commits_, IsEmpty());
  EXPECT_THAT(CloseAll().message(), AllOf(HasSubstr(path()), HasSubstr("readonly")));
  EXPECT_THAT(CommittedEvents(), IsEmpty());
}

TEST_F(CommitWriterFailureTest, ACatalogueAtItsMaximumSizeIsAnError) {
  Prepare("PRAGMA max_page_count = 1");  // SQLite sets it to the current size.
  Start();
  CommitFirst();
  CommitBatch batch = PageBatch(2);
  batch.page->links.assign(1 << 20, ' ');
  Push(std::move(batch));
  Commit();
  ExpectOnlyFirst(StatusCode::kResourceExhausted, AllOf(HasSubstr(path()), HasSubstr("full")));
  ExpectReopens();
}

TEST_F(CommitWriterFailureTest, AStateThatCannotBeWrittenEndsTheTransaction) {
  hooks_.state = [](const CrawlTotals& totals) {
    return std::vector<std::pair<std::string, std::string>>{
        {"pages", std::to_string(totals.pages)}};
  };
  Start();
  Execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON crawl_state WHEN NEW.value = '2' "
      "BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END");
  CommitFirst();
  Push(PageBatch(2));
  Commit();
  ExpectOnlyFirst(StatusCode::kIoError, HasSubstr("refused by a trigger"));
}

TEST_F(CommitWriterFailureTest, CloseReportsItsCommitThatFails) {
  StartWithWarc();
  // The first commit has no capture.
  Execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON crawl_state "
      "WHEN NEW.key = 'warc' AND NEW.value <> '0 0' "
      "BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END");
  CommitFirst();
  Push(CaptureBatch(2, 100));
  writer_->WriteDue();
  EXPECT_FALSE(writer_->failed());
  EXPECT_THAT(Close().message(), HasSubstr("refused by a trigger"));
  ExpectOnlyFirst(StatusCode::kIoError, HasSubstr("refused by a trigger"));
}

TEST_F(CommitWriterFailureTest, AnOpenTransactionIsNotCommittedAfterAFailureOfAnotherThread) {
  Start();
  CommitFirst();
  Push(PageBatch(2));
  writer_->WriteDue();
  std::thread([&] { writer_->Fail(Status(StatusCode::kCorruption, "cannot read")); }).join();
  Commit();
  ExpectOnlyFirst(StatusCode::kCorruption, HasSubstr("cannot read"));
}

TEST_F(CommitWriterFailureTest, TheThreadEndsWithItsFirstError) {
  std::binary_semaphore failed{0};
  hooks_.failed = [&] {
    ++failures_;
    failed.release();
  };
  StartWithThread();
  Execute("DROP TABLE dead_letters");
  Push(LeaseBatch(1));
  CommitBatch batch = LeaseBatch(2);
  batch.dead_letters.push_back({3, 0, "failed", "[]"});
  Push(std::move(batch));
  ASSERT_TRUE(failed.try_acquire_for(5s));
  EXPECT_TRUE(writer_->failed());
  EXPECT_EQ(failures_.load(), 1);
  Push(LeaseBatch(3));
  const Status status = CloseAll();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.message(), AllOf(HasSubstr(path()), HasSubstr("dead_letters")));
  EXPECT_THAT(commits_, IsEmpty());
  EXPECT_THAT(CommittedEvents(), IsEmpty());
}

// A thread that cannot read the catalogue reports that and pushes its batch, which lacks something.
TEST_F(CommitWriterFailureTest, NothingIsWrittenAfterAFailureOfAnotherThread) {
  for (const bool own_thread : {false, true}) {
    own_thread ? StartWithThread() : Start();
    const std::uint64_t first = writer_->Reserve(), second = writer_->Reserve();
    writer_->Push(LeaseBatch(second));
    std::thread([&] {
      writer_->Fail(Status(StatusCode::kCorruption, "cannot read"));
      writer_->Push(LeaseBatch(first));
    }).join();
    EXPECT_TRUE(writer_->failed());
    EXPECT_EQ(failures_.exchange(0), 1);
    if (!own_thread) Commit();
    EXPECT_EQ(CloseAll().message(), "cannot read");
    EXPECT_THAT(commits_, IsEmpty());
    EXPECT_THAT(CommittedEvents(), IsEmpty());
  }
}

TEST_F(CommitWriterFailureTest, BatchesPushedAfterAFailureAreDropped) {
  for (const bool own_thread : {false, true}) {
    own_thread ? StartWithThread() : Start();
    writer_->Fail(Status(StatusCode::kCorruption, "cannot read"));
    for (std::uint64_t place = 1; place <= 100; ++place) Push(CaptureBatch(place, 10'000));
    EXPECT_EQ(writer_->backlog(), 0U);
    EXPECT_EQ(CloseAll().message(), "cannot read");
    EXPECT_THAT(CommittedEvents(), IsEmpty());
  }
}

}  // namespace
}  // namespace crawler

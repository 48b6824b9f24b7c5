#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "engine/commit_writer.hpp"

namespace crawler {

/// A batch with one event, named after its place.
inline CommitBatch EventBatch(std::uint64_t place) {
  CommitBatch batch;
  batch.place = place;
  batch.events.push_back({0, "event " + std::to_string(place), ""});
  return batch;
}

/// EventBatch() that settles the lease `place * 10` and holds the results of offer `offer`.
inline CommitBatch LeaseBatch(std::uint64_t place, std::uint64_t offer = 0) {
  CommitBatch batch = EventBatch(place);
  batch.lease = place * 10;
  batch.offer = offer;
  return batch;
}

/// EventBatch() with `bytes` bytes that cannot be compressed, for the WARC.
inline CommitBatch CaptureBatch(std::uint64_t place, std::size_t bytes) {
  CommitBatch batch = EventBatch(place);
  std::uint64_t random = place;
  while (batch.capture.bytes.size() < bytes) {
    random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    batch.capture.bytes.push_back(static_cast<char>(random >> 56));
  }
  batch.capture.members.push_back({WarcType::kResponse, 0, bytes});
  batch.capture.index = {"http://e.com/" + std::to_string(place), "20260131235959", "text/html",
                         200};
  return batch;
}

/// EventBatch() with a page.
inline CommitBatch PageBatch(std::uint64_t place) {
  CommitBatch batch = EventBatch(place);
  VisitRow& visit = batch.visits.emplace_back();
  visit.url = static_cast<UrlId>(place);
  visit.outcome = VisitOutcome::kPage;
  batch.page.emplace();
  batch.page->url_id = visit.url;
  return batch;
}

/// A folder with a catalogue, and a CommitWriter without a thread of its own on a clock that stands
/// still. The calls of its hooks are kept.
class CommitWriterFixture : public testing::Test {
 protected:
  CommitWriterFixture() {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    hooks_.committed = [this](const std::vector<LeaseToken>& leases, std::uint64_t last_offer) {
      commits_.emplace_back(leases, last_offer);
      rows_at_commit_.push_back(CommittedEvents().size());
    };
    hooks_.failed = [this] { ++failures_; };
  }
  ~CommitWriterFixture() override {
    writer_ = nullptr;
    catalogue_ = nullptr;
    warc_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  std::string path() const { return folder_ + "/crawl.db"; }

  /// Runs `sql` before Start(), on the connection of the writer.
  void Prepare(const std::string& sql) {
    OpenCatalogue();
    Expect(catalogue_->database().Execute(sql));
  }
  void StartWithWarc() {
    WarcWriter::Options options;
    options.index = true;
    Result<std::unique_ptr<WarcWriter>> warc = WarcWriter::Open(folder_, options, {}, clock_);
    ASSERT_TRUE(warc.ok()) << warc.status().message();
    Start(std::move(warc).value());
  }
  void Start(std::unique_ptr<WarcWriter> warc = nullptr) {
    OpenCatalogue();
    writer_ = std::make_unique<CommitWriter>(std::move(catalogue_), nullptr, std::move(warc),
                                             hooks_, false, clock_, false);
  }
  void StartWithThread() {
    OpenCatalogue();
    writer_ =
        std::make_unique<CommitWriter>(std::move(catalogue_), nullptr, nullptr, hooks_, false);
  }

  /// Reserves the place of `batch`, which must be the next one, and pushes it.
  void Push(CommitBatch batch) {
    ASSERT_EQ(writer_->Reserve(), batch.place);
    writer_->Push(std::move(batch));
  }
  /// Writes everything that was pushed, and commits it.
  void Commit() {
    writer_->WriteDue();
    clock_.Advance(std::chrono::milliseconds(900));
    writer_->WriteDue();
  }
  Status Close() { return writer_->Close(&catalogue_, &warc_); }
  /// Closes the catalogue as well: nothing that is not committed is left.
  Status CloseAll() {
    Status status = Close();
    catalogue_ = nullptr;
    warc_ = nullptr;
    return status;
  }

  /// Runs `sql` on another connection.
  void Execute(const std::string& sql) const {
    Result<Database> db = Database::Open(path(), Database::Mode::kCreate);
    ASSERT_TRUE(db.ok()) << db.status().message();
    Expect(db->Execute("PRAGMA synchronous = OFF;" + sql));
  }
  /// The events in the catalogue, in the order in which they were written.
  std::vector<std::string> CommittedEvents() const {
    std::vector<std::string> events;
    Result<Database> db = Database::Open(path(), Database::Mode::kReadOnly);
    EXPECT_TRUE(db.ok()) << db.status().message();
    if (!db.ok()) return events;
    Expect(ForEachRow(*db, "SELECT kind FROM events ORDER BY id",
                      [&](Statement& row) { events.emplace_back(row.Text(0)); }));
    return events;
  }
  /// Opens the closed catalogue for writing again, as a resumed crawl does.
  void ExpectReopens() {
    OpenCatalogue();
    Expect(catalogue_->Begin());
    Expect(catalogue_->PutState("resumed", "1"));
    Expect(catalogue_->Commit());
    const Result<std::string> check = catalogue_->database().QueryText(
        "SELECT integrity_check FROM pragma_integrity_check "
        "WHERE integrity_check <> ?",
        "ok");
    EXPECT_TRUE(check.ok() && check->empty()) << check.status().message();
    catalogue_ = nullptr;
  }

  static void Expect(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }

  std::string folder_ = (std::filesystem::temp_directory_path() / "commit-writer-XXXXXX").string();
  ManualClock clock_;
  CommitWriter::Hooks hooks_;
  std::vector<std::pair<std::vector<LeaseToken>, std::uint64_t>> commits_;
  std::vector<std::size_t> rows_at_commit_;  // That another connection sees in hooks_.committed.
  std::atomic<int> failures_{0};
  std::unique_ptr<CommitWriter> writer_;
  std::unique_ptr<Catalogue> catalogue_;  // Before the writer has it, and after Close().
  std::unique_ptr<WarcWriter> warc_;      // After Close().

 private:
  void OpenCatalogue() {
    if (catalogue_ != nullptr) return;
    Result<std::unique_ptr<Catalogue>> catalogue = Catalogue::Open(path(), Durability::kNormal);
    ASSERT_TRUE(catalogue.ok()) << catalogue.status().message();
    catalogue_ = std::move(catalogue).value();
    Expect(catalogue_->database().Execute("PRAGMA synchronous = OFF"));  // For quick tests.
  }
};

/// For tests in which writing fails after the first commit.
class CommitWriterFailureFixture : public CommitWriterFixture {
 protected:
  /// Commits batch 1, which settles a lease and has a page.
  void CommitFirst() {
    CommitBatch batch = PageBatch(1);
    batch.lease = 10;
    Push(std::move(batch));
    Commit();
    ASSERT_FALSE(writer_->failed());
    ASSERT_THAT(commits_, testing::ElementsAre(testing::Pair(testing::ElementsAre(10), 0)));
  }
  /// Expects that the writer has failed after CommitFirst(), and that only batch 1 is committed.
  /// Closes everything; `message` is expected of the error.
  template <typename Matcher>
  void ExpectOnlyFirst(StatusCode code, const Matcher& message) {
    EXPECT_TRUE(writer_->failed());
    EXPECT_GE(failures_.load(), 1);
    EXPECT_EQ(writer_->committed().pages, 1U);
    EXPECT_THAT(commits_, testing::SizeIs(1));
    const Status status = CloseAll();
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_THAT(status.message(), message);
    EXPECT_THAT(commits_, testing::SizeIs(1));
    EXPECT_EQ(writer_->committed().pages, 1U);
    writer_ = nullptr;
    EXPECT_THAT(CommittedEvents(), testing::ElementsAre("event 1"));
  }
};

}  // namespace crawler

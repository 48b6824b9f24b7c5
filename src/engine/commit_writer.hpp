#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/status.hpp"
#include "index/index_writer.hpp"
#include "store/catalogue.hpp"
#include "store/cdxj.hpp"
#include "store/rows.hpp"
#include "store/warc_record.hpp"
#include "store/warc_writer.hpp"

namespace crawler {

/// All that one step of the crawl changes. It is written in one transaction, or not at all.
struct CommitBatch {
  std::uint64_t ticket = 0;  ///< Of Frontier::OfferAll().
  std::vector<HostRow> hosts;
  std::vector<UrlRow> urls;
  std::vector<RequeueRow> requeued;
  std::vector<VisitRow> visits;
  std::optional<StoredPage> ended;            ///< A page that is gone, or that `page` replaces.
  std::optional<StoredPage> updated;          ///< One that stays, with what is new about it.
  std::optional<PageRow> page;                ///< Of the first visit.
  std::unique_ptr<IndexedDocument> document;  ///< Of the page, if it is to be indexed.
  std::vector<DeadLetterRow> dead_letters;
  std::optional<RobotsRow> robots;
  std::vector<EventRow> events;
  EncodedCapture capture;  ///< Of the first visit, or of robots.txt.
  /// What the index of the WARC says of it; see CdxjEntry.
  struct Indexed {
    std::string url, date, mime;
    int status = 0;
  };
  Indexed indexed;

  /// About how much memory it takes.
  std::size_t Size() const;
};

/// What has been written in this run.
struct CommittedTotals {
  std::uint64_t hosts = 0, urls = 0, pages = 0, redirects = 0, http_errors = 0, failures = 0,
                throttled = 0, refused = 0, unwanted = 0, dead_letters = 0, duplicates = 0,
                pages_new = 0, pages_changed = 0, pages_unchanged = 0, pages_gone = 0;
  std::int64_t waiting = 0;  ///< By how many the URLs that are not over have become more.
};

/// The one thread that writes: changes go to the WARC and the catalogue in the order of their
/// tickets, and are committed every second or thousand pages.
///
/// Push() never waits. Whoever makes changes looks at backlog() before it begins another, and so
/// nothing ever waits while it holds something another needs.
/// Errors: the first one ends all writing; what was committed before stays. See failed().
/// Threads: safe from any thread.
class CommitWriter {
 public:
  struct Hooks {
    /// What changes from commit to commit besides: called before each, by the recorder's thread.
    /// `totals` are those that the commit makes true.
    std::function<std::vector<std::pair<std::string, std::string>>(const CommittedTotals& totals)>
        state;
    /// All changes up to `ticket` are committed.
    std::function<void(std::uint64_t ticket)> committed;
    /// Nobody, or `heir`, is the first URL now with the content of a page that was taken out.
    std::function<void(const StoredPage& page, UrlId heir)> removed;
    /// Something failed; see Fail().
    std::function<void()> failed;
  };

  /// `index` writes to the database of `catalogue`. `warc` and `index` may be null. With `sync` a
  /// commit survives the crash of the machine. Files of the WARC that are begun here get their
  /// index while they are written, in `warc_folder`; it is there when the file is full, or with
  /// Close(). Without `own_thread` the caller does its work; see WriteDue(). Borrows `clock`.
  CommitWriter(std::unique_ptr<Catalogue> catalogue, std::unique_ptr<IndexWriter> index,
               std::unique_ptr<WarcWriter> warc, std::filesystem::path warc_folder, Hooks hooks,
               bool sync, const Clock& clock = Clock::System(), bool own_thread = true);
  ~CommitWriter();

  /// Without a thread of its own: writes the batches that have come, and commits them if it is
  /// time. To be called regularly, by the thread that pushes.
  void WriteDue();

  void Push(CommitBatch change) CRAWLER_EXCLUDES(mutex_);
  /// Bytes that wait to be written.
  std::size_t backlog() const { return backlog_.load(std::memory_order_relaxed); }
  /// The storage has failed, here or for somebody who reads it: the crawl ends, and Close() returns
  /// the first reason.
  void Fail(Status status) CRAWLER_EXCLUDES(mutex_);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// What is committed, whatever happens.
  CommittedTotals committed() const CRAWLER_EXCLUDES(mutex_);

  /// Writes and commits everything, ends the thread, and gives the catalogue and the WARC writer
  /// back; the status says whether all of it worked. Requires: all tickets have been pushed.
  Status Close(std::unique_ptr<Catalogue>* catalogue, std::unique_ptr<WarcWriter>* warc);

 private:
  void Run();
  Status WriteRest();
  bool NextIsHere() const CRAWLER_REQUIRES(mutex_);
  TimePoint NextLook() const;
  Status WriteSome();
  Status Write(CommitBatch& change);
  Status RemovePage(CommitBatch* change);
  Status UpdatePage(const StoredPage& page);
  Status AddToCdxj(const CommitBatch& change, const WarcPosition& position);
  Status FinishCdxj();
  Status Begin();
  Status FlushIndex();
  void SetFlushTime();
  Status Commit();

  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<IndexWriter> index_;
  std::unique_ptr<WarcWriter> warc_;
  const std::filesystem::path warc_folder_;
  const std::uint32_t last_old_file_;  // Of the WARC; those behind it are begun here.
  const Hooks hooks_;
  const bool sync_;
  const Clock& clock_;
  const bool own_thread_;
  std::atomic<std::size_t> backlog_{0};
  std::atomic<bool> failed_{false};

  mutable Mutex mutex_;
  CondVar changed_;
  std::map<std::uint64_t, CommitBatch> waiting_ CRAWLER_GUARDED_BY(mutex_);
  std::uint64_t next_ticket_ CRAWLER_GUARDED_BY(mutex_) = 1;
  bool asleep_ CRAWLER_GUARDED_BY(mutex_) = false;
  bool closing_ CRAWLER_GUARDED_BY(mutex_) = false;
  Status status_ CRAWLER_GUARDED_BY(mutex_);
  CommittedTotals committed_ CRAWLER_GUARDED_BY(mutex_);

  // Of the thread alone.
  bool in_transaction_ = false;
  TimePoint commit_at_;
  const TimePoint started_;
  TimePoint flush_at_;  // What has gathered for the index is written then, to be found.
  std::size_t pages_in_transaction_ = 0;
  CommittedTotals written_;
  std::unique_ptr<CdxjWriter> cdxj_;
  std::uint32_t cdxj_file_ = 0;

  std::thread thread_;
};

}  // namespace crawler

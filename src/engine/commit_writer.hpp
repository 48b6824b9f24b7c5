#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/status.hpp"
#include "engine/commit_batch.hpp"
#include "engine/crawl_totals.hpp"
#include "frontier/frontier.hpp"
#include "index/index_writer.hpp"
#include "store/catalogue.hpp"
#include "store/rows.hpp"
#include "store/warc_record.hpp"
#include "store/warc_writer.hpp"

namespace crawler {

/// The one thread that writes: batches go to the WARC and the catalogue in the order of their
/// places, and are committed every second or thousand pages, or after so many new URLs that their
/// texts take much memory.
///
/// Push() never waits. A thread that makes batches looks at backlog() before it begins another one,
/// so no thread waits while it holds something that another thread needs.
/// Errors: the first one ends all writing; batches that were committed before stay. See failed().
/// Threads: safe from any thread. Lock order: order_mutex_, then the locks of the frontier or
/// mutex_.
class CommitWriter {
 public:
  struct Hooks {
    /// Other state that every commit stores: called before each, by the writer's thread.
    /// `totals` are those that the commit makes true.
    std::function<std::vector<std::pair<std::string, std::string>>(const CrawlTotals& totals)>
        state;
    /// Counts visits by status and host, as soon as they are pushed. Returns how many hosts were
    /// asked for the first time.
    std::function<std::uint64_t(const std::vector<VisitRow>& visits)> tally;
    /// The batches that settle these leases are committed, and all offers up to `last_offer`.
    std::function<void(const std::vector<LeaseToken>& leases, std::uint64_t last_offer)> committed;
    /// Whether the crawl may go on, e.g. because there is memory; asked after each commit and in
    /// between. After an error the open transaction is committed, and the writer fails with it.
    std::function<Status()> check;
    /// A commit was made: the numbers of its batches, and how long it took to write them.
    std::function<void(const CrawlTotals& added, Duration took)> measured;
    /// A page was removed. `heir` is now the first URL with its content; 0: no URL has it.
    std::function<void(const StoredPage& page, UrlId heir)> removed;
    /// The writer has failed; see Fail().
    std::function<void()> failed;
  };

  /// `index` writes to the database of `catalogue`. `warc` and `index` may be null. With `sync` a
  /// commit survives the crash of the machine. Without `own_thread` the caller does its work; see
  /// WriteDue(). Borrows `clock`.
  CommitWriter(std::unique_ptr<Catalogue> catalogue, std::unique_ptr<IndexWriter> index,
               std::unique_ptr<WarcWriter> warc, Hooks hooks, bool sync,
               const Clock& clock = Clock::System(), bool own_thread = true);
  ~CommitWriter();

  /// Without a thread of its own: writes the batches that have come, and commits them if it is
  /// time. To be called regularly, by the thread that pushes.
  void WriteDue();

  /// Calls `offer`, which offers URLs to the frontier, and returns the place of the batch that will
  /// hold its results. Places are given in the order of the offers, so that the catalogue refers to
  /// no URL before it has its row. Every place must be pushed.
  template <typename Offer>
  std::uint64_t Reserve(Offer&& offer) CRAWLER_EXCLUDES(order_mutex_) {
    MutexLock lock(order_mutex_);
    // Taken first: if the offer fails half-way, no batch that may refer to it is written.
    const std::uint64_t place = ++last_place_;
    offer();
    return place;
  }
  /// Offers `offers`, found on the page `from`, to `frontier`, reserves the place of `*batch`, and
  /// moves the rows that are to be stored into it.
  Frontier::OfferResult Offer(Frontier& frontier, const std::vector<Frontier::Offer>& offers,
                              UrlId from, CommitBatch* batch) CRAWLER_EXCLUDES(order_mutex_);
  /// The place of a batch that holds no offer.
  std::uint64_t Reserve() {
    return Reserve([] {});
  }
  /// After a failure the batch is dropped.
  void Push(CommitBatch batch) CRAWLER_EXCLUDES(mutex_);
  /// Bytes that wait to be written.
  std::size_t backlog() const { return backlog_.load(std::memory_order_relaxed); }
  /// The storage has failed, for the writer or for a thread that reads it: the crawl ends, and
  /// Close() returns the first reason.
  void Fail(Status status) CRAWLER_EXCLUDES(mutex_);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// The numbers of all batches that are committed.
  CrawlTotals committed() const CRAWLER_EXCLUDES(mutex_);
  /// The numbers of all batches that were pushed. Duplicates are found when a batch is written.
  CrawlTotals pushed() const CRAWLER_EXCLUDES(mutex_);

  /// Writes and commits everything, ends the thread, and gives the catalogue and the WARC writer
  /// back; the status says whether all of it worked. kInternal if a reserved place was not pushed;
  /// the batches before it are committed. A second call returns the same status and does nothing
  /// else.
  Status Close(std::unique_ptr<Catalogue>* catalogue, std::unique_ptr<WarcWriter>* warc);

 private:
  Status Run();
  Status WriteRest();
  bool NextIsHere() const CRAWLER_REQUIRES(mutex_);
  TimePoint NextLook() const;
  bool CommitIsDue();
  Status WriteSome();
  Status Write(CommitBatch& batch);
  Status RemovePage(CommitBatch* batch);
  Status UpdatePage(const StoredPage& page);
  Status Begin();
  Status FlushIndex();
  void SetFlushTime();
  Status Commit();

  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<IndexWriter> index_;
  std::unique_ptr<WarcWriter> warc_;
  const Hooks hooks_;
  const bool sync_;
  const Clock& clock_;
  const bool own_thread_;
  std::atomic<std::size_t> backlog_{0};
  std::atomic<bool> failed_{false};

  Mutex order_mutex_;
  std::uint64_t last_place_ CRAWLER_GUARDED_BY(order_mutex_) = 0;

  mutable Mutex mutex_;
  CondVar changed_;
  std::map<std::uint64_t, CommitBatch> waiting_ CRAWLER_GUARDED_BY(mutex_);
  std::uint64_t next_place_ CRAWLER_GUARDED_BY(mutex_) = 1;
  bool asleep_ CRAWLER_GUARDED_BY(mutex_) = false;
  bool closing_ CRAWLER_GUARDED_BY(mutex_) = false;
  Status status_ CRAWLER_GUARDED_BY(mutex_);
  CrawlTotals committed_ CRAWLER_GUARDED_BY(mutex_);
  CrawlTotals pushed_ CRAWLER_GUARDED_BY(mutex_);

  // Used by the writing thread alone.
  bool in_transaction_ = false;
  TimePoint commit_at_;
  TimePoint check_at_;  // When hooks_.check is asked.
  const TimePoint started_;
  TimePoint flush_at_;  // When the gathered postings become a segment.
  std::size_t pages_in_transaction_ = 0;
  std::size_t url_bytes_in_transaction_ = 0;
  std::vector<LeaseToken> leases_in_transaction_;
  std::uint64_t last_offer_ = 0;
  CrawlTotals written_;
  CrawlTotals last_written_;  // As of the last commit.
  Duration write_time_{0};    // Since then.

  std::thread thread_;
};

}  // namespace crawler

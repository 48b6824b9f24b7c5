#include "engine/commit_writer.hpp"

#include <algorithm>
#include <chrono>

#include "base/catch_exceptions.hpp"
#include "base/freed_memory.hpp"
#include "base/log.hpp"

namespace crawler {
namespace {

constexpr std::chrono::milliseconds kCommitInterval{900};
constexpr std::chrono::milliseconds kGatherTime{10};
constexpr std::chrono::milliseconds kCheckInterval{100};
constexpr std::chrono::milliseconds kIdleInterval{1'000};
constexpr std::size_t kPagesPerCommit = 1'000;
/// The frontier holds the texts of URLs until they are committed.
constexpr std::size_t kUrlBytesPerCommit = std::size_t{8} << 20;
constexpr std::size_t kLargeBatch = std::size_t{1} << 20;
/// Pages can be searched this long after they were crawled. The interval grows with the duration of
/// the crawl, so that the number of segments does not.
constexpr std::chrono::seconds kFlushInterval{15};
constexpr int kFlushesPerTime = 10;

}  // namespace

CommitWriter::CommitWriter(std::unique_ptr<Catalogue> catalogue, std::unique_ptr<IndexWriter> index,
                           std::unique_ptr<WarcWriter> warc, Hooks hooks, bool sync,
                           const Clock& clock, bool own_thread)
    : catalogue_(std::move(catalogue)),
      index_(std::move(index)),
      warc_(std::move(warc)),
      hooks_(std::move(hooks)),
      sync_(sync),
      clock_(clock),
      own_thread_(own_thread),
      started_(clock.Now()),
      flush_at_(started_ + kFlushInterval) {
  if (!own_thread_) return;
  thread_ = std::thread([this] {
    SetThreadName("writer");
    Status status = CatchExceptions([this] { return Run(); });
    if (!status.ok()) Fail(std::move(status));
  });
}

void CommitWriter::WriteDue() {
  if (failed()) return;
  Status status = CatchExceptions([this] {
    const Status written = WriteSome();
    return written.ok() && in_transaction_ && CommitIsDue() ? Commit() : written;
  });
  if (!status.ok()) Fail(std::move(status));
}

// Commits all batches that have been written.
Status CommitWriter::WriteRest() {
  Status status;
  if (index_ != nullptr) status = FlushIndex();
  if (status.ok() && in_transaction_) status = Commit();
  if (status.ok() && warc_ != nullptr) status = warc_->FinishIndex();
  return status;
}

CommitWriter::~CommitWriter() {
  if (catalogue_ == nullptr) return;  // It has been closed.
  std::unique_ptr<Catalogue> catalogue;
  std::unique_ptr<WarcWriter> warc;
  const Status status = Close(&catalogue, &warc);
  (void)status;  // Callers that want the status call Close().
}

Frontier::OfferResult CommitWriter::Offer(Frontier& frontier,
                                          const std::vector<Frontier::Offer>& offers, UrlId from,
                                          CommitBatch* batch) {
  Frontier::OfferResult result;
  batch->place = Reserve([&] { result = frontier.OfferAll(offers, from); });
  batch->offer = result.number;
  batch->hosts = std::move(result.hosts);
  batch->urls = std::move(result.urls);
  batch->requeued = std::move(result.requeued);
  return result;
}

void CommitWriter::Push(CommitBatch batch) {
  // The thread that reported a failure may push a batch that is not complete because of it.
  if (failed()) return;
  batch.CountRows();
  if (hooks_.tally) batch.counts.hosts_asked += hooks_.tally(batch.visits);
  backlog_.fetch_add(batch.Size(), std::memory_order_relaxed);
  bool wake = false;
  {
    MutexLock lock(mutex_);
    wake = std::exchange(asleep_, false);
    pushed_ += batch.counts;
    waiting_.emplace(batch.place, std::move(batch));
  }
  if (wake) changed_.Signal();
}

Status CommitWriter::Run() {
  Status status;
  while (status.ok()) {
    bool idle = false;
    {
      MutexLock lock(mutex_);
      const TimePoint look = clock_.Now() + kIdleInterval;
      while (!closing_ && !in_transaction_ && !NextIsHere() && !idle) {
        asleep_ = true;
        changed_.WaitUntil(mutex_, look);
        idle = !NextIsHere() && clock_.Now() >= look;
      }
      // Batches gather for a moment: waking the thread for each of them costs more than writing it.
      if (!closing_ && in_transaction_) changed_.WaitUntil(mutex_, NextLook());
      // Close() reports a batch that is missing.
      if (failed() || (closing_ && !NextIsHere())) break;
    }
    // A crawl that only waits commits its state as well: `crawler status` shows why it waits.
    status = idle ? Begin() : WriteSome();
    if (status.ok() && in_transaction_ && (idle || CommitIsDue())) status = Commit();
  }
  if (status.ok() && !failed()) status = WriteRest();
  return status;
}

// Batches with later places may wait for one that is still being made.
bool CommitWriter::NextIsHere() const {
  return !waiting_.empty() && waiting_.begin()->first == next_place_;
}

TimePoint CommitWriter::NextLook() const {
  return std::min(commit_at_, clock_.Now() + kGatherTime);
}

Status CommitWriter::WriteSome() {
  std::vector<CommitBatch> ready;
  {
    MutexLock lock(mutex_);
    while (NextIsHere()) {
      ready.push_back(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
      ++next_place_;
    }
  }
  TimePoint began = clock_.Now();
  bool any_large = false;
  for (CommitBatch& batch : ready) {
    if (Status status = Begin(); !status.ok()) return status;
    const std::size_t size = batch.Size();
    if (Status status = Write(batch); !status.ok()) return status;
    written_ += batch.counts;
    if (batch.lease != 0) leases_in_transaction_.push_back(batch.lease);
    last_offer_ = std::max(last_offer_, batch.offer);
    any_large = any_large || size >= kLargeBatch;
    batch = CommitBatch();
    backlog_.fetch_sub(size, std::memory_order_relaxed);
    // Many links: their texts go to disk before there are more.
    if (url_bytes_in_transaction_ < kUrlBytesPerCommit) continue;
    write_time_ += clock_.Now() - began;
    if (Status status = Commit(); !status.ok()) return status;
    began = clock_.Now();
  }
  if (any_large) ReturnFreedMemory();
  write_time_ += clock_.Now() - began;
  return Status::Ok();
}

// Also when there must not be another commit after this one.
bool CommitWriter::CommitIsDue() {
  const TimePoint now = clock_.Now();
  if (pages_in_transaction_ >= kPagesPerCommit || now >= commit_at_) return true;
  if (!hooks_.check || now < check_at_) return false;
  check_at_ = now + kCheckInterval;
  return !hooks_.check().ok();
}

Status CommitWriter::Begin() {
  if (in_transaction_) return Status::Ok();
  if (Status status = catalogue_->Begin(); !status.ok()) return status;
  in_transaction_ = true;
  commit_at_ = clock_.Now() + kCommitInterval;
  return Status::Ok();
}

// Makes a segment of the gathered postings: they can be searched, and survive a kill.
Status CommitWriter::FlushIndex() {
  if (Status status = Begin(); !status.ok()) return status;
  return index_->Flush();
}

Status CommitWriter::Write(CommitBatch& batch) {
  WarcRef warc;
  if (warc_ != nullptr && !batch.capture.members.empty()) {
    const Result<WarcPosition> position = warc_->Append(batch.capture);
    if (!position.ok()) return position.status();
    warc = {position->file, position->offset, position->length};
  }
  Status status;
  for (const HostRow& row : batch.hosts) {
    if (status = catalogue_->AddHost(row); !status.ok()) return status;
  }
  for (const UrlRow& row : batch.urls) {
    if (status = catalogue_->AddUrl(row); !status.ok()) return status;
    url_bytes_in_transaction_ += row.url.size();
  }
  for (const RequeueRow& row : batch.requeued) {
    if (status = catalogue_->AddRequeue(row); !status.ok()) return status;
  }
  if (batch.ended) status = RemovePage(&batch);
  if (status.ok() && batch.updated) status = UpdatePage(*batch.updated);
  if (!status.ok()) return status;
  bool first = true;
  for (const VisitRow& row : batch.visits) {
    const Result<std::int64_t> visit = catalogue_->AddVisit(row, first ? warc : WarcRef());
    if (!visit.ok()) return visit.status();
    if (first && batch.page) {
      const Result<AddedPage> page = catalogue_->AddPage(*batch.page, *visit, warc);
      if (!page.ok()) return page.status();
      written_.duplicates += page->is_duplicate;
      if (index_ != nullptr && batch.document != nullptr) {
        if (status = index_->Add(page->id, *batch.document); !status.ok()) return status;
      }
      ++pages_in_transaction_;
    }
    first = false;
  }
  for (const DeadLetterRow& row : batch.dead_letters) {
    if (status = catalogue_->AddDeadLetter(row); !status.ok()) return status;
  }
  if (batch.robots) status = catalogue_->PutRobots(*batch.robots);
  for (const EventRow& row : batch.events) {
    if (status.ok()) status = catalogue_->AddEvent(row);
  }
  return status;
}

Status CommitWriter::RemovePage(CommitBatch* batch) {
  const StoredPage& page = *batch->ended;
  const Result<UrlId> heir = catalogue_->RemovePage(page.id, page.url_id);
  if (!heir.ok()) return heir.status();
  if (index_ != nullptr) {
    if (Status status = index_->Remove(page.id); !status.ok()) return status;
  }
  const bool content_stays = batch->page && batch->page->content_hash == page.content_hash;
  // The new page comes after the duplicates of the old one, so the first of them is the original.
  if (content_stays && *heir != 0) batch->page->duplicate_of = *heir;
  if (hooks_.removed && (*heir != 0 || !content_stays)) hooks_.removed(page, *heir);
  return Status::Ok();
}

Status CommitWriter::UpdatePage(const StoredPage& page) {
  Status status = catalogue_->UpdatePage(page);
  const bool leaves = page.noindex && page.indexed;
  if (status.ok() && leaves && index_ != nullptr) status = index_->Remove(page.id);
  return status;
}

void CommitWriter::SetFlushTime() {
  const TimePoint now = clock_.Now();
  flush_at_ = now + std::max<Duration>(kFlushInterval, (now - started_) / kFlushesPerTime);
}

Status CommitWriter::Commit() {
  const TimePoint began = clock_.Now();
  // The WARC first: the catalogue must not point at records that are not there.
  if (warc_ != nullptr) {
    if (Status status = warc_->Flush(sync_); !status.ok()) return status;
    const WarcEnd end = warc_->position();
    const std::string text = std::to_string(end.file) + " " + std::to_string(end.offset);
    if (Status status = catalogue_->PutState("warc", text); !status.ok()) return status;
  }
  if (index_ != nullptr && clock_.Now() >= flush_at_) {
    if (Status status = index_->Flush(); !status.ok()) return status;
    SetFlushTime();
  }
  if (hooks_.state) {
    for (const auto& [key, value] : hooks_.state(written_)) {
      if (Status status = catalogue_->PutState(key, value); !status.ok()) return status;
    }
  }
  if (Status status = catalogue_->Commit(); !status.ok()) return status;
  {
    MutexLock lock(mutex_);
    committed_ = written_;
  }
  in_transaction_ = false;
  pages_in_transaction_ = 0;
  url_bytes_in_transaction_ = 0;
  if (hooks_.committed) hooks_.committed(leases_in_transaction_, last_offer_);
  leases_in_transaction_.clear();
  if (hooks_.measured) {
    CrawlTotals added = written_;
    added -= last_written_;
    hooks_.measured(added, std::exchange(write_time_, Duration(0)) + (clock_.Now() - began));
  }
  last_written_ = written_;
  return hooks_.check ? hooks_.check() : Status::Ok();
}

CrawlTotals CommitWriter::committed() const {
  MutexLock lock(mutex_);
  return committed_;
}

CrawlTotals CommitWriter::pushed() const {
  MutexLock lock(mutex_);
  CrawlTotals totals = pushed_;
  totals.duplicates = committed_.duplicates;
  return totals;
}

void CommitWriter::Fail(Status status) {
  {
    MutexLock lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  failed_.store(true, std::memory_order_release);
  if (hooks_.failed) hooks_.failed();
}

Status CommitWriter::Close(std::unique_ptr<Catalogue>* catalogue,
                           std::unique_ptr<WarcWriter>* warc) {
  {
    MutexLock lock(mutex_);
    if (catalogue_ == nullptr) return status_;  // It has been closed.
    closing_ = true;
  }
  if (own_thread_) {
    changed_.Signal();
    thread_.join();
  } else {
    WriteDue();
    Status status = CatchExceptions([this] { return failed() ? Status::Ok() : WriteRest(); });
    if (!status.ok()) Fail(std::move(status));
  }
  index_ = nullptr;  // It writes to the catalogue.
  *catalogue = std::move(catalogue_);
  *warc = std::move(warc_);
  MutexLock order(order_mutex_);
  MutexLock lock(mutex_);
  if (status_.ok() && next_place_ <= last_place_) {
    status_ = Status(StatusCode::kInternal, "a batch whose place was reserved never came");
  }
  return status_;
}

}  // namespace crawler

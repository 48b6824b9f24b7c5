#include "engine/commit_writer.hpp"

#include <algorithm>
#include <chrono>

#include "base/log.hpp"

namespace crawler {
namespace {

constexpr std::chrono::milliseconds kCommitInterval{900};
constexpr std::chrono::milliseconds kGatherTime{10};
constexpr std::chrono::milliseconds kIdleInterval{1'000};
constexpr std::size_t kCdxjMemory = std::size_t{8} << 20;
constexpr std::size_t kPagesPerCommit = 1'000;
/// What was crawled can be searched so soon, or later in a crawl that takes long: the number of
/// segments should not grow with its time.
constexpr std::chrono::seconds kFlushInterval{15};
constexpr int kFlushesPerTime = 10;

void Count(VisitOutcome outcome, CommittedTotals* totals) {
  switch (outcome) {
    case VisitOutcome::kRedirect:
      ++totals->redirects;
      break;
    case VisitOutcome::kHttpError:
      ++totals->http_errors;
      break;
    case VisitOutcome::kFailed:
      ++totals->failures;
      break;
    case VisitOutcome::kThrottled:
      ++totals->throttled;
      break;
    case VisitOutcome::kRefused:
      ++totals->refused;
      break;
    case VisitOutcome::kUnwanted:
      ++totals->unwanted;
      break;
    default:
      break;
  }
}

void Count(PageChange change, CommittedTotals* totals) {
  totals->pages_new += change == PageChange::kNew;
  totals->pages_changed += change == PageChange::kChanged;
  totals->pages_unchanged += change == PageChange::kUnchanged;
  totals->pages_gone += change == PageChange::kGone;
}

void Count(const CommitBatch& change, CommittedTotals* totals) {
  totals->hosts += change.hosts.size();
  totals->urls += change.urls.size();
  totals->dead_letters += change.dead_letters.size();
  for (const UrlRow& row : change.urls) totals->waiting += row.skipped == SkipReason::kNone;
  for (const RequeueRow& row : change.requeued) totals->waiting += row.waits;
  for (const VisitRow& row : change.visits) {
    totals->waiting -= row.url != 0 && row.final;
    Count(row.outcome, totals);
    Count(row.change, totals);
    totals->pages += row.outcome == VisitOutcome::kPage || row.outcome == VisitOutcome::kUnchanged;
  }
}

}  // namespace

std::size_t CommitBatch::Size() const {
  std::size_t size = sizeof(CommitBatch) + capture.bytes.size();
  for (const UrlRow& url : urls) size += sizeof url + url.url.size();
  if (page) size += page->links.size() + page->title.size() + page->description.size();
  if (document != nullptr) size += document->Size();
  if (robots) size += robots->rules.size();
  return size + visits.size() * sizeof(VisitRow);
}

CommitWriter::CommitWriter(std::unique_ptr<Catalogue> catalogue, std::unique_ptr<IndexWriter> index,
                           std::unique_ptr<WarcWriter> warc, std::filesystem::path warc_folder,
                           Hooks hooks, bool sync, const Clock& clock, bool own_thread)
    : catalogue_(std::move(catalogue)),
      index_(std::move(index)),
      warc_(std::move(warc)),
      warc_folder_(std::move(warc_folder)),
      last_old_file_(warc_ == nullptr ? 0 : warc_->position().file),
      hooks_(std::move(hooks)),
      sync_(sync),
      clock_(clock),
      own_thread_(own_thread),
      started_(clock.Now()),
      flush_at_(started_ + kFlushInterval) {
  if (!own_thread_) return;
  thread_ = std::thread([this] {
    SetThreadName("writer");
    Run();
  });
}

void CommitWriter::WriteDue() {
  if (failed()) return;
  Status status = WriteSome();
  if (status.ok() && in_transaction_ &&
      (pages_in_transaction_ >= kPagesPerCommit || clock_.Now() >= commit_at_)) {
    status = Commit();
  }
  if (!status.ok()) Fail(std::move(status));
}

// Everything that has been written, committed.
Status CommitWriter::WriteRest() {
  Status status;
  if (index_ != nullptr) status = FlushIndex();
  if (status.ok() && in_transaction_) status = Commit();
  if (status.ok()) status = FinishCdxj();
  return status;
}

CommitWriter::~CommitWriter() {
  if (catalogue_ == nullptr) return;  // It has been closed.
  std::unique_ptr<Catalogue> catalogue;
  std::unique_ptr<WarcWriter> warc;
  const Status status = Close(&catalogue, &warc);
  (void)status;  // Whoever wants to know closes it.
}

void CommitWriter::Push(CommitBatch change) {
  backlog_.fetch_add(change.Size(), std::memory_order_relaxed);
  bool wake = false;
  {
    MutexLock lock(mutex_);
    wake = std::exchange(asleep_, false);
    waiting_.emplace(change.ticket, std::move(change));
  }
  if (wake) changed_.Signal();
}

void CommitWriter::Run() {
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
      // While a crawl goes on, changes are left to gather: a thread that is woken for each of them
      // costs more than writing them.
      if (!closing_ && in_transaction_) changed_.WaitUntil(mutex_, NextLook());
      if (closing_ && waiting_.empty()) break;
      if (closing_ && !NextIsHere()) {
        status_ = Status(StatusCode::kInternal, "a change that was announced never came");
        break;
      }
    }
    // A crawl that only waits has a state, too: somebody may ask what it waits for.
    status = idle ? Begin() : WriteSome();
    if (status.ok() && in_transaction_ &&
        (idle || pages_in_transaction_ >= kPagesPerCommit || clock_.Now() >= commit_at_)) {
      status = Commit();
    }
  }
  if (status.ok()) status = WriteRest();
  if (!status.ok()) Fail(std::move(status));
}

// Others may be here that come after one which is still being made.
bool CommitWriter::NextIsHere() const {
  return !waiting_.empty() && waiting_.begin()->first == next_ticket_;
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
      ++next_ticket_;
    }
  }
  for (CommitBatch& change : ready) {
    if (Status status = Begin(); !status.ok()) return status;
    const std::size_t size = change.Size();
    if (Status status = Write(change); !status.ok()) return status;
    Count(change, &written_);
    backlog_.fetch_sub(size, std::memory_order_relaxed);
  }
  return Status::Ok();
}

Status CommitWriter::Begin() {
  if (in_transaction_) return Status::Ok();
  if (Status status = catalogue_->Begin(); !status.ok()) return status;
  in_transaction_ = true;
  commit_at_ = clock_.Now() + kCommitInterval;
  return Status::Ok();
}

// What was indexed can be searched from now on, without having to be gathered again.
Status CommitWriter::FlushIndex() {
  if (Status status = Begin(); !status.ok()) return status;
  return index_->Flush();
}

Status CommitWriter::Write(CommitBatch& change) {
  WarcRef warc;
  if (warc_ != nullptr && !change.capture.members.empty()) {
    const Result<WarcPosition> position = warc_->Append(change.capture);
    if (!position.ok()) return position.status();
    warc = {position->file, position->offset, position->length};
    if (Status indexed = AddToCdxj(change, *position); !indexed.ok()) return indexed;
  }
  Status status;
  for (const HostRow& row : change.hosts) {
    if (status = catalogue_->AddHost(row); !status.ok()) return status;
  }
  for (const UrlRow& row : change.urls) {
    if (status = catalogue_->AddUrl(row); !status.ok()) return status;
  }
  for (const RequeueRow& row : change.requeued) {
    if (status = catalogue_->AddRequeue(row); !status.ok()) return status;
  }
  if (change.ended) status = RemovePage(&change);
  if (status.ok() && change.updated) status = UpdatePage(*change.updated);
  if (!status.ok()) return status;
  bool first = true;
  for (const VisitRow& row : change.visits) {
    const Result<std::int64_t> visit = catalogue_->AddVisit(row, first ? warc : WarcRef());
    if (!visit.ok()) return visit.status();
    if (first && change.page) {
      const Result<AddedPage> page = catalogue_->AddPage(*change.page, *visit, warc);
      if (!page.ok()) return page.status();
      written_.duplicates += page->is_duplicate;
      if (index_ != nullptr && change.document != nullptr) {
        if (status = index_->Add(page->id, *change.document); !status.ok()) return status;
      }
      ++pages_in_transaction_;
    }
    first = false;
  }
  for (const DeadLetterRow& row : change.dead_letters) {
    if (status = catalogue_->AddDeadLetter(row); !status.ok()) return status;
  }
  if (change.robots) status = catalogue_->PutRobots(*change.robots);
  for (const EventRow& row : change.events) {
    if (status.ok()) status = catalogue_->AddEvent(row);
  }
  return status;
}

Status CommitWriter::RemovePage(CommitBatch* change) {
  const StoredPage& page = *change->ended;
  const Result<UrlId> heir = catalogue_->RemovePage(page.id, page.url_id);
  if (!heir.ok()) return heir.status();
  if (index_ != nullptr) {
    if (Status status = index_->Remove(page.id); !status.ok()) return status;
  }
  const bool content_stays = change->page && change->page->content_hash == page.content_hash;
  // It comes back behind those that were its duplicates: the first of them is the original now.
  if (content_stays && *heir != 0) change->page->duplicate_of = *heir;
  if (hooks_.removed && (*heir != 0 || !content_stays)) hooks_.removed(page, *heir);
  return Status::Ok();
}

Status CommitWriter::UpdatePage(const StoredPage& page) {
  Status status = catalogue_->UpdatePage(page);
  const bool leaves = page.noindex && page.indexed;
  if (status.ok() && leaves && index_ != nullptr) status = index_->Remove(page.id);
  return status;
}

Status CommitWriter::AddToCdxj(const CommitBatch& change, const WarcPosition& position) {
  if (position.file <= last_old_file_) return Status::Ok();
  if (position.file != cdxj_file_) {
    if (Status status = FinishCdxj(); !status.ok()) return status;
    cdxj_file_ = position.file;
    cdxj_ = std::make_unique<CdxjWriter>(CdxjPath(warc_folder_ / warc_->FileName(cdxj_file_)),
                                         kCdxjMemory);
  }
  const std::string filename = warc_->FileName(position.file);
  std::string digest;
  // A 304 has no payload.
  if (change.indexed.status != 304) AppendHex(change.capture.payload_digest, &digest);
  CdxjEntry entry;
  entry.url = change.indexed.url;
  entry.date = change.indexed.date;
  entry.mime = change.indexed.mime;
  entry.status = change.indexed.status;
  entry.digest = digest;
  entry.length = position.length;
  entry.offset = position.offset;
  entry.filename = filename;
  return cdxj_->Add(entry);
}

Status CommitWriter::FinishCdxj() {
  if (cdxj_ == nullptr) return Status::Ok();
  Status status = cdxj_->Finish();
  cdxj_ = nullptr;
  return status;
}

void CommitWriter::SetFlushTime() {
  const TimePoint now = clock_.Now();
  flush_at_ = now + std::max<Duration>(kFlushInterval, (now - started_) / kFlushesPerTime);
}

Status CommitWriter::Commit() {
  // The WARC first: what the catalogue points at must be there.
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
  std::uint64_t ticket = 0;
  {
    MutexLock lock(mutex_);
    committed_ = written_;
    ticket = next_ticket_ - 1;  // What has been taken is written before anything is committed.
  }
  in_transaction_ = false;
  pages_in_transaction_ = 0;
  if (hooks_.committed) hooks_.committed(ticket);
  return Status::Ok();
}

CommittedTotals CommitWriter::committed() const {
  MutexLock lock(mutex_);
  return committed_;
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
    closing_ = true;
  }
  if (own_thread_) {
    changed_.Signal();
    thread_.join();
  } else {
    WriteDue();
    Status status = failed() ? Status::Ok() : WriteRest();
    if (!status.ok()) Fail(std::move(status));
  }
  index_ = nullptr;  // It writes to the catalogue.
  *catalogue = std::move(catalogue_);
  *warc = std::move(warc_);
  MutexLock lock(mutex_);
  return status_;
}

}  // namespace crawler

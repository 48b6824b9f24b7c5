#include "index/segment_merge.hpp"

#include <algorithm>
#include <queue>
#include <span>
#include <utility>

#include "index/visit_rows.hpp"

namespace crawler {
namespace {

/// Of postings held at once and written in one transaction.
constexpr std::size_t kStepBytes = std::size_t{4} << 20;

Status Damaged(const Database& db) {
  return Status(StatusCode::kCorruption, db.path() + ": postings of the index cannot be read");
}

/// Appends page records, one after the other.
class PageDataWriter {
 public:
  PageDataWriter(Segment* segment, std::string* out) : segment_(*segment), out_(*out) {
    segment_.pages = segment_.first_page = segment_.last_page = 0;
    out_.clear();
  }
  void Add(const PageRecord& record) {
    if (segment_.pages++ == 0) segment_.first_page = record.page;
    AppendPageRecord(record, segment_.last_page, &out_);
    segment_.last_page = record.page;
  }

 private:
  Segment& segment_;
  std::string& out_;
};

// Parts of anchors have the same pages, of which they know nothing but the words of links.
Status SumAnchorPages(Database& db, Segment* target, std::string* page_data) {
  std::vector<std::uint32_t> words;  // By page; one more, and 0 for what has no links.
  for (const std::int64_t segment : target->merged_from) {
    Status status = VisitPageRecords(db, segment, [&](const PageRecord& record) {
      if (record.page >= words.size()) words.resize(record.page + std::size_t{1});
      words[record.page] += record.lengths[0] + (words[record.page] == 0 ? 1 : 0);
    });
    if (!status.ok()) return status;
  }
  PageDataWriter writer(target, page_data);
  PageRecord record;
  for (std::size_t page = 0; page < words.size(); ++page) {
    if (words[page] == 0) continue;
    record.page = static_cast<std::uint32_t>(page);
    record.lengths[0] = words[page] - 1;
    writer.Add(record);
  }
  return Status::Ok();
}

}  // namespace

Status MergePageData(Database& db, const std::vector<std::uint32_t>& removed, Segment* target,
                     std::string* page_data) {
  if (target->kind == SegmentKind::kAnchor) return SumAnchorPages(db, target, page_data);
  PageDataWriter writer(target, page_data);
  auto next = removed.begin();
  for (const std::int64_t segment : target->merged_from) {
    Status status = VisitPageRecords(db, segment, [&](const PageRecord& record) {
      while (next != removed.end() && *next < record.page) ++next;
      if (next == removed.end() || *next != record.page) writer.Add(record);
    });
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

/// The terms of a segment, ascending.
class SegmentMerge::Input {
 public:
  static Result<std::unique_ptr<Input>> Open(Database& db, std::int64_t segment,
                                             std::string_view after) {
    auto input = std::make_unique<Input>();
    Status status =
        PrepareAll(db, {{&input->select_,
                         "SELECT term, document_freq, shown, docs, positions, words FROM postings"
                         " WHERE segment = ? AND term > ? ORDER BY term"}});
    input->after_ = after;
    input->select_.Bind(1, segment).Bind(2, input->after_);
    if (status.ok()) status = input->Next();
    if (!status.ok()) return status;
    return input;
  }

  Status Next() {
    const Result<bool> row = select_.Step();
    if (!row.ok()) return row.status();
    at_end_ = !*row;
    return Status::Ok();
  }

  bool at_end() const { return at_end_; }
  std::string_view term() const { return select_.Text(0); }
  std::uint32_t document_freq() const { return static_cast<std::uint32_t>(select_.Int(1)); }
  std::string_view shown() const { return select_.IsNull(2) ? term() : select_.Text(2); }
  std::string_view docs() const { return select_.Blob(3); }
  std::string_view positions() const { return select_.Blob(4); }
  std::string_view words() const { return select_.Blob(5); }

 private:
  Statement select_;
  std::string after_;
  bool at_end_ = false;
};

struct SegmentMerge::Row {
  std::string term, shown, docs, positions, words;
  std::uint32_t document_freq = 0;
};

SegmentMerge::SegmentMerge(Database& db, SegmentWriter& writer, Segment target)
    : db_(db), writer_(writer), target_(std::move(target)) {}
SegmentMerge::~SegmentMerge() = default;

Status SegmentMerge::Run(const std::function<bool()>& stop) {
  Status status = FindPlace();
  if (status.ok()) status = LoadPages();
  while (status.ok() && !complete_) {
    status = Stopped(stop);
    if (status.ok()) status = Step();
  }
  if (status.ok()) status = Stopped(stop);
  if (status.ok()) status = Switch();
  return status;
}

// The rows that exist already say where to go on.
Status SegmentMerge::FindPlace() {
  Result<Statement> last = db_.Prepare("SELECT max(term) FROM postings WHERE segment = ?");
  if (!last.ok()) return last.status();
  const Result<bool> row = last->Bind(1, target_.id).Step();
  if (!row.ok()) return row.status();
  if (*row) place_.assign(last->Text(0));
  if (place_.empty()) return Status::Ok();
  return writer_.Measure(&target_);
}

Status SegmentMerge::LoadPages() {
  std::uint64_t pages = 0;
  for (const std::int64_t segment : target_.merged_from) {
    const Result<std::int64_t> count =
        db_.QueryInt("SELECT pages FROM index_segments WHERE id = " + std::to_string(segment));
    if (!count.ok()) return count.status();
    pages += static_cast<std::uint64_t>(*count);
  }
  if (target_.kind == SegmentKind::kAnchor || pages == target_.pages) return Status::Ok();
  if (target_.last_page < target_.first_page) return Damaged(db_);
  kept_.assign(target_.last_page - target_.first_page + std::size_t{1}, false);
  bool damaged = false;
  Status status = VisitPageRecords(db_, target_.id, [&](const PageRecord& record) {
    if (record.page < target_.first_page || record.page > target_.last_page) {
      damaged = true;
    } else {
      kept_[record.page - target_.first_page] = true;
    }
  });
  return status.ok() && damaged ? Damaged(db_) : status;
}

// Reads first and writes then: cursors on a table that is written to at the same time would have
// to find their places again at every row.
Status SegmentMerge::Step() {
  rows_.clear();
  if (Status status = ReadRows(); !status.ok()) return status;
  Status status = db_.Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  for (const Row& row : rows_) {
    if (status.ok()) {
      status = writer_.AddTerm(&target_, row.term, row.document_freq, row.shown, row.docs,
                               row.positions, row.words);
    }
  }
  return CommitOrRollBack(db_, status);
}

Status SegmentMerge::ReadRows() {
  std::vector<std::unique_ptr<Input>> inputs;
  for (const std::int64_t segment : target_.merged_from) {
    Result<std::unique_ptr<Input>> input = Input::Open(db_, segment, place_);
    if (!input.ok()) return input.status();
    inputs.push_back(std::move(input).value());
  }
  std::vector<Input*> same;
  for (std::size_t bytes = 0; bytes < kStepBytes;) {
    same.clear();
    for (const std::unique_ptr<Input>& input : inputs) {
      if (input->at_end()) continue;
      const int order = same.empty() ? 0 : input->term().compare(same.front()->term());
      if (order < 0) same.clear();
      if (order <= 0) same.push_back(input.get());
    }
    if (same.empty()) {
      complete_ = true;
      break;
    }
    Row row;
    if (Status status = Combine(same, &row); !status.ok()) return status;
    place_ = row.term;
    // Most rows are so short that holding them takes more than they hold.
    bytes +=
        sizeof row + row.term.size() + row.docs.size() + row.positions.size() + row.words.size();
    if (row.document_freq > 0) rows_.push_back(std::move(row));
    for (Input* const input : same) {
      if (Status status = input->Next(); !status.ok()) return status;
    }
  }
  return Status::Ok();
}

// False if the postings cannot be read.
bool SegmentMerge::HasRemoved(const Input& input, bool* has) const {
  *has = false;
  if (kept_.empty()) return true;
  PostingsReader reader(input.docs(), input.document_freq());
  for (auto block = reader.NextBlock(); !block.empty() && !*has; block = reader.NextBlock()) {
    *has = std::any_of(block.begin(), block.end(),
                       [this](const Posting& posting) { return !Keeps(posting.page); });
  }
  return reader.ok();
}

Status SegmentMerge::Combine(const std::vector<Input*>& inputs, Row* row) {
  const Input& first = *inputs.front();
  row->term.assign(first.term());
  bool as_it_is = false;
  if (inputs.size() == 1) {
    bool has_removed = false;
    if (!HasRemoved(first, &has_removed)) return Damaged(db_);
    as_it_is = !has_removed;
  }
  if (as_it_is) {
    row->shown.assign(first.shown());
    row->document_freq = first.document_freq();
    row->docs.assign(first.docs());
    row->positions.assign(first.positions());
    row->words.assign(first.words());
    return Status::Ok();
  }
  encoder_.Clear();
  words_.Clear();
  const bool read = target_.kind == SegmentKind::kText ? Concatenate(inputs) : CombinePages(inputs);
  if (!read) return Damaged(db_);
  encoder_.Finish();
  words_.Finish();
  row->document_freq = encoder_.pages();
  row->docs = encoder_.docs();
  row->positions = encoder_.positions();
  row->shown.assign(words_.shown());
  row->words = words_.bytes();
  return Status::Ok();
}

bool SegmentMerge::Concatenate(const std::vector<Input*>& inputs) {
  std::uint32_t last = 0;
  for (Input* const input : inputs) {
    PostingsReader reader(input->docs(), input->document_freq());
    reader.SetPositions(input->positions());
    TermWordsReader words(input->words(), input->shown());
    for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
      if (block.front().page <= last) return false;
      last = block.back().page;
      for (std::size_t i = 0; i < block.size(); ++i) {
        const std::string_view word = words.Next();
        if (!Keeps(block[i].page)) continue;
        encoder_.Add(block[i], reader.PositionBytes(i));
        words_.Add(word);
      }
    }
    if (!reader.ok()) return false;
  }
  return true;
}

// Parts of anchors know each of a page's links from a part of the pages.
bool SegmentMerge::CombinePages(const std::vector<Input*>& inputs) {
  struct Part {
    PostingsReader reader;
    std::span<const Posting> block;
    std::size_t at = 0;
  };
  std::vector<Part> parts(inputs.size());
  const auto later = [&](std::size_t a, std::size_t b) {
    return parts[a].block[parts[a].at].page > parts[b].block[parts[b].at].page;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> next(later);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    parts[i].reader = PostingsReader(inputs[i]->docs(), inputs[i]->document_freq());
    parts[i].block = parts[i].reader.NextBlock();
    if (!parts[i].block.empty()) next.push(i);
  }
  Posting sum;
  while (!next.empty()) {
    const std::size_t i = next.top();
    Part& part = parts[i];
    const Posting& posting = part.block[part.at];
    if (posting.page == sum.page) {
      sum.counts[0] += posting.counts[0];
    } else {
      if (sum.page != 0) encoder_.Add(sum, {});
      sum = posting;
    }
    next.pop();
    if (++part.at == part.block.size()) {
      part.block = part.reader.NextBlock();
      part.at = 0;
    }
    if (!part.block.empty()) next.push(i);
  }
  if (sum.page != 0) encoder_.Add(sum, {});
  return std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.reader.ok(); });
}

// From one moment to the next readers see the target in place of what it is made of.
Status SegmentMerge::Switch() {
  target_.state = target_.pages > 0 ? SegmentState::kReady : SegmentState::kDropped;
  Status status = db_.Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  status = writer_.Finish(target_);
  for (const std::int64_t segment : target_.merged_from) {
    if (status.ok()) status = writer_.SetState(segment, SegmentState::kDropped);
  }
  if (target_.kind == SegmentKind::kAnchor && status.ok()) status = ReplaceAnchors();
  if (status.ok()) status = BumpGeneration(db_);
  return CommitOrRollBack(db_, status);
}

Status SegmentMerge::ReplaceAnchors() {
  return db_.Execute("UPDATE index_segments SET state = 2 WHERE kind = 1 AND state = 0 AND id <> " +
                     std::to_string(target_.id) +
                     "; INSERT OR REPLACE INTO crawl_state SELECT 'index.anchors', value"
                     " FROM crawl_state WHERE key = 'index.anchors.next'");
}

}  // namespace crawler

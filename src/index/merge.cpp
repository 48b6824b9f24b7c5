#include "index/merge.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "index/accumulator.hpp"
#include "index/postings.hpp"

namespace crawler {
namespace {

using Stop = std::function<bool()>;

/// Of postings written in one transaction.
constexpr std::size_t kStepBytes = std::size_t{8} << 20;
/// Statements open at once.
constexpr std::size_t kMostInputs = 64;

Status Commit(Database& db, Status status) {
  if (status.ok()) status = db.Execute("COMMIT");
  if (status.ok()) return status;
  const Status rolled_back = db.Execute("ROLLBACK");
  (void)rolled_back;  // What went wrong first is what to report.
  return status;
}

Status Stopped(const Stop& stop) {
  return stop && stop() ? Status(StatusCode::kCancelled, "indexing was stopped") : Status::Ok();
}

Status Damaged(const Database& db) {
  return Status(StatusCode::kCorruption, db.path() + ": postings of the index cannot be read");
}

/// The terms of a segment, ascending.
class Input {
 public:
  static Result<std::unique_ptr<Input>> Open(Database& db, std::int64_t segment,
                                             std::string_view after) {
    auto input = std::make_unique<Input>();
    Status status =
        PrepareAll(db, {{&input->select_,
                         "SELECT term, document_freq, shown, docs, positions FROM postings"
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

 private:
  Statement select_;
  std::string after_;
  bool at_end_ = false;
};

/// One merge: a target, and the segments it is made of.
class Merge {
 public:
  Merge(Database& db, SegmentWriter& writer, Segment target)
      : db_(db), writer_(writer), target_(std::move(target)) {}

  Status Run(const Stop& stop) {
    Status status = FindPlace();
    while (status.ok() && !complete_) {
      status = Stopped(stop);
      if (status.ok()) status = Step();
    }
    if (status.ok()) status = Stopped(stop);
    if (status.ok()) status = Switch();
    return status;
  }

 private:
  struct Row {
    std::string term, shown, docs, positions;
    std::uint32_t document_freq = 0;
  };

  // What is there already says where to go on.
  Status FindPlace() {
    Result<Statement> last = db_.Prepare("SELECT max(term) FROM postings WHERE segment = ?");
    if (!last.ok()) return last.status();
    const Result<bool> row = last->Bind(1, target_.id).Step();
    if (!row.ok()) return row.status();
    if (*row) place_.assign(last->Text(0));
    return Status::Ok();
  }

  // Reads first and writes then: cursors on a table that is written to at the same time would have
  // to find their places again at every row.
  Status Step() {
    rows_.clear();
    if (Status status = ReadRows(); !status.ok()) return status;
    Status status = db_.Execute("BEGIN IMMEDIATE");
    if (!status.ok()) return status;
    for (const Row& row : rows_) {
      if (status.ok()) {
        status = writer_.AddTerm(&target_, row.term, row.document_freq, row.shown, row.docs,
                                 row.positions);
      }
    }
    // How large it is would be lost with the process otherwise.
    if (status.ok()) status = writer_.Update(target_, "");
    status = Commit(db_, status);
    if (status.ok() && !rows_.empty()) place_ = rows_.back().term;
    return status;
  }

  Status ReadRows() {
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
      Row& row = rows_.emplace_back();
      if (Status status = Combine(same, &row); !status.ok()) return status;
      bytes += row.term.size() + row.docs.size() + row.positions.size();
      for (Input* const input : same) {
        if (Status status = input->Next(); !status.ok()) return status;
      }
    }
    return Status::Ok();
  }

  Status Combine(const std::vector<Input*>& inputs, Row* row) {
    row->term.assign(inputs.front()->term());
    std::string_view shown;
    for (Input* const input : inputs) {
      if (ShownBefore(input->shown(), shown)) shown = input->shown();
    }
    row->shown.assign(shown);
    if (inputs.size() == 1) {
      row->document_freq = inputs.front()->document_freq();
      row->docs.assign(inputs.front()->docs());
      row->positions.assign(inputs.front()->positions());
      return Status::Ok();
    }
    encoder_.Clear();
    const bool read =
        target_.kind == SegmentKind::kText ? Concatenate(inputs) : CombinePages(inputs);
    if (!read) return Damaged(db_);
    encoder_.Finish();
    row->document_freq = encoder_.pages();
    row->docs = encoder_.docs();
    row->positions = encoder_.positions();
    return Status::Ok();
  }

  bool Concatenate(const std::vector<Input*>& inputs) {
    std::uint32_t last = 0;
    for (Input* const input : inputs) {
      PostingsReader reader(input->docs(), input->document_freq());
      reader.SetPositions(input->positions());
      for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
        if (block.front().page <= last) return false;
        last = block.back().page;
        for (std::size_t i = 0; i < block.size(); ++i) {
          encoder_.Add(block[i], reader.PositionBytes(i));
        }
      }
      if (!reader.ok()) return false;
    }
    return true;
  }

  // Parts of anchors know each of a page's links from a part of the pages.
  bool CombinePages(const std::vector<Input*>& inputs) {
    postings_.clear();
    for (Input* const input : inputs) {
      PostingsReader reader(input->docs(), input->document_freq());
      for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
        postings_.insert(postings_.end(), block.begin(), block.end());
      }
      if (!reader.ok()) return false;
    }
    std::sort(postings_.begin(), postings_.end(),
              [](const Posting& a, const Posting& b) { return a.page < b.page; });
    for (std::size_t i = 0; i < postings_.size();) {
      Posting sum = postings_[i++];
      for (; i < postings_.size() && postings_[i].page == sum.page; ++i) {
        sum.counts[0] += postings_[i].counts[0];
      }
      encoder_.Add(sum, {});
    }
    return true;
  }

  // From one moment to the next readers see the target in place of what it is made of.
  Status Switch() {
    std::vector<PageRecord> records;
    for (const std::int64_t segment : target_.merged_from) {
      if (Status status = ReadPageRecords(db_, segment, &records); !status.ok()) return status;
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const PageRecord& a, const PageRecord& b) { return a.page < b.page; });
    std::string page_data;
    std::uint32_t last = 0;
    target_.pages = 0;
    for (std::size_t i = 0; i < records.size();) {
      PageRecord sum = records[i++];
      for (; i < records.size() && records[i].page == sum.page; ++i) {
        sum.lengths[0] += records[i].lengths[0];
      }
      AppendPageRecord(sum, last, &page_data);
      last = sum.page;
      ++target_.pages;
    }
    target_.state = SegmentState::kReady;
    Status status = db_.Execute("BEGIN IMMEDIATE");
    if (!status.ok()) return status;
    status = writer_.Update(target_, page_data);
    for (const std::int64_t segment : target_.merged_from) {
      if (status.ok()) status = writer_.SetState(segment, SegmentState::kDropped);
    }
    if (target_.kind == SegmentKind::kAnchor && status.ok()) status = ReplaceAnchors();
    if (status.ok()) status = BumpGeneration(db_);
    return Commit(db_, status);
  }

  Status ReplaceAnchors() {
    return db_.Execute(
        "UPDATE index_segments SET state = 2 WHERE kind = 1 AND state = 0 AND id <> " +
        std::to_string(target_.id) +
        "; INSERT OR REPLACE INTO crawl_state SELECT 'index.anchors', value"
        " FROM crawl_state WHERE key = 'index.anchors.next'");
  }

  Database& db_;
  SegmentWriter& writer_;
  Segment target_;
  std::string place_;
  bool complete_ = false;
  std::vector<Row> rows_;
  PostingsEncoder encoder_;
  std::vector<Posting> postings_;
};

/// Merges of one kind of segments.
class Merger {
 public:
  Merger(Database& db, SegmentWriter writer, SegmentKind kind, const Stop& stop)
      : db_(db), writer_(std::move(writer)), kind_(kind), stop_(stop) {}

  Status List(std::vector<Segment>* segments) {
    Result<std::vector<Segment>> list = ListSegments(db_, kind_);
    if (!list.ok()) return list.status();
    *segments = std::move(list).value();
    return Status::Ok();
  }

  // Goes on with what an earlier run began, and removes what is replaced or, with `parts`, what
  // was made to be merged.
  Status Recover(bool parts) {
    std::vector<Segment> segments;
    Status status = List(&segments);
    for (const Segment& segment : segments) {
      if (status.ok() && segment.state == SegmentState::kMerging) {
        status = Merge(db_, writer_, segment).Run(stop_);
      }
    }
    if (status.ok()) status = List(&segments);
    for (const Segment& segment : segments) {
      const bool remove = segment.state == SegmentState::kDropped ||
                          (parts && segment.state == SegmentState::kPart);
      if (status.ok() && remove) status = Remove(segment.id);
    }
    return status;
  }

  Status Remove(std::int64_t segment) {
    if (Status status = Stopped(stop_); !status.ok()) return status;
    Status status = db_.Execute("BEGIN IMMEDIATE");
    if (!status.ok()) return status;
    return Commit(db_, writer_.Remove(segment));
  }

  Status MergeOf(const std::vector<Segment>& inputs) {
    if (Status status = Stopped(stop_); !status.ok()) return status;
    Segment target;
    target.kind = kind_;
    target.state = SegmentState::kMerging;
    for (const Segment& input : inputs) {
      target.merged_from.push_back(input.id);
      const bool first = target.merged_from.size() == 1;
      target.first_page = first ? input.first_page : std::min(target.first_page, input.first_page);
      target.last_page = std::max(target.last_page, input.last_page);
    }
    const Result<std::int64_t> id = writer_.Create(target, "");
    if (!id.ok()) return id.status();
    target.id = *id;
    Status status = Merge(db_, writer_, target).Run(stop_);
    return status.ok() ? Recover(false) : status;
  }

 private:
  Database& db_;
  SegmentWriter writer_;
  const SegmentKind kind_;
  const Stop& stop_;
};

/// Which neighbours are to be one, so that no more than `most` are left: always those that are
/// smallest together, so that what is large is seldom written again.
std::vector<std::vector<Segment>> Plan(const std::vector<Segment>& segments, std::size_t most) {
  struct Group {
    std::vector<Segment> segments;
    std::uint64_t bytes = 0;
  };
  std::vector<Group> groups;
  groups.reserve(segments.size());
  for (const Segment& segment : segments) groups.push_back({{segment}, segment.bytes});
  while (groups.size() > std::max<std::size_t>(most, 1)) {
    std::size_t least = 0;
    for (std::size_t i = 1; i + 1 < groups.size(); ++i) {
      if (groups[i].bytes + groups[i + 1].bytes < groups[least].bytes + groups[least + 1].bytes) {
        least = i;
      }
    }
    Group& to = groups[least];
    Group& from = groups[least + 1];
    to.bytes += from.bytes;
    to.segments.insert(to.segments.end(), from.segments.begin(), from.segments.end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(least) + 1);
  }
  std::vector<std::vector<Segment>> merges;
  for (Group& group : groups) {
    if (group.segments.size() < 2) continue;
    // The rest of a long one is for the next round.
    if (group.segments.size() > kMostInputs) group.segments.resize(kMostInputs);
    merges.push_back(std::move(group.segments));
  }
  return merges;
}

Result<Merger> OpenMerger(Database& db, SegmentKind kind, const Stop& stop) {
  Result<SegmentWriter> writer = SegmentWriter::Open(db);
  if (!writer.ok()) return writer.status();
  return Merger(db, std::move(writer).value(), kind, stop);
}

}  // namespace

Status MergeTextSegments(Database& db, const Stop& stop, std::size_t most) {
  Result<Merger> merger = OpenMerger(db, SegmentKind::kText, stop);
  if (!merger.ok()) return merger.status();
  Status status = merger->Recover(true);
  while (status.ok()) {
    std::vector<Segment> segments;
    status = merger->List(&segments);
    if (!status.ok()) break;
    const std::vector<std::vector<Segment>> merges = Plan(segments, most);
    if (merges.empty()) break;
    for (const std::vector<Segment>& inputs : merges) {
      if (status.ok()) status = merger->MergeOf(inputs);
    }
  }
  return status;
}

Status RecoverAnchorParts(Database& db, const Stop& stop) {
  Result<Merger> merger = OpenMerger(db, SegmentKind::kAnchor, stop);
  if (!merger.ok()) return merger.status();
  return merger->Recover(true);
}

Status MergeAnchorParts(Database& db, std::string_view made_of, const Stop& stop) {
  Result<Merger> merger = OpenMerger(db, SegmentKind::kAnchor, stop);
  if (!merger.ok()) return merger.status();
  Status status = PutIndexState(db, "index.anchors.next", made_of);
  std::vector<Segment> parts;
  if (status.ok()) status = merger->List(&parts);
  if (!status.ok()) return status;
  std::erase_if(parts, [](const Segment& segment) { return segment.state != SegmentState::kPart; });
  return merger->MergeOf(parts);
}

}  // namespace crawler

#include "index/merge.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "index/segment_merge.hpp"
#include "index/visit_rows.hpp"

namespace crawler {
namespace {

using Stop = std::function<bool()>;

/// Statements open at once.
constexpr std::size_t kMostInputs = 64;

/// Merges of one kind of segments.
class Merger {
 public:
  Merger(Database& db, SegmentWriter writer, SegmentKind kind, const Stop& stop)
      : db_(db), writer_(std::move(writer)), kind_(kind), stop_(stop) {}

  Status List(std::vector<Segment>* segments) {
    Result<std::vector<Segment>> list = ListSegments(db_, kind_);
    if (!list.ok()) return list.status();
    *segments = std::move(list).value();
    Result<Statement> select = db_.Prepare("SELECT largest FROM index_segments WHERE id = ?");
    if (!select.ok()) return select.status();
    for (Segment& segment : *segments) {
      const Result<bool> row = select->Bind(1, segment.id).Step();
      if (!row.ok()) return row.status();
      const bool is_known = *row && !select->IsNull(0);
      segment.largest = is_known ? static_cast<std::uint64_t>(select->Int(0)) : 0;
      select->Reset();
      // Segments of older versions do not say it.
      if (is_known) continue;
      if (Status status = writer_.Measure(&segment); !status.ok()) return status;
    }
    return Status::Ok();
  }

  // Goes on with what an earlier run began, and removes what is replaced or, with `parts`, what
  // was made to be merged.
  Status Recover(bool parts) {
    std::vector<Segment> segments;
    Status status = List(&segments);
    for (const Segment& segment : segments) {
      if (status.ok() && segment.state == SegmentState::kMerging) {
        status = SegmentMerge(db_, writer_, segment).Run(stop_);
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
    return CommitOrRollBack(db_, writer_.Remove(segment));
  }

  Status MergeOf(const std::vector<Segment>& inputs, const std::vector<std::uint32_t>& removed) {
    if (Status status = Stopped(stop_); !status.ok()) return status;
    Segment target;
    target.kind = kind_;
    target.state = SegmentState::kMerging;
    for (const Segment& input : inputs) target.merged_from.push_back(input.id);
    std::string page_data;
    Status status = MergePageData(db_, removed, &target, &page_data);
    if (!status.ok()) return status;
    const Result<std::int64_t> id = writer_.Create(target, page_data);
    if (!id.ok()) return id.status();
    target.id = *id;
    page_data = std::string();
    status = SegmentMerge(db_, writer_, target).Run(stop_);
    return status.ok() ? Recover(false) : status;
  }

 private:
  Database& db_;
  SegmentWriter writer_;
  const SegmentKind kind_;
  const Stop& stop_;
};

/// The neighbours that are to be merged, so that no more than `limits.segments` are left: always
/// those that are smallest together, so that what is large is seldom written again. Segments that
/// have removed pages are written again in any case.
std::vector<std::vector<Segment>> Plan(const std::vector<Segment>& segments,
                                       const std::set<std::int64_t>& with_removed,
                                       const MergeLimits& limits) {
  struct Group {
    std::vector<Segment> segments;
    std::uint64_t bytes = 0, largest = 0;
  };
  std::vector<Group> groups;
  groups.reserve(segments.size());
  for (const Segment& segment : segments) {
    groups.push_back({{segment}, segment.bytes, segment.largest});
  }
  while (groups.size() > std::max<std::size_t>(limits.segments, 1)) {
    std::size_t least = groups.size();
    for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
      if (groups[i].largest + groups[i + 1].largest > limits.term_bytes) continue;
      if (least == groups.size() ||
          groups[i].bytes + groups[i + 1].bytes < groups[least].bytes + groups[least + 1].bytes) {
        least = i;
      }
    }
    if (least == groups.size()) break;
    Group& to = groups[least];
    Group& from = groups[least + 1];
    to.bytes += from.bytes;
    to.largest += from.largest;
    to.segments.insert(to.segments.end(), from.segments.begin(), from.segments.end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(least) + 1);
  }
  std::vector<std::vector<Segment>> merges;
  for (Group& group : groups) {
    if (group.segments.size() < 2 && !with_removed.contains(group.segments.front().id)) continue;
    // The rest of a long one is for the next round.
    if (group.segments.size() > kMostInputs) group.segments.resize(kMostInputs);
    merges.push_back(std::move(group.segments));
  }
  return merges;
}

/// Those of `segments` that have removed pages.
Status FindRemoved(Database& db, const std::vector<Segment>& segments,
                   const std::vector<std::uint32_t>& removed, std::set<std::int64_t>* found) {
  found->clear();
  auto next = removed.begin();
  for (const Segment& segment : segments) {
    next = std::lower_bound(next, removed.end(), segment.first_page);
    if (next == removed.end() || *next > segment.last_page) continue;
    Status status = VisitPageRecords(db, segment.id, [&](const PageRecord& record) {
      while (next != removed.end() && *next < record.page) ++next;
      if (next != removed.end() && *next == record.page) found->insert(segment.id);
    });
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Result<Merger> OpenMerger(Database& db, SegmentKind kind, const Stop& stop) {
  Result<SegmentWriter> writer = SegmentWriter::Open(db);
  if (!writer.ok()) return writer.status();
  return Merger(db, std::move(writer).value(), kind, stop);
}

}  // namespace

Status MergeTextSegments(Database& db, const Stop& stop, const MergeLimits& limits) {
  Result<Merger> merger = OpenMerger(db, SegmentKind::kText, stop);
  if (!merger.ok()) return merger.status();
  Status status = merger->Recover(true);
  const Result<std::vector<std::uint32_t>> removed = RemovedPages(db);
  if (!removed.ok()) return removed.status();
  std::set<std::int64_t> with_removed;
  while (status.ok()) {
    std::vector<Segment> segments;
    status = merger->List(&segments);
    if (status.ok()) status = FindRemoved(db, segments, *removed, &with_removed);
    if (!status.ok()) break;
    const std::vector<std::vector<Segment>> merges = Plan(segments, with_removed, limits);
    if (merges.empty()) break;
    for (const std::vector<Segment>& inputs : merges) {
      if (status.ok()) status = merger->MergeOf(inputs, *removed);
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
  return merger->MergeOf(parts, {});
}

}  // namespace crawler

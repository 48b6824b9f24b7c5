#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/postings.hpp"
#include "index/segments.hpp"
#include "index/term_words.hpp"

namespace crawler {

/// Sets pages, first_page and last_page of a segment that is to be made of `merged_from`, and gives
/// its page data: that of the others, without `removed`, which ascend.
Status MergePageData(Database& db, const std::vector<std::uint32_t>& removed, Segment* target,
                     std::string* page_data);

/// One merge: a segment that is being made, and those it is made of. Which pages it has was written
/// down when it was begun (see MergePageData()); postings of others are left out. Pages that are
/// removed meanwhile are for the next merge.
/// Threads: those of its Database.
class SegmentMerge {
 public:
  /// `target` is in state kMerging.
  SegmentMerge(Database& db, SegmentWriter& writer, Segment target);
  ~SegmentMerge();

  /// Goes on from where an earlier run ended. Commits in small steps; at each it asks `stop`, which
  /// may be empty, and ends with kCancelled. When it is over readers see the target (none, if it
  /// has no pages) in place of what it is made of.
  Status Run(const std::function<bool()>& stop);

 private:
  class Input;
  struct Row;

  Status FindPlace();
  Status LoadPages();
  Status Step();
  Status ReadRows();
  Status Combine(const std::vector<Input*>& inputs, Row* row);
  bool Concatenate(const std::vector<Input*>& inputs);
  bool CombinePages(const std::vector<Input*>& inputs);
  bool HasRemoved(const Input& input, bool* has) const;
  bool Keeps(std::uint32_t page) const {
    return kept_.empty() || (page >= target_.first_page && page <= target_.last_page &&
                             kept_[page - target_.first_page]);
  }
  Status Switch();
  Status ReplaceAnchors();

  Database& db_;
  SegmentWriter& writer_;
  Segment target_;
  std::vector<bool> kept_;  // From its first page on; empty if it has all pages of its origins.
  std::string place_;       // The last term that is written.
  bool complete_ = false;
  std::vector<Row> rows_;
  PostingsEncoder encoder_;
  TermWordsEncoder words_;
};

}  // namespace crawler

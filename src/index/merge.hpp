#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/segments.hpp"

namespace crawler {

struct MergeLimits {
  /// As many text segments as a crawl is left with: looking a term up in each costs microseconds,
  /// writing an index again as one costs as much as making it.
  std::size_t segments = 8;
  /// No segment is made whose postings of one term may take more, because they are held in memory;
  /// rather more segments are left.
  std::uint64_t term_bytes = std::uint64_t{16} << 20;
};

/// Merges text segments of `db` until there are no more than the limits say, the smallest
/// neighbours first, so that an index that grows is written again a few times only. Pages that were
/// removed are in none of them then. First it completes what an earlier run began.
///
/// It commits in small steps (and so must be called outside a transaction); at each it asks `stop`,
/// which may be empty, and ends with kCancelled. A kill costs one step.
Status MergeTextSegments(Database& db, const std::function<bool()>& stop,
                         const MergeLimits& limits = {});

/// Completes a merge of anchors that was begun, and removes parts that nobody is going to merge.
Status RecoverAnchorParts(Database& db, const std::function<bool()>& stop);

/// Makes one segment of all parts of the anchor kind, in place of the one that was ready. When it
/// is, the state "index.anchors" says `made_of`.
Status MergeAnchorParts(Database& db, std::string_view made_of, const std::function<bool()>& stop);

}  // namespace crawler

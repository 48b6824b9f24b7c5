#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/segments.hpp"

namespace crawler {

/// As many text segments as a crawl is left with: looking a term up in each costs microseconds,
/// writing an index again as one costs as much as making it.
inline constexpr std::size_t kMostTextSegments = 8;

/// Merges text segments of `db` until there are no more than `most`, the smallest neighbours first,
/// so that an index that grows is written again a few times only. First it completes what an
/// earlier run began.
///
/// It commits in small steps (and so must be called outside a transaction); at each it asks `stop`,
/// which may be empty, and ends with kCancelled. A kill costs one step.
Status MergeTextSegments(Database& db, const std::function<bool()>& stop,
                         std::size_t most = kMostTextSegments);

/// Completes a merge of anchors that was begun, and removes parts that nobody is going to merge.
Status RecoverAnchorParts(Database& db, const std::function<bool()>& stop);

/// Makes one segment of all parts of the anchor kind, in place of the one that was ready. When it
/// is, the state "index.anchors" says `made_of`.
Status MergeAnchorParts(Database& db, std::string_view made_of, const std::function<bool()>& stop);

}  // namespace crawler

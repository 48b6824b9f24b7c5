#pragma once

#include <functional>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/segments.hpp"

namespace crawler {

/// Merges the text segments of `db` until each is several times as large as all behind it, so that
/// a handful remains however many there were, and no page is written again more than a few times
/// as the crawl grows. First it completes what an earlier run began.
///
/// It commits in small steps (and so must be called outside a transaction); at each it asks `stop`,
/// which may be empty, and ends with kCancelled. A kill costs one step.
Status MergeTextSegments(Database& db, const std::function<bool()>& stop);

/// Completes a merge of anchors that was begun, and removes parts that nobody is going to merge.
Status RecoverAnchorParts(Database& db, const std::function<bool()>& stop);

/// Makes one segment of all parts of the anchor kind, in place of the one that was ready. When it
/// is, the state "index.anchors" says `made_of`.
Status MergeAnchorParts(Database& db, std::string_view made_of, const std::function<bool()>& stop);

}  // namespace crawler

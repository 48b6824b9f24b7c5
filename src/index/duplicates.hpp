#pragma once

#include <functional>

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

/// Of pages with the same content the first says so of itself (pages.duplicate_of is null), and the
/// others name its URL. When pages were removed (see IndexWriter::Remove()), others may have become
/// the first; this makes it right again. Nothing to do if none were.
/// One pass over the pages and one transaction. Ends with kCancelled when `stop` says so.
Status SettleDuplicates(Database& db, const std::function<bool()>& stop);

}  // namespace crawler

#pragma once

#include <cstdint>
#include <functional>

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

/// Whether so many ids of pages that were given are of no page any more that it is time for
/// RenumberPages(): more than there are pages, and `spare`.
Result<bool> HasUnusedIds(Database& db, std::uint64_t spare);

/// Gives the pages the ids 1, 2, 3, … in the order of those they have, so that what is held by page
/// id is as large as there are pages, and not as there ever were: each time a page changes it gets
/// a new id.
///
/// Texts and weights go with their pages. All postings are dropped, to be made again of the texts;
/// until they are, pages are not found.
/// One transaction: all of it, or nothing. Ends with kCancelled when `stop` says so.
/// Requires: no transaction is open on `db`, and nobody is about to add or remove pages.
Status RenumberPages(Database& db, const std::function<bool()>& stop);

}  // namespace crawler

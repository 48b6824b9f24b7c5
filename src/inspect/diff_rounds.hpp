#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

/// The visits of a round: behind `first`, up to `last`.
struct VisitRange {
  std::int64_t first = 0, last = 0;
};

/// The visits of a round of a repeated crawl, from 2; 0: the last one. kNotFound if there is one
/// round only, kInvalidArgument if there is no such round.
Result<VisitRange> FindRound(Database& db, std::uint64_t round);

}  // namespace crawler

#pragma once

#include <functional>

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

/// kCancelled if `stop`, which may be empty, says so.
Status Stopped(const std::function<bool()>& stop);

/// Calls `take` at each row of `select` until that fails. Asks `stop`, which may be empty, now and
/// then, and ends with kCancelled when it says so.
Status VisitRows(Statement& select, const std::function<bool()>& stop,
                 const std::function<Status()>& take);

}  // namespace crawler

#include "index/visit_rows.hpp"

#include <cstdint>

namespace crawler {

Status Stopped(const std::function<bool()>& stop) {
  return stop && stop() ? Status(StatusCode::kCancelled, "indexing was stopped") : Status::Ok();
}

Status VisitRows(Statement& select, const std::function<bool()>& stop,
                 const std::function<Status()>& take) {
  constexpr std::uint64_t kRowsPerQuestion = 1'024;
  for (std::uint64_t count = 0;; ++count) {
    const Result<bool> row = select.Step();
    if (!row.ok()) return row.status();
    if (!*row) return Status::Ok();
    if (count % kRowsPerQuestion == 0) {
      if (Status status = Stopped(stop); !status.ok()) return status;
    }
    if (Status status = take(); !status.ok()) return status;
  }
}

}  // namespace crawler

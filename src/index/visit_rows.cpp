#include "index/visit_rows.hpp"

#include <cstdint>

namespace crawler {

Status Stopped(const std::function<bool()>& stop) {
  return stop && stop() ? Status(StatusCode::kCancelled, "indexing was stopped") : Status::Ok();
}

Status VisitRows(Statement& select, const std::function<bool()>& stop,
                 const std::function<Status()>& take) {
  constexpr std::uint64_t kRowsPerQuestion = 1'024;
  std::uint64_t count = 0;
  return ForEachRow(select, [&](Statement&) {
    if (count++ % kRowsPerQuestion == 0) {
      if (Status status = Stopped(stop); !status.ok()) return status;
    }
    return take();
  });
}

}  // namespace crawler

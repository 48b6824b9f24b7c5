#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/data.hpp"
#include "db/database.hpp"

namespace crawler {

/// A catalogue as of one moment, whatever a running crawl commits meanwhile, for statements that
/// stop when the limits say so.
/// Threads: one at a time.
class CatalogueSnapshot {
 public:
  /// Errors: those of OpenForReading(). `limits` are copied; the time begins now.
  static Result<CatalogueSnapshot> Open(const std::string& folder, const ReadLimits& limits);

  Database& db() { return db_; }

  /// Hands the rows of a statement to `sink`.
  Status ReadRows(Statement& statement, const RowSink& sink, std::uint64_t* rows);

  /// Whether the limits say so. For work between statements.
  bool Stopped() { return stop_->Now(); }

  /// The outcome of the reading, from the Status of its last step.
  ReadOutcome Outcome(const Status& status, std::uint64_t rows) const;

 private:
  struct Stop {
    ReadLimits limits;
    std::chrono::steady_clock::time_point end;
    bool timed_out = false;
    bool Now();
  };
  CatalogueSnapshot(Database db, std::unique_ptr<Stop> stop)
      : db_(std::move(db)), stop_(std::move(stop)) {}

  Database db_;
  std::unique_ptr<Stop> stop_;  // Its address is known to the database.
};

ReadOutcome::Kind KindOfFailure(const Status& status);

/// The outcome of a failure before anything was read.
ReadOutcome FailedToRead(const Status& status);

}  // namespace crawler

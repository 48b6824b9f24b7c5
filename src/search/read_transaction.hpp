#pragma once

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

/// While it lives, all reads of a database see the same state. One within another changes nothing.
/// Ids of pages are good within one only: see RunIndexing().
class ReadTransaction {
 public:
  explicit ReadTransaction(Database& db)
      : db_(db),
        inner_(db.in_transaction()),
        status_(inner_ ? Status::Ok() : db.Execute("BEGIN")) {}
  ~ReadTransaction() {
    if (inner_ || !status_.ok()) return;
    const Status ended = db_.Execute("COMMIT");
    (void)ended;  // Nothing was written.
  }
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;
  const Status& status() const { return status_; }

 private:
  Database& db_;
  const bool inner_;
  const Status status_;
};

}  // namespace crawler

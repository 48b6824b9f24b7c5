#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"
#include "store/rows.hpp"

namespace crawler {

/// The place of a response in the WARC files; length 0 if it is not archived.
struct WarcRef {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// The result of adding a PageRow.
struct AddedPage {
  std::int64_t id = 0;
  bool is_duplicate = false;
};

/// A round of a repeated crawl: its rows come after `last_visit` and `last_url`.
struct Round {
  std::int64_t number = 0;  ///< 0 for the first crawl.
  std::int64_t last_visit = 0;
  std::int64_t last_url = 0;
};

/// The last round in `db`.
Result<Round> ReadRound(Database& db);

/// A value of crawl_state; empty if there is no such key.
Result<std::string> ReadState(Database& db, std::string_view key);

/// The commits that a crash of the machine (not of the crawler) may lose.
enum class Durability : std::uint8_t {
  kNormal,  ///< The last commits; the file stays consistent.
  kFull,    ///< No commit.
};

/// Writes crawl.db: Begin, any number of Add…, Commit. After a kill at any moment the state is that
/// of the last Commit().
/// Errors: after the first one nothing more is written; the transaction under way is rolled back
/// when the catalogue is closed.
/// Threads: one at a time.
class Catalogue {
 public:
  /// Opens the catalogue at `path`; creates it if it is missing.
  static Result<std::unique_ptr<Catalogue>> Open(const std::string& path, Durability durability);
  ~Catalogue();

  /// Applies to later commits. Requires: no transaction is open.
  Status SetDurability(Durability durability);

  Status Begin();
  Status AddHost(const HostRow& row);
  Status AddUrl(const UrlRow& row);
  Status AddRequeue(const RequeueRow& row);
  /// Returns the id of the visit.
  Result<std::int64_t> AddVisit(const VisitRow& row, const WarcRef& warc);
  /// The page gets an id larger than that of any earlier page, removed ones included. In a repeated
  /// crawl an outdated `duplicate_of` is left out.
  Result<AddedPage> AddPage(const PageRow& row, std::int64_t visit, const WarcRef& warc);
  /// Removes a page and its links. The first of its duplicates becomes the original of the others;
  /// returns the URL of that page, or 0. Only in a repeated crawl.
  Result<UrlId> RemovePage(std::int64_t page, UrlId url);
  /// Keeps the ids of removed pages from being reused. Callers that delete pages in another way
  /// call it in the same transaction.
  Status KeepLastPage();
  /// Updates the fields that may change while the content of a page stays the same.
  Status UpdatePage(const StoredPage& page);
  Status AddDeadLetter(const DeadLetterRow& row);
  Status AddEvent(const EventRow& row);
  Status PutRobots(const RobotsRow& row);
  Status PutState(std::string_view key, std::string_view value);
  Status Commit();

  /// Begins another round of the crawl: known URLs stay known, but none is queued; every robots.txt
  /// is fetched again. See docs/recrawling.md. Requires: a transaction is open.
  Status BeginRound(std::int64_t now);
  /// The current round; all zeros in the first crawl.
  const Round& round() const { return round_; }

  /// Creates the indexes for queries by people, or drops them before a crawl is resumed.
  Status MakeIndexes();
  Status DropIndexes();
  /// Writes the log back into the database, so that one file holds everything.
  Status Checkpoint();

  Database& database() { return db_; }

 private:
  struct Statements;
  explicit Catalogue(Database db);
  Status Prepare();
  Status ReadIds();
  Result<bool> HasContent(UrlId url, std::string_view content_hash);

  Database db_;
  std::unique_ptr<Statements> statements_;
  Round round_;
  std::int64_t last_page_ = 0;
};

}  // namespace crawler

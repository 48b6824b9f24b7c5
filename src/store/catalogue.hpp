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

/// Where a response is in the WARC files; length 0 if it is nowhere.
struct WarcRef {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// What became of a PageRow.
struct AddedPage {
  std::int64_t id = 0;
  bool is_duplicate = false;
};

/// Where the rows of the last round begin: behind these.
struct Round {
  std::int64_t number = 0;  ///< 0: the first crawl.
  std::int64_t last_visit = 0;
  std::int64_t last_url = 0;
};

/// The last round in `db`.
Result<Round> ReadRound(Database& db);

/// A value of crawl_state; empty if there is no such key.
Result<std::string> ReadState(Database& db, std::string_view key);

/// How much a crash of the machine (not of the crawler) may cost.
enum class Durability : std::uint8_t {
  kNormal,  ///< The last commits, never consistency.
  kFull,    ///< Nothing that was committed.
};

/// Writes crawl.db: Begin, any number of Add…, Commit. A kill at any moment leaves what the last
/// Commit() left.
/// Errors: after the first one nothing more is written; the transaction under way is rolled back
/// when the catalogue is closed.
/// Threads: one at a time.
class Catalogue {
 public:
  /// Opens the catalogue of a crawl, or makes one.
  static Result<std::unique_ptr<Catalogue>> Open(const std::string& path, Durability durability);
  ~Catalogue();

  /// For the commits from now on; not within a transaction.
  Status SetDurability(Durability durability);

  Status Begin();
  Status AddHost(const HostRow& row);
  Status AddUrl(const UrlRow& row);
  Status AddRequeue(const RequeueRow& row);
  /// The id of the visit.
  Result<std::int64_t> AddVisit(const VisitRow& row, const WarcRef& warc);
  /// Its id is larger than those of all pages that ever were. In a repeated crawl a `duplicate_of`
  /// that does not hold any more is left out.
  Result<AddedPage> AddPage(const PageRow& row, std::int64_t visit, const WarcRef& warc);
  /// Takes a page and its links out. Of the pages that were called its duplicates the first is what
  /// the others are duplicates of from now on; returns its URL, or 0. Only in a repeated crawl.
  Result<UrlId> RemovePage(std::int64_t page, UrlId url);
  /// For whoever deletes pages by other means, in the same transaction: their ids stay used.
  Status KeepLastPage();
  /// Brings up to date what may change about a page whose content does not.
  Status UpdatePage(const StoredPage& page);
  Status AddDeadLetter(const DeadLetterRow& row);
  Status AddEvent(const EventRow& row);
  Status PutRobots(const RobotsRow& row);
  Status PutState(std::string_view key, std::string_view value);
  Status Commit();

  /// Begins the crawl anew, within a transaction: what is known stays known, but waits for nothing;
  /// what robots.txt said has to be asked again. See docs/recrawling.md.
  Status BeginRound(std::int64_t now);
  /// What the round under way has added to: nothing but zeros in the first crawl.
  const Round& round() const { return round_; }

  /// Makes the indexes people want, or drops them before a crawl goes on.
  Status MakeIndexes();
  Status DropIndexes();
  /// Writes the log back into the database, so that the one file is all there is.
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

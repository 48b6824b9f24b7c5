#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"
#include "store/catalogue.hpp"
#include "store/rows.hpp"
#include "store/warc_digest.hpp"

namespace crawler {

// The rows of a stored crawl as StoredCrawl reads them. Views are valid during the call only.

struct StoredHost {
  HostId id = 0;
  std::string_view origin;  ///< scheme://host[:port]
  std::string_view site;    ///< Registrable domain, or the host.
};

struct StoredUrl {
  UrlId id = 0;
  std::string_view url;
  HostId host = 0;
  std::uint32_t depth = 0;
  std::uint32_t redirects = 0;  ///< Redirects in a row that led to the URL.
  Via via = Via::kLink;
  UrlId from = 0;
  SkipReason skipped = SkipReason::kNone;
};

struct StoredVisit {
  std::int64_t id = 0;
  UrlId url = 0;            ///< 0 for a robots.txt.
  HostId host = 0;          ///< The host whose robots.txt was fetched; 0 for other visits.
  std::string_view origin;  ///< Origin of `host`.
  std::int64_t at = 0;
  bool final = false;  ///< No further attempt; otherwise the URL is tried again.
  VisitOutcome outcome = VisitOutcome::kFailed;
  int status = 0;
  FetchFailure failure = FetchFailure::kNone;
  GiveUpReason given_up = GiveUpReason::kNone;
  std::string_view detail;   ///< For people.
  std::string_view address;  ///< IP address that answered; empty if none did.
  UrlId redirect_to = 0;
  std::uint32_t failures = 0;
  std::uint64_t bytes = 0;
  std::int64_t total = 0;        ///< Microseconds; 0 if nothing was sent.
  std::int64_t retry_after = 0;  ///< Milliseconds; 0 if the host did not ask for it.
  PageChange change = PageChange::kNone;
};

struct StoredLinks {
  std::int64_t row = 0;
  UrlId from = 0;
  std::string_view links;  ///< PageRow::links
};

struct StoredContent {
  std::int64_t id = 0;
  UrlId url = 0;
  Sha256Digest content_hash;
  std::int64_t crawled_at = 0;
  std::uint64_t size = 0;
  bool is_duplicate = false;  ///< Of an earlier page.
};

/// The key of `crawl_state` with the time of the last resume after a kill.
inline constexpr std::string_view kInterruptedAt = "interrupted_at";

/// Reads everything that a resume restores: one pass per table, in the order in which the rows were
/// written.
///
/// Errors: kCorruption, naming the table and the row, if ids are out of order, refer to rows that
/// are not there, or values cannot be read. The status of a callback ends the pass and is returned.
/// Ownership: borrows the database.
/// Threads: as the database.
class StoredCrawl {
 public:
  static Result<StoredCrawl> Open(Database& db);

  /// The last round; earlier rows belong to earlier rounds.
  const Round& round() const { return round_; }
  /// Whether the last run was killed: it did not store how it ended.
  bool was_interrupted() const { return was_interrupted_; }
  /// When a resume found that an earlier run was killed: milliseconds since 1970; 0: never. See
  /// kInterruptedAt.
  std::int64_t interrupted_at() const { return interrupted_at_; }
  std::int64_t url_count() const { return urls_; }
  std::int64_t dead_letter_count() const { return dead_letters_; }
  bool HasUrl(std::int64_t id) const { return id >= 1 && id <= urls_; }

  template <typename Row>
  using Callback = std::function<Status(const Row&)>;

  Status ForEachHost(const Callback<StoredHost>& visit);
  Status ForEachUrl(const Callback<StoredUrl>& visit);
  Status ForEachRequeue(const Callback<RequeueRow>& visit);
  /// The visits of all rounds, those of robots.txt included.
  Status ForEachVisit(const Callback<StoredVisit>& visit);
  /// The links themselves are not read; see LinkListReader and Corrupt().
  Status ForEachLinkList(const Callback<StoredLinks>& visit);
  Status ForEachPage(const Callback<StoredContent>& visit);

  /// The error for a row whose content the caller cannot read: `what` says why.
  Status Corrupt(std::string_view table, std::int64_t row, std::string_view what) const;

 private:
  explicit StoredCrawl(Database& db) : db_(&db) {}
  Status ReadHead();

  Database* db_;
  Round round_;
  bool was_interrupted_ = false;
  std::int64_t interrupted_at_ = 0;
  std::int64_t hosts_ = 0;
  std::int64_t urls_ = 0;
  std::int64_t dead_letters_ = 0;
};

}  // namespace crawler

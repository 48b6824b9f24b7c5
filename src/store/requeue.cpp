#include "store/requeue.hpp"

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace crawler {
namespace {

// Collects URLs in a temporary table and requeues them.
class Requeuer {
 public:
  explicit Requeuer(Catalogue& catalogue)
      : db_(catalogue.database()), last_visit_(catalogue.round().last_visit) {}

  Status Begin() {
    return db_.Execute(
        "DROP TABLE IF EXISTS temp.requeue; CREATE TEMP TABLE requeue(url_id INTEGER PRIMARY KEY)");
  }

  // Adds the URLs that `sql` selects; returns how many were new.
  template <typename... Values>
  Result<std::uint64_t> Select(std::string_view sql, const Values&... values) {
    return Change("INSERT OR IGNORE INTO temp.requeue " + std::string(sql), values...);
  }

  // Returns how many of the URLs were over.
  Result<std::uint64_t> Finish(bool with_hosts) {
    const Result<std::int64_t> over = db_.QueryInt(
        "SELECT count(DISTINCT v.url_id) FROM visits v WHERE v.final AND v.id > " +
        std::to_string(last_visit_) + " AND v.url_id IN (SELECT url_id FROM temp.requeue)");
    if (!over.ok()) return over.status();
    Status status =
        db_.Execute("DELETE FROM dead_letters WHERE url_id IN (SELECT url_id FROM temp.requeue)");
    if (status.ok()) {
      status = Change(
                   "UPDATE visits SET final = 0, failures = 0 WHERE id > ?"
                   " AND url_id IN (SELECT url_id FROM temp.requeue)",
                   last_visit_)
                   .status();
    }
    if (status.ok() && with_hosts) status = ForgetHostFailures();
    if (status.ok()) status = db_.Execute("DROP TABLE temp.requeue");
    if (!status.ok()) return status;
    return static_cast<std::uint64_t>(*over);
  }

 private:
  Status ForgetHostFailures() {
    return db_.Execute(
        "CREATE TEMP TABLE requeue_hosts(host_id INTEGER PRIMARY KEY);"
        "INSERT OR IGNORE INTO requeue_hosts"
        " SELECT u.host_id FROM temp.requeue r CROSS JOIN urls u ON u.id = r.url_id;"
        "UPDATE visits SET failures = 0 WHERE url_id IS NULL"
        " AND host_id IN (SELECT host_id FROM requeue_hosts);"
        "DROP TABLE requeue_hosts");
  }

  // Runs `sql` with `values` as its parameters; returns how many rows it changed.
  template <typename... Values>
  Result<std::uint64_t> Change(std::string_view sql, const Values&... values) {
    Result<Statement> statement = db_.Prepare(sql);
    if (!statement.ok()) return statement.status();
    int parameter = 0;
    (statement->Bind(++parameter, values), ...);
    if (Status status = statement->Run(); !status.ok()) return status;
    const Result<std::int64_t> changes = db_.QueryInt("SELECT changes()");
    if (!changes.ok()) return changes.status();
    return static_cast<std::uint64_t>(*changes);
  }

  Database& db_;
  const std::int64_t last_visit_;
};

std::string_view NameOf(const std::optional<FetchFailure>& failure) {
  return failure ? FetchFailureName(*failure) : std::string_view();
}
std::string_view NameOf(const std::optional<GiveUpReason>& reason) {
  return reason ? GiveUpReasonName(*reason) : std::string_view();
}

}  // namespace

Result<std::uint64_t> RequeueRefused(Catalogue& catalogue) {
  Requeuer requeuer(catalogue);
  if (Status status = requeuer.Begin(); !status.ok()) return status;
  const Result<std::uint64_t> selected = requeuer.Select(
      "SELECT url_id FROM visits WHERE final AND id > ? AND (outcome = ? OR given_up = ?)",
      catalogue.round().last_visit, VisitOutcomeName(VisitOutcome::kRefused),
      GiveUpReasonName(GiveUpReason::kNoRobots));
  if (!selected.ok()) return selected.status();
  return requeuer.Finish(false);
}

Result<RetryFilter> MakeRetryFilter(std::string host, const std::string& kind) {
  RetryFilter filter;
  filter.host = std::move(host);
  if (kind.empty()) return filter;
  const char* const end = kind.data() + kind.size();
  const auto [stopped, error] = std::from_chars(kind.data(), end, filter.status);
  if (error == std::errc() && stopped == end && filter.status > 0) return filter;
  filter.status = 0;
  filter.failure = ParseFetchFailure(kind);
  if (filter.failure && *filter.failure != FetchFailure::kNone) return filter;
  filter.failure.reset();
  if (const GiveUpReason reason = ParseGiveUpReason(kind); reason != GiveUpReason::kNone) {
    filter.given_up = reason;
    return filter;
  }
  return Status(StatusCode::kInvalidArgument,
                "'" + kind +
                    "' is no kind of failure; give a status code, a failure such as \"dns\" or "
                    "\"connect timeout\", or \"failures\", \"throttled\" or \"no robots.txt\"");
}

Result<std::uint64_t> RequeueFailed(Catalogue& catalogue, const RetryFilter& filter) {
  Requeuer requeuer(catalogue);
  Status status = catalogue.database().Execute(
      "DROP TABLE IF EXISTS temp.dead;"
      "CREATE TEMP TABLE dead(url_id INTEGER PRIMARY KEY);"
      "INSERT OR IGNORE INTO dead SELECT url_id FROM dead_letters");
  if (status.ok()) status = requeuer.Begin();
  if (!status.ok()) return status;
  // One pass over the visits, whose URLs have no index while a crawl is not complete.
  const Result<std::uint64_t> selected = requeuer.Select(
      "SELECT v.url_id FROM visits v CROSS JOIN temp.dead d ON d.url_id = v.url_id"
      " CROSS JOIN urls u ON u.id = v.url_id CROSS JOIN"
      " (SELECT id, origin, substr(origin, instr(origin, '://') + 3) AS authority FROM hosts) h"
      " ON h.id = u.host_id"
      " WHERE v.final AND v.id > ?1 AND (?2 = '' OR h.origin = ?2 OR h.authority = ?2"
      "  OR substr(h.authority, 1, length(?2) + 1) = ?2 || ':')"
      " AND (?3 = '' OR v.failure = ?3) AND (?4 = '' OR v.given_up = ?4)"
      " AND (?5 = 0 OR v.status_code = ?5)",
      catalogue.round().last_visit, std::string_view(filter.host), NameOf(filter.failure),
      NameOf(filter.given_up), std::int64_t{filter.status});
  if (!selected.ok()) return selected.status();
  status = catalogue.database().Execute("DROP TABLE temp.dead");
  if (!status.ok()) return status;
  return requeuer.Finish(true);
}

Result<std::uint64_t> RequeueSeedsWithoutPage(Catalogue& catalogue) {
  const Result<std::int64_t> has_page =
      catalogue.database().QueryInt("SELECT EXISTS (SELECT 1 FROM pages)");
  if (!has_page.ok()) return has_page.status();
  if (*has_page != 0) return std::uint64_t{0};
  Requeuer requeuer(catalogue);
  if (Status status = requeuer.Begin(); !status.ok()) return status;
  const std::int64_t last_visit = catalogue.round().last_visit;
  Result<std::uint64_t> added = requeuer.Select(
      "SELECT v.url_id FROM visits v CROSS JOIN urls u ON u.id = v.url_id"
      " WHERE v.final AND v.id > ? AND u.via = ?",
      last_visit, static_cast<std::int64_t>(Via::kSeed));
  while (added.ok() && *added > 0) {
    added = requeuer.Select(
        "SELECT v.redirect_to FROM visits v CROSS JOIN temp.requeue r ON r.url_id = v.url_id"
        " CROSS JOIN visits target ON target.url_id = v.redirect_to"
        " WHERE v.final AND v.id > ?1 AND target.final AND target.id > ?1",
        last_visit);
  }
  if (!added.ok()) return added;
  return requeuer.Finish(true);
}

Result<std::vector<GivenUpHost>> ReadGivenUpHosts(Database& db, std::size_t most) {
  std::vector<GivenUpHost> hosts;
  const std::string_view sql =
      "SELECT h.origin, count(*), v.given_up, v.detail, max(v.id) FROM dead_letters d"
      " JOIN visits v ON v.url_id = d.url_id AND v.final AND v.given_up IS NOT NULL"
      " JOIN urls u ON u.id = d.url_id JOIN hosts h ON h.id = u.host_id"
      " GROUP BY h.id ORDER BY 2 DESC, h.id LIMIT ?";
  const auto read = [&hosts](Statement& row) {
    GivenUpHost& host = hosts.emplace_back();
    host.origin = row.Text(0);
    host.urls = static_cast<std::uint64_t>(row.Int(1));
    host.reason = ParseGiveUpReason(row.Text(2));
    host.detail = row.Text(3);
  };
  Status status = ForEachRow(db, sql, read, static_cast<std::int64_t>(most));
  if (!status.ok()) return status;
  return hosts;
}

}  // namespace crawler

// DiffRoundOf(): the pages that one round of a repeated crawl found new, changed or gone.
#include "inspect/diff_rounds.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "inspect/inspect.hpp"
#include "inspect/read_snapshot.hpp"

namespace crawler {
namespace {

// Only pages that are still stored have a size and a title; the last content page before the round
// gives the earlier status.
constexpr const char* kChangesOfRound = R"sql(
  WITH earlier AS (SELECT url_id, max(id) AS id, status_code FROM visits
                   WHERE final AND outcome = 'page' AND id <= ?1 GROUP BY url_id)
  SELECT v.change, u.url, NULL AS moved_from,
         iif(v.change = 'new', NULL, e.status_code) AS status_before,
         iif(v.change = 'gone', NULL, v.status_code) AS status_after,
         NULL AS size_before, p.size AS size_after, p.title
  FROM visits v CROSS JOIN urls u ON u.id = v.url_id
       LEFT JOIN earlier e ON e.url_id = v.url_id
       LEFT JOIN pages p ON p.url_id = v.url_id AND p.visit_id = v.id
  WHERE v.id > ?1 AND v.id <= ?2 AND v.change IN ('new', 'changed', 'gone')
  ORDER BY u.url)sql";

}  // namespace

// The first crawl is round 1; row n of the table begins round n + 1.
Result<VisitRange> FindRound(Database& db, std::uint64_t round) {
  const Result<std::int64_t> repeated = db.QueryInt("SELECT count(*) FROM rounds");
  if (!repeated.ok()) return repeated.status();
  if (*repeated == 0) {
    return Status(StatusCode::kNotFound, "the crawl has one round; `crawler recrawl` repeats it");
  }
  const auto last = static_cast<std::uint64_t>(*repeated) + 1;
  if (round == 0) round = last;
  if (round < 2 || round > last) {
    return Status(StatusCode::kInvalidArgument,
                  "there is nothing to compare round " + std::to_string(round) +
                      " with; the crawl has the rounds 1 to " + std::to_string(last));
  }
  VisitRange range;
  range.last = std::numeric_limits<std::int64_t>::max();
  std::uint64_t number = 1;
  const Status status =
      ForEachRow(db, "SELECT last_visit FROM rounds ORDER BY id", [&](Statement& row) {
        ++number;
        if (number == round) range.first = row.Int(0);
        if (number == round + 1) range.last = row.Int(0);
      });
  if (!status.ok()) return status;
  return range;
}

ReadOutcome DiffRoundOf(const std::string& folder, std::uint64_t round, const RowSink& sink,
                        const ReadLimits& limits) {
  Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, limits);
  if (!snapshot.ok()) return FailedToRead(snapshot.status());
  const Result<VisitRange> visits = FindRound(snapshot->db(), round);
  if (!visits.ok()) return snapshot->Outcome(visits.status(), 0);
  Result<Statement> changes = snapshot->db().Prepare(kChangesOfRound);
  if (!changes.ok()) return snapshot->Outcome(changes.status(), 0);
  changes->Bind(1, visits->first).Bind(2, visits->last);
  std::uint64_t rows = 0;
  const Status status = snapshot->ReadRows(*changes, sink, &rows);
  return snapshot->Outcome(status, rows);
}

}  // namespace crawler

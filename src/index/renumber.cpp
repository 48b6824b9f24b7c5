#include "index/renumber.hpp"

#include <string>
#include <vector>

#include "index/segments.hpp"
#include "index/visit_rows.hpp"

namespace crawler {
namespace {

Status ReadIds(Database& db, const std::function<bool()>& stop, std::vector<std::int64_t>* ids) {
  Result<Statement> select = db.Prepare("SELECT id FROM pages ORDER BY id");
  if (!select.ok()) return select.status();
  return VisitRows(*select, stop, [&] {
    ids->push_back(select->Int(0));
    return Status::Ok();
  });
}

// Indexes of `pages` are made anew afterwards, because changing them row by row, in no order of
// theirs, would take far longer; `*sql` says how.
Status DropIndexes(Database& db, std::string* sql) {
  Result<Statement> select = db.Prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'pages'"
      " AND sql IS NOT NULL");
  if (!select.ok()) return select.status();
  std::string drop;
  Status status = VisitRows(*select, {}, [&] {
    drop.append("DROP INDEX ").append(select->Text(0)).append(";");
    sql->append(select->Text(1)).append(";");
    return Status::Ok();
  });
  return status.ok() ? db.Execute(drop) : status;
}

// A row that belongs to no page could collide with the row of one.
Status RemoveStrays(Database& db) {
  return db.Execute(
      "DELETE FROM page_text WHERE page_id NOT IN (SELECT id FROM pages);"
      "DELETE FROM page_weights WHERE page_id NOT IN (SELECT id FROM pages)");
}

// Ids only become smaller, so that in ascending order the new one is always free.
Status Move(Database& db, const std::vector<std::int64_t>& ids, const std::function<bool()>& stop) {
  constexpr std::size_t kPagesPerQuestion = 256;
  Statement page, text, weights;
  Status status =
      PrepareAll(db, {{&page, "UPDATE pages SET id = ?2 WHERE id = ?1"},
                      {&text, "UPDATE page_text SET page_id = ?2 WHERE page_id = ?1"},
                      {&weights, "UPDATE page_weights SET page_id = ?2 WHERE page_id = ?1"}});
  for (std::size_t i = 0; i < ids.size() && status.ok(); ++i) {
    const auto id = static_cast<std::int64_t>(i) + 1;
    if (i % kPagesPerQuestion == 0) status = Stopped(stop);
    if (ids[i] == id) continue;
    for (Statement* const move : {&page, &text, &weights}) {
      if (status.ok()) status = move->Bind(1, ids[i]).Bind(2, id).Run();
    }
  }
  return status;
}

}  // namespace

Result<bool> HasUnusedIds(Database& db, std::uint64_t spare) {
  const Result<std::int64_t> last = db.QueryInt("SELECT max(id) FROM pages");
  if (!last.ok()) return last.status();
  if (static_cast<std::uint64_t>(*last) <= spare) return false;
  const Result<std::int64_t> pages = db.QueryInt("SELECT count(*) FROM pages");
  if (!pages.ok()) return pages.status();
  return static_cast<std::uint64_t>(*last) > 2 * static_cast<std::uint64_t>(*pages) + spare;
}

Status RenumberPages(Database& db, const std::function<bool()>& stop) {
  std::vector<std::int64_t> ids;
  Status status = ReadIds(db, stop, &ids);
  if (status.ok()) status = db.Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  std::string indexes;
  status = DropPostings(db);
  if (status.ok()) status = RemoveStrays(db);
  if (status.ok()) status = DropIndexes(db, &indexes);
  if (status.ok()) status = Move(db, ids, stop);
  if (status.ok()) status = db.Execute(indexes);
  // The last id that was given, which the catalogue remembers when its page goes.
  if (status.ok()) status = db.Execute("DELETE FROM crawl_state WHERE key = 'last_page'");
  return CommitOrRollBack(db, status);
}

}  // namespace crawler

#include "engine/reopen.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

#include "engine/crawl_context.hpp"

namespace crawler {
namespace {

// Runs `sql` with `bind`; the number of rows it changed.
Result<std::uint64_t> RunCounted(Database& db, std::string_view sql,
                                 const std::function<void(Statement&)>& bind) {
  Result<Statement> statement = db.Prepare(sql);
  if (!statement.ok()) return statement.status();
  bind(*statement);
  if (Status status = statement->Run(); !status.ok()) return status;
  const Result<std::int64_t> changes = db.QueryInt("SELECT changes()");
  if (!changes.ok()) return changes.status();
  return static_cast<std::uint64_t>(*changes);
}

// Whether it worked; a transaction that is not committed is rolled back with its catalogue.
Status InTransaction(Catalogue& catalogue, const std::function<Status()>& work) {
  Status status = catalogue.Begin();
  if (status.ok()) status = work();
  if (status.ok()) status = catalogue.Commit();
  return status;
}

// Where the first capture of file `end.file` begins that does not end within `size`. Captures lie
// one behind the other, so that is the last one that begins there.
Result<std::uint64_t> LastWholeEnd(Database& db, const WarcEnd& end, std::uint64_t size) {
  Result<Statement> select =
      db.Prepare("SELECT max(warc_offset) FROM visits WHERE warc_file = ? AND warc_offset <= ?");
  if (!select.ok()) return select.status();
  const Result<bool> row =
      select->Bind(1, std::int64_t{end.file}).Bind(2, static_cast<std::int64_t>(size)).Step();
  if (!row.ok()) return row.status();
  return *row && !select->IsNull(0) ? static_cast<std::uint64_t>(select->Int(0)) : 0;
}

// Ids of pages are used again, so nothing may be left that names the old ones.
Status ForgetPages(Database& db, const std::function<void(Statement&)>& lost,
                   std::uint64_t* pages) {
  constexpr std::string_view kParts[] = {
      "DELETE FROM page_links WHERE from_id IN (SELECT url_id FROM pages WHERE warc_file = ? AND "
      "warc_offset >= ?)",
      "DELETE FROM page_text WHERE page_id IN (SELECT id FROM pages WHERE warc_file = ? AND "
      "warc_offset >= ?)",
      "DELETE FROM pages WHERE warc_file = ? AND warc_offset >= ?"};
  for (const std::string_view sql : kParts) {
    const Result<std::uint64_t> changed = RunCounted(db, sql, lost);
    if (!changed.ok()) return changed.status();
    *pages = *changed;
  }
  if (*pages == 0) return Status::Ok();
  return db.Execute(
      "DELETE FROM index_segments; DELETE FROM postings; DELETE FROM page_weights;"
      "DELETE FROM removed_pages;"
      "DELETE FROM crawl_state WHERE key LIKE 'index.%' AND key <> 'index.generation';"
      "UPDATE crawl_state SET value = value + 1 WHERE key = 'index.generation'");
}

Status ForgetVisits(Database& db, const ArchiveLoss& loss,
                    const std::function<void(Statement&)>& lost, std::uint64_t* visits) {
  Result<std::uint64_t> changed = RunCounted(
      db,
      "DELETE FROM dead_letters WHERE url_id IN (SELECT url_id FROM visits WHERE warc_file = "
      "? AND warc_offset >= ? AND final)",
      lost);
  if (!changed.ok()) return changed.status();
  const std::string detail = "its record was lost with the end of " + loss.file;
  changed =
      RunCounted(db,
                 "UPDATE visits SET final = 0, outcome = ?3, detail = ?4 WHERE warc_file = ?1 AND "
                 "warc_offset >= ?2 AND final AND url_id IS NOT NULL",
                 [&](Statement& statement) {
                   lost(statement);
                   statement.Bind(3, VisitOutcomeName(VisitOutcome::kLost)).Bind(4, detail);
                 });
  if (!changed.ok()) return changed.status();
  changed = RunCounted(db,
                       "UPDATE visits SET warc_file = NULL, warc_offset = NULL, warc_length = NULL "
                       "WHERE warc_file = ? AND warc_offset >= ?",
                       lost);
  if (!changed.ok()) return changed.status();
  *visits = *changed;
  return Status::Ok();
}

}  // namespace

Result<std::uint64_t> ReopenRefused(Catalogue& catalogue) {
  constexpr std::string_view kWhich =
      " final AND (outcome = ?1 OR (outcome = ?2 AND substr(detail, 1, length(?3)) = ?3))";
  const auto bind = [](Statement& statement) {
    statement.Bind(1, VisitOutcomeName(VisitOutcome::kRefused))
        .Bind(2, VisitOutcomeName(VisitOutcome::kGivenUp))
        .Bind(3, kReasonNoRobots);
  };
  Database& db = catalogue.database();
  std::uint64_t reopened = 0;
  Status status = InTransaction(catalogue, [&] {
    Result<std::uint64_t> changed =
        RunCounted(db,
                   "DELETE FROM dead_letters WHERE url_id IN (SELECT url_id FROM visits WHERE" +
                       std::string(kWhich) + ")",
                   bind);
    if (!changed.ok()) return changed.status();
    changed = RunCounted(db, "UPDATE visits SET final = 0 WHERE" + std::string(kWhich), bind);
    if (!changed.ok()) return changed.status();
    reopened = *changed;
    return Status::Ok();
  });
  if (!status.ok()) return status;
  return reopened;
}

Result<WarcEnd> CommittedWarcEnd(Catalogue& catalogue) {
  const Result<std::string> text = catalogue.State("warc");
  if (!text.ok()) return text.status();
  unsigned file = 0;
  unsigned long long offset = 0;
  if (std::sscanf(text->c_str(), "%u %llu", &file, &offset) != 2) return WarcEnd();
  return WarcEnd{file, offset};
}

Result<std::optional<ArchiveLoss>> ReopenLost(Catalogue& catalogue,
                                              const std::string& warc_folder) {
  const Result<WarcEnd> end = CommittedWarcEnd(catalogue);
  if (!end.ok()) return end.status();
  ArchiveLoss loss;
  loss.file = WarcFileName("crawl", end->file);
  std::error_code error;
  const std::uintmax_t size =
      std::filesystem::file_size(std::filesystem::path(warc_folder) / loss.file, error);
  if (end->file == 0 || error || size >= end->offset) return std::optional<ArchiveLoss>();
  loss.bytes = end->offset - size;

  Database& db = catalogue.database();
  const Result<std::uint64_t> cut = LastWholeEnd(db, *end, size);
  if (!cut.ok()) return cut.status();
  const auto lost = [&](Statement& statement) {
    statement.Bind(1, std::int64_t{end->file}).Bind(2, static_cast<std::int64_t>(*cut));
  };
  Status status = InTransaction(catalogue, [&] {
    std::uint64_t visits = 0;
    Status done = ForgetPages(db, lost, &loss.pages);
    if (done.ok()) done = ForgetVisits(db, loss, lost, &visits);
    loss.others = visits - std::min(visits, loss.pages);
    if (done.ok()) {
      done = catalogue.PutState("warc", std::to_string(end->file) + " " + std::to_string(*cut));
    }
    if (!done.ok()) return done;
    return catalogue.AddEvent({NowMilliseconds(), "archive cut short",
                               loss.file + ": " + std::to_string(loss.bytes) + " bytes, " +
                                   std::to_string(loss.pages) + " pages"});
  });
  if (!status.ok()) return status;
  return std::optional<ArchiveLoss>(loss);
}

}  // namespace crawler

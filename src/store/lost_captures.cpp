#include "store/lost_captures.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "store/cdxj.hpp"

namespace crawler {
namespace {

// Runs `sql` with `bind`; returns the number of changed rows.
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

// The files with captures, by number, and their least sizes according to the catalogue, which does
// not know the records behind the last response of a full file.
Result<std::map<std::uint32_t, std::uint64_t>> CommittedSizes(Database& db, const WarcEnd& end) {
  std::map<std::uint32_t, std::uint64_t> sizes;
  Status status = ForEachRow(
      db, "SELECT warc_file, warc_offset + warc_length FROM visits WHERE warc_file BETWEEN 1 AND ?",
      [&sizes](Statement& row) {
        std::uint64_t& size = sizes[static_cast<std::uint32_t>(row.Int(0))];
        size = std::max(size, static_cast<std::uint64_t>(row.Int(1)));
      },
      std::int64_t{end.file});
  if (!status.ok()) return status;
  sizes[end.file] = end.offset;
  return sizes;
}

Result<std::uint64_t> SizeOf(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error) return size;
  if (error == std::errc::no_such_file_or_directory) {
    return Status(StatusCode::kCorruption,
                  path.string() +
                      " is missing, but holds committed pages; put it back, or go on without an "
                      "archive (--no-warc)");
  }
  return Status(StatusCode::kIoError, path.string() + ": " + error.message());
}

// The offset of the first capture of a file that does not end within `size`: the last capture that
// begins there, since captures are contiguous.
Result<std::uint64_t> LastWholeEnd(Database& db, std::uint32_t file, std::uint64_t size) {
  std::uint64_t end = 0;
  Status status = ForEachRow(
      db, "SELECT max(warc_offset) FROM visits WHERE warc_file = ? AND warc_offset <= ?",
      [&end](Statement& row) { end = static_cast<std::uint64_t>(row.Int(0)); }, std::int64_t{file},
      static_cast<std::int64_t>(size));
  if (!status.ok()) return status;
  return end;
}

// Removes everything from a catalogue that depends on the captures of one file behind an offset.
class Forgetter {
 public:
  Forgetter(Catalogue& catalogue, std::uint32_t file, ArchiveLoss* loss)
      : catalogue_(catalogue), db_(catalogue.database()), file_(file), loss_(*loss) {}

  Status Run(std::int64_t now) {
    for (const auto step :
         {&Forgetter::FindPages, &Forgetter::ForgetVisits, &Forgetter::ForgetCaptures,
          &Forgetter::ForgetPages, &Forgetter::RequeueUrls}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    if (Status status = db_.Execute("DROP TABLE lost_pages"); !status.ok()) return status;
    return catalogue_.AddEvent({now, "archive cut short",
                                loss_.file + ": " + std::to_string(loss_.bytes) + " bytes, " +
                                    std::to_string(loss_.pages.size()) + " pages"});
  }

 private:
  Result<std::uint64_t> RunWithPlace(std::string_view sql) {
    return RunCounted(db_, sql, [this](Statement& statement) { BindPlace(statement); });
  }
  void BindPlace(Statement& statement) const {
    statement.Bind(1, std::int64_t{file_}).Bind(2, static_cast<std::int64_t>(loss_.kept));
  }

  Status FindPages() {
    Status status = db_.Execute(
        "CREATE TEMP TABLE lost_pages("
        " url_id INTEGER PRIMARY KEY, id INTEGER, visit_id INTEGER, depth INTEGER)");
    if (!status.ok()) return status;
    const Result<std::uint64_t> pages = RunWithPlace(
        "INSERT OR REPLACE INTO lost_pages SELECT url_id, id, visit_id, depth FROM pages"
        " WHERE warc_file = ? AND warc_offset >= ?");
    if (!pages.ok()) return pages.status();
    return ForEachRow(db_, "SELECT id FROM lost_pages",
                      [this](Statement& row) { loss_.pages.push_back(row.Int(0)); });
  }

  // Also forgets later visits that found a lost page unchanged.
  Status ForgetVisits() {
    const std::string which =
        " final AND url_id IS NOT NULL AND ((warc_file = ?1 AND warc_offset >= ?2) OR"
        " id >= (SELECT visit_id FROM lost_pages l WHERE l.url_id = visits.url_id))";
    const Result<std::uint64_t> letters = RunWithPlace(
        "DELETE FROM dead_letters WHERE url_id IN (SELECT url_id FROM visits WHERE" + which + ")");
    if (!letters.ok()) return letters.status();
    const std::string detail = "its record was lost with the end of " + loss_.file;
    return RunCounted(db_, "UPDATE visits SET final = 0, outcome = ?3, detail = ?4 WHERE" + which,
                      [&](Statement& statement) {
                        BindPlace(statement);
                        statement.Bind(3, VisitOutcomeName(VisitOutcome::kLost)).Bind(4, detail);
                      })
        .status();
  }

  Status ForgetCaptures() {
    const Result<std::uint64_t> captures = RunWithPlace(
        "UPDATE visits SET warc_file = NULL, warc_offset = NULL, warc_length = NULL"
        " WHERE warc_file = ? AND warc_offset >= ?");
    if (captures.ok())
      loss_.others = *captures - std::min<std::uint64_t>(*captures, loss_.pages.size());
    return captures.status();
  }

  // The first duplicate of a lost page becomes the original of the others.
  Status ForgetPages() {
    if (Status status = catalogue_.KeepLastPage(); !status.ok()) return status;
    return db_.Execute(
        "DELETE FROM page_links WHERE from_id IN (SELECT url_id FROM lost_pages);"
        "DELETE FROM pages WHERE id IN (SELECT id FROM lost_pages);"
        "CREATE TEMP TABLE heirs AS SELECT duplicate_of AS original, url_id AS heir, min(id)"
        " FROM pages WHERE duplicate_of IN (SELECT url_id FROM lost_pages) GROUP BY duplicate_of;"
        "UPDATE pages SET duplicate_of ="
        " nullif((SELECT heir FROM heirs WHERE original = duplicate_of), url_id)"
        " WHERE duplicate_of IN (SELECT original FROM heirs);"
        "DROP TABLE heirs");
  }

  // Only for later rounds, in which no link may lead to these URLs; in the first crawl they are
  // queued anyway.
  Status RequeueUrls() {
    if (catalogue_.round().number == 0) return Status::Ok();
    return db_.Execute(
        "INSERT INTO requeued SELECT NULL, url_id, depth, NULL, 1 FROM lost_pages ORDER BY "
        "url_id");
  }

  Catalogue& catalogue_;
  Database& db_;
  const std::uint32_t file_;
  ArchiveLoss& loss_;
};

}  // namespace

Result<WarcEnd> CommittedWarcEnd(Database& db) {
  const Result<std::string> text = ReadState(db, "warc");
  if (!text.ok()) return text.status();
  unsigned file = 0;
  unsigned long long offset = 0;
  if (std::sscanf(text->c_str(), "%u %llu", &file, &offset) != 2) return WarcEnd();
  return WarcEnd{file, offset};
}

Result<std::vector<ArchiveLoss>> RequeueLostCaptures(Catalogue& catalogue,
                                                     const std::string& warc_folder,
                                                     std::int64_t now) {
  std::vector<ArchiveLoss> losses;
  const Result<WarcEnd> end = CommittedWarcEnd(catalogue.database());
  if (!end.ok()) return end.status();
  if (end->file == 0) return losses;
  Database& db = catalogue.database();
  const auto committed = CommittedSizes(db, *end);
  if (!committed.ok()) return committed.status();
  for (const auto& [file, least] : *committed) {
    ArchiveLoss loss;
    loss.file = WarcFileName("crawl", file);
    const Result<std::uint64_t> size = SizeOf(std::filesystem::path(warc_folder) / loss.file);
    if (!size.ok()) return size.status();
    if (*size >= least) continue;
    loss.bytes = least - *size;
    const Result<std::uint64_t> kept = LastWholeEnd(db, file, *size);
    if (!kept.ok()) return kept.status();
    loss.kept = *kept;
    Status status = Forgetter(catalogue, file, &loss).Run(now);
    if (status.ok() && file == end->file) {
      status = catalogue.PutState("warc", std::to_string(file) + " " + std::to_string(loss.kept));
    }
    if (!status.ok()) return status;
    losses.push_back(std::move(loss));
  }
  return losses;
}

Status CutArchive(const std::string& warc_folder, const std::vector<ArchiveLoss>& losses) {
  for (const ArchiveLoss& loss : losses) {
    const std::filesystem::path path = std::filesystem::path(warc_folder) / loss.file;
    std::error_code error;
    std::filesystem::remove(CdxjPath(path), error);
    if (!error) std::filesystem::resize_file(path, loss.kept, error);
    if (error) return Status(StatusCode::kIoError, path.string() + ": " + error.message());
  }
  return Status::Ok();
}

}  // namespace crawler

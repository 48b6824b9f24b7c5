#include "store/read_catalogue.hpp"

#include "store/schema.hpp"

namespace crawler {

Result<Database> OpenCatalogueForReading(const std::string& path) {
  Result<Database> db = Database::Open(path, Database::Mode::kReadOnly);
  if (!db.ok()) return db;
  const Result<std::int64_t> tables =
      db->QueryInt("SELECT count(*) FROM sqlite_schema WHERE name = 'crawl_state'");
  if (tables.ok() && *tables == 0) {
    return Status(
        StatusCode::kNotFound,
        path + " holds no crawl: nothing was ever committed to it, or it has been emptied");
  }
  // Each further statement would wait for the lock as long as this one.
  if (tables.status().code() == StatusCode::kBusy) return tables.status();
  const Result<std::int64_t> version = db->QueryInt("PRAGMA user_version");
  if (!tables.ok() || !version.ok()) return db;  // The reader finds out, and says so.
  if (*version > static_cast<std::int64_t>(CatalogueSchema().size())) {
    return Status(StatusCode::kUnsupported,
                  path + " was written by a newer version of this program; use that one");
  }
  const std::string views = OldSchemaViews(*version);
  if (views.empty()) return db;
  Status status = db->Execute(views);
  if (!status.ok()) return status;
  return db;
}

Status BeginReading(Database& db) {
  // A transaction begins with its first read.
  Status status = db.Execute(
      "CREATE TEMP VIEW texts(page_id, url, title, language, words, text) AS"
      " SELECT p.id, p.url, p.title, t.language, t.words, unzip_text(t.text)"
      " FROM page_text t CROSS JOIN pages p ON p.id = t.page_id;"
      "BEGIN");
  if (!status.ok()) return status;
  return db.QueryInt("SELECT count(*) FROM crawl_state").status();
}

Result<bool> IsForeignDatabase(const std::string& path) {
  Result<Database> db = Database::Open(path, Database::Mode::kReadOnly);
  if (!db.ok()) return db.status();
  const Result<std::int64_t> foreign =
      db->QueryInt("SELECT count(*) > 0 AND sum(name = 'crawl_state') = 0 FROM sqlite_schema");
  if (foreign.ok()) return *foreign != 0;
  const StatusCode code = foreign.status().code();
  if (code == StatusCode::kCorruption || code == StatusCode::kBusy) return foreign.status();
  return false;
}

}  // namespace crawler

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
  const Result<std::int64_t> version = db->QueryInt("PRAGMA user_version");
  if (!tables.ok() || !version.ok()) return db;  // The reader finds out, and says so.
  if (*version > static_cast<std::int64_t>(CatalogueSchema().size())) {
    return Status(StatusCode::kInvalidArgument,
                  path + " was written by a newer version of this program");
  }
  const std::string views = OldSchemaViews(*version);
  if (views.empty()) return db;
  Status status = db->Execute("PRAGMA temp_store = MEMORY;" + views);
  if (!status.ok()) return status;
  return db;
}

}  // namespace crawler

#pragma once

#include <string>

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

/// Opens the catalogue at `path` to read it. A catalogue of an older schema is not changed, but is
/// seen as one of the newest (see OldSchemaViews()).
/// kNotFound if there is no file, or no crawl was ever committed to it; kInvalidArgument if a newer
/// program has written it. A damaged file may be opened: reading it fails.
Result<Database> OpenCatalogueForReading(const std::string& path);

/// Begins a transaction that reads `db` as of now, with the TEMP view texts(page_id, url, title,
/// language, words, text). Requires: the function unzip_text() is defined.
Status BeginReading(Database& db);

/// Whether the database at `path` has tables, but not those of a crawl. False also if it cannot be
/// read for a reason that passes, or that opening it for writing mends: a kill while the database
/// was made leaves a journal, which is rolled back then. kCorruption if the file is no database.
Result<bool> IsForeignDatabase(const std::string& path);

}  // namespace crawler

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

}  // namespace crawler

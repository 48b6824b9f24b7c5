#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace crawler {

/// The schema of crawl.db as steps for Migrate(), oldest first. A released step is never changed.
/// docs/formats.md explains the tables.
std::span<const char* const> CatalogueSchema();

/// SQL for TEMP views that show the tables of a catalogue of an older `version` in the form of the
/// newest version: names of TEMP views hide those of tables. For read-only connections; others use
/// Migrate(). Empty for the newest version. The view `fates` stays as it is.
std::string OldSchemaViews(std::int64_t version);

/// Indexes for queries by people. Created when the crawl is complete, dropped when it is resumed.
extern const char* const kCompletionIndexes;
extern const char* const kDropCompletionIndexes;

/// Indexes that a repeated crawl needs while it runs, instead of kCompletionIndexes.
extern const char* const kRoundIndexes;

}  // namespace crawler

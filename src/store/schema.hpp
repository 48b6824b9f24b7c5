#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace crawler {

/// The schema of crawl.db as steps for Migrate(), oldest first. A step that has been released is
/// never changed; what it says is explained in docs/formats.md.
std::span<const char* const> CatalogueSchema();

/// SQL that makes a connection see the tables of a catalogue of an older `version` as the newest
/// version has them, by TEMP views: their names win over those of the tables. For connections that
/// only read; Migrate() is for the others. Empty for the newest version. `fates` stays as it was.
std::string OldSchemaViews(std::int64_t version);

/// Indexes that only people need. Made when the crawl is complete, dropped while it goes on.
extern const char* const kCompletionIndexes;
extern const char* const kDropCompletionIndexes;

/// What a repeated crawl needs while it goes on, instead of those.
extern const char* const kRoundIndexes;

}  // namespace crawler

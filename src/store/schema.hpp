#pragma once

#include <span>

namespace crawler {

/// The schema of crawl.db as steps for Migrate(), oldest first. A step that has been released is
/// never changed; what it says is explained in docs/formats.md.
std::span<const char* const> CatalogueSchema();

/// Indexes that only people need. Made when the crawl is complete, dropped while it goes on.
extern const char* const kCompletionIndexes;
extern const char* const kDropCompletionIndexes;

/// What a repeated crawl needs while it goes on, instead of those.
extern const char* const kRoundIndexes;

}  // namespace crawler

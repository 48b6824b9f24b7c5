#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.hpp"
#include "store/catalogue.hpp"
#include "store/warc_writer.hpp"

namespace crawler {

// What a resume puts back to be asked for again, before the crawl is restored. Visits that do not
// hold any more stay in the catalogue, but are not final. Each is one transaction.

/// For a crawl that does not ask for robots.txt any more: the URLs that robots.txt refused, or
/// whose hosts were given up because they showed none. Returns how many.
Result<std::uint64_t> ReopenRefused(Catalogue& catalogue);

/// What an archive has lost.
struct ArchiveLoss {
  std::string file;          ///< Its name.
  std::uint64_t bytes = 0;   ///< That it is shorter than it was committed.
  std::uint64_t pages = 0;   ///< Whose records are gone, all or in part.
  std::uint64_t others = 0;  ///< Other responses: redirects, errors, robots.txt.
};

/// If the last file of the archive in `warc_folder` is shorter than the catalogue says: forgets the
/// captures that are not whole, and what they led to, and lets the archive end before them, where
/// WarcWriter::Open() cuts it. Their URLs wait again. The index is to be gathered anew.
/// Nothing if the file is long enough, or not there at all, which is for the writer to say.
Result<std::optional<ArchiveLoss>> ReopenLost(Catalogue& catalogue, const std::string& warc_folder);

/// How far the archive was committed; an empty one if nothing was.
Result<WarcEnd> CommittedWarcEnd(Catalogue& catalogue);

}  // namespace crawler

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "store/catalogue.hpp"
#include "store/warc_writer.hpp"

namespace crawler {

// What a crawl that goes on puts back to be asked for again, before it is restored. Visits that do
// not hold any more stay in the catalogue, but are not final. All of it within a transaction of the
// caller's.

/// For a crawl that does not ask for robots.txt any more: the URLs that robots.txt refused, or
/// whose hosts were given up because they showed none. Returns how many.
Result<std::uint64_t> ReopenRefused(Catalogue& catalogue);

/// What a file of the archive has lost.
struct ArchiveLoss {
  std::string file;          ///< Its name.
  std::uint64_t kept = 0;    ///< Up to here its captures are whole.
  std::uint64_t bytes = 0;   ///< That it is shorter than it was committed.
  std::uint64_t pages = 0;   ///< Whose records are gone, all or in part.
  std::uint64_t others = 0;  ///< Other responses: redirects, errors, robots.txt.
};

/// Compares the files of the archive in `warc_folder` with the catalogue. Of those that are shorter
/// than their captures it forgets the captures that are not whole, and what they led to: their URLs
/// wait again, and are archived at the end. Looks at names and sizes alone, in one pass over the
/// visits; CutArchive() does what is to be done to the files.
/// kCorruption, saying what to do, if a file that has captures is gone.
Result<std::vector<ArchiveLoss>> ReopenLost(Catalogue& catalogue, const std::string& warc_folder);

/// Cuts the files off behind their last whole capture, and removes their indexes, which name what
/// is gone.
Status CutArchive(const std::string& warc_folder, const std::vector<ArchiveLoss>& losses);

/// How far the archive was committed; an empty one if nothing was.
Result<WarcEnd> CommittedWarcEnd(Catalogue& catalogue);

}  // namespace crawler

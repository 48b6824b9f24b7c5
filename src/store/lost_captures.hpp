#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "store/catalogue.hpp"
#include "store/warc_writer.hpp"

namespace crawler {

/// The loss of a WARC file that is shorter than the catalogue says.
struct ArchiveLoss {
  std::string file;                 ///< File name.
  std::uint64_t kept = 0;           ///< The captures before this offset are whole.
  std::uint64_t bytes = 0;          ///< Bytes missing at the end.
  std::vector<std::int64_t> pages;  ///< Ids of the pages whose captures are lost, all or in part.
  std::uint64_t others = 0;         ///< Other lost responses: redirects, errors, robots.txt.
};

/// Compares the WARC files in `warc_folder` with the catalogue. If a file is shorter than its
/// captures, the captures that are not whole are forgotten with their pages, and their URLs are
/// requeued: their visits stay, as kLost, but are not final. The caller removes the lost pages from
/// the index, in the same transaction, and then calls CutArchive(). Reads only names and sizes of
/// the files, and the visits once. `now` is the time of the event that is written for each loss.
/// Requires: a transaction is open.
/// kCorruption, saying what to do, if a file that has captures is missing.
Result<std::vector<ArchiveLoss>> RequeueLostCaptures(Catalogue& catalogue,
                                                     const std::string& warc_folder,
                                                     std::int64_t now);

/// Cuts the files off behind their last whole capture, and removes their CDXJ indexes, which name
/// lost captures.
Status CutArchive(const std::string& warc_folder, const std::vector<ArchiveLoss>& losses);

/// The end of the archive as of the last commit; file 0 if nothing was archived.
Result<WarcEnd> CommittedWarcEnd(Database& db);

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/options.hpp"
#include "store/catalogue.hpp"

namespace crawler {

struct ArchiveIndexOptions {
  /// As IndexOptions::max_ram. Default: 256 MiB.
  std::size_t max_ram = std::size_t{256} << 20;
  /// Called from time to time with the number of pages read and the number of all pages to read.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
  /// Called with a sentence for each of the first hundred pages that cannot be read.
  std::function<void(std::string_view sentence)> warn;
};

struct ArchiveIndexReport {
  std::uint64_t read = 0;        ///< Pages that were indexed from their records.
  std::uint64_t unreadable = 0;  ///< Pages whose records are damaged or gone.
  std::uint64_t unarchived = 0;  ///< Pages without a record: crawled without a WARC.
};

/// Indexes the pages of a crawl whose texts are not stored (it made no index, or an older version
/// made it) from their records in `warc_folder`, as a crawl with the options `crawl` would have.
///
/// Pages are committed in batches: after a kill the next call goes on behind the last batch. Pages
/// that are already in the index but come after the first page that is added get new postings from
/// their texts, because segments hold pages in order.
/// RunIndexing() has to finish the index afterwards.
/// Errors: those of the database. A page that cannot be read is not an error; the next call tries
/// it again.
/// Requires: no transaction is open.
Status IndexFromArchive(Catalogue& catalogue, const CrawlOptions& crawl,
                        const std::string& warc_folder, const ArchiveIndexOptions& options,
                        ArchiveIndexReport* report);

}  // namespace crawler

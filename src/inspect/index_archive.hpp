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
  /// Called now and then: how many of the pages that are to be read have been.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
  /// Called with a sentence for each of the first hundred pages that cannot be read.
  std::function<void(std::string_view sentence)> warn;
};

struct ArchiveIndexReport {
  std::uint64_t read = 0;        ///< Pages that were indexed from their records.
  std::uint64_t unreadable = 0;  ///< Whose records are damaged or gone.
  std::uint64_t unarchived = 0;  ///< That never had a record: crawled without a WARC.
};

/// Indexes the pages of a crawl whose texts are not stored (it made no index, or an older version
/// made it) from their records in `warc_folder`, just as the crawl in `crawl` would have done it.
///
/// Pages are committed in batches: after a kill the next call goes on behind the last of them. If
/// pages behind the first of them are in the index already, their postings are made again of their
/// texts, because segments hold pages in order.
/// What is written is to be finished by RunIndexing().
/// Errors: those of the database. A page that cannot be read is none; the next call tries it again.
/// Requires: no transaction is open.
Status IndexFromArchive(Catalogue& catalogue, const CrawlOptions& crawl,
                        const std::string& warc_folder, const ArchiveIndexOptions& options,
                        ArchiveIndexReport* report);

}  // namespace crawler

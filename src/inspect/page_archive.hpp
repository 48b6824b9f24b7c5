#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"
#include "fetch/decode.hpp"
#include "model/fetch_result.hpp"
#include "store/catalogue.hpp"
#include "store/warc_digest.hpp"
#include "store/warc_reader.hpp"

namespace crawler {

/// The stored fields of a page that reading its archived response needs.
struct ArchivedPage {
  std::int64_t id = 0;
  std::int64_t visit = 0;
  std::string url;
  int status = 0;
  std::int64_t crawled_at = 0;  ///< Milliseconds since 1970.
  std::string content_hash;     ///< Empty if it is not known: nothing is compared then.
  std::uint64_t size = 0;       ///< Size of the decoded body.
  WarcRef warc;
};

/// The columns of ToArchivedPage(), of `pages p`.
inline constexpr std::string_view kArchivedPageColumns =
    "p.id, p.url, p.status_code, p.crawled_at, p.content_hash, p.size, p.warc_file,"
    " p.warc_offset, p.warc_length, p.visit_id";
/// `first`: the column that they begin with.
ArchivedPage ToArchivedPage(const Statement& row, int first = 0);

/// Reads the responses of pages from the WARC of their crawl, in the form in which the fetcher
/// returned them: head, body, decoded body. A page whose record is a revisit gets its body from the
/// record that it refers to.
/// Ownership: borrows the database. Reuses its memory, a few times `max_body`, from page to page.
/// Threads: that of the database.
class PageArchive {
 public:
  /// Larger blocks than a head and `max_body` bytes are not read.
  PageArchive(Database& db, std::string warc_folder, std::size_t max_body);
  /// Makes the indexes of the catalogue when it needs them.
  PageArchive(Catalogue& catalogue, std::string warc_folder, std::size_t max_body);

  /// False if the record of the page is damaged or does not hold the crawled content; then
  /// `*problem` names the file and the reason. Errors: those of the database.
  Result<bool> Read(const ArchivedPage& page, FetchResult* response, std::string* problem);

 private:
  bool ReadRecord(const WarcRef& where, WarcRecord* record, std::string* problem) const;
  Result<bool> ReadOriginal(const ArchivedPage& page, FetchResult* response, std::string* problem);
  bool Assemble(const ArchivedPage& page, const WarcRecord& body, FetchResult* response);

  Database& db_;
  Catalogue* catalogue_ = nullptr;  // Null if it may only be read.
  const std::string warc_folder_;
  WarcReader::Limits limits_;
  std::optional<Statement> captures_;  // Captures of a URL; prepared for the first revisit.
  WarcRecord record_, original_;
  Decoder decoder_;
  Hasher hasher_;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/status.hpp"
#include "db/database.hpp"
#include "fetch/decode.hpp"
#include "model/fetch_result.hpp"
#include "store/catalogue.hpp"
#include "store/warc_digest.hpp"
#include "store/warc_reader.hpp"

namespace crawler {

/// What the catalogue says of a page, as far as reading it again needs it.
struct ArchivedPage {
  std::int64_t id = 0;
  std::int64_t visit = 0;
  std::string url;
  int status = 0;
  std::int64_t crawled_at = 0;  ///< Milliseconds since 1970.
  std::string content_hash;
  std::uint64_t size = 0;  ///< Of the decoded body.
  WarcRef warc;
};

/// Gives the responses of pages back from the WARC of their crawl, as the fetcher once gave them:
/// head, body, decoded body. A page whose record is a revisit has its body from the record that it
/// refers to.
/// Ownership: borrows the catalogue. Keeps its memory from page to page, a few times `max_body`.
/// Threads: one at a time, the one of the catalogue.
class PageArchive {
 public:
  /// Blocks of more than `max_body` bytes and a head are not read.
  PageArchive(Catalogue& catalogue, std::string warc_folder, std::size_t max_body);

  /// False if the page cannot be had again: its record is damaged, or is not what was crawled; then
  /// `*problem` says what is wrong with which file. Errors: those of the database.
  Result<bool> Read(const ArchivedPage& page, FetchResult* response, std::string* problem);

 private:
  bool ReadRecord(const WarcRef& where, WarcRecord* record, std::string* problem) const;
  Result<bool> ReadOriginal(const ArchivedPage& page, FetchResult* response, std::string* problem);
  bool Assemble(const ArchivedPage& page, const WarcRecord& body, FetchResult* response);

  Catalogue& catalogue_;
  const std::string warc_folder_;
  WarcReader::Limits limits_;
  std::optional<Statement> captures_;  // Of a URL; prepared for the first revisit.
  WarcRecord record_, original_;
  Decoder decoder_;
  Hasher hasher_;
};

}  // namespace crawler

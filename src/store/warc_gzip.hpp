#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace crawler {

/// Compresses WARC records to gzip members, for speed: with ISA-L at its fast levels, and for short
/// records with prepared Huffman codes, because computing codes for each of them would cost several
/// times as much as the rest.
/// Threads: one at a time.
class GzipEncoder {
 public:
  GzipEncoder();
  ~GzipEncoder();
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  /// Appends one member with the contents `record` to `*out`. Its bytes from `store_from` on are
  /// taken to be compressed already and stored as they are. Requires: less than 4 GiB.
  void AppendMember(std::string_view record, std::size_t store_from, std::string* out);

 private:
  struct Stream;

  void AppendDeflated(std::string_view text, bool last, std::string* out);

  const std::unique_ptr<Stream> stream_;
};

}  // namespace crawler

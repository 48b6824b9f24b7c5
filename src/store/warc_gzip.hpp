#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace crawler {

/// Makes gzip members of WARC records, fast: with ISA-L at its quick levels, and for short records
/// with Huffman codes made beforehand for this kind of text, as finding the best ones for each
/// would cost several times what the rest does.
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

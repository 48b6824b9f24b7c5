#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "model/headers.hpp"

namespace crawler {

/// The result of checking a digest.
enum class DigestCheck : std::uint8_t {
  kAbsent,   ///< There is no digest, or the record is a revisit, whose payload is elsewhere.
  kUnknown,  ///< Unknown form of digest or of payload.
  kPass,
  kFail,
};

/// One record of an archive. A plain value; reading into one again keeps its memory.
struct WarcRecord {
  std::uint64_t offset = 0;  ///< Offset in the file.
  std::uint64_t length = 0;  ///< Size in the file: that of the gzip member, if compressed.
  HeaderBlock head;          ///< Its named fields; raw() begins with "WARC/".
  std::string type;          ///< "response", …
  std::string uri;           ///< WARC-Target-URI, without the angle brackets some writers add.
  std::string date;          ///< WARC-Date.

  std::uint64_t block_size = 0;
  std::string block;  ///< Its first Limits::keep_block bytes.
  /// If the block is an HTTP message: its head, status code (0 for requests) and the size of its
  /// body without chunk framing. Otherwise the payload is the block.
  HeaderBlock http;
  int status = 0;
  std::uint64_t payload_size = 0;

  DigestCheck block_digest = DigestCheck::kAbsent;
  /// kPass also for the digest of the body with its chunk framing: writers differ.
  DigestCheck payload_digest = DigestCheck::kAbsent;

  /// A field, or "" if it is not there.
  std::string_view Field(std::string_view name) const;
};

enum class WarcRead : std::uint8_t {
  kRecord,
  kEnd,      ///< The file ends after a record.
  kCut,      ///< The file ends within a record: its writer was interrupted.
  kDamaged,  ///< The bytes are not a WARC record, or cannot be read.
};

/// Reads the records of a WARC file in order, gzipped (one member per record) or plain, and checks
/// their digests. Any bytes give one of the outcomes above, in time linear in their unpacked size
/// and with memory bounded by the limits.
/// Threads: one at a time.
class WarcReader {
 public:
  struct Limits {
    std::size_t max_head = 64 << 10;                   ///< Bytes of a record's named fields.
    std::size_t max_http_head = 256 << 10;             ///< Longer heads are not read as HTTP.
    std::uint64_t max_block = std::uint64_t{4} << 30;  ///< Larger records count as damaged.
    std::size_t keep_block = 0;                        ///< Bytes kept per block.
  };

  /// Begins at `offset`, where a record must begin. kNotFound or kIoError if it cannot be opened.
  static Result<std::unique_ptr<WarcReader>> Open(const std::filesystem::path& file,
                                                  const Limits& limits, std::uint64_t offset = 0);
  static Result<std::unique_ptr<WarcReader>> Open(const std::filesystem::path& file) {
    return Open(file, Limits());
  }
  /// Reads `bytes`, which must live as long as the reader.
  static std::unique_ptr<WarcReader> FromBytes(std::string_view bytes, const Limits& limits);
  ~WarcReader();
  WarcReader(const WarcReader&) = delete;
  WarcReader& operator=(const WarcReader&) = delete;

  /// Reads the next record into `*record`, which is only valid after kRecord. Any other result is
  /// final: later calls repeat it.
  WarcRead Next(WarcRecord* record);

  /// After kCut and kDamaged: the problem, and the offset of its record.
  const std::string& problem() const;

 private:
  class Impl;
  explicit WarcReader(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace crawler

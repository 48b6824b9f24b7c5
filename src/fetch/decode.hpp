#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/headers.hpp"

namespace crawler {

enum class ContentCoding : std::uint8_t { kGzip, kDeflate, kBrotli, kZstd };

/// The codings of the Content-Encoding fields, in the order they were applied.
struct ContentCodings {
  std::vector<ContentCoding> applied;
  bool unknown = false;   ///< A coding is not supported; the body is used as it is.
  bool too_many = false;  ///< More than kMaxContentCodings: refused.
};

inline constexpr std::size_t kMaxContentCodings = 5;

/// Reads names in any case, "x-gzip" as gzip; ignores "identity" and empty elements.
ContentCodings ReadContentCodings(const HeaderBlock& headers);

/// Limits on the memory and time that a hostile body can cost.
struct DecodeLimits {
  std::size_t max_output = 10'000'000;  ///< Bytes per coding.
  std::size_t max_ratio = 300;          ///< Output per byte of input …
  std::size_t ratio_floor = 1 << 20;    ///< … checked once the output is larger than this.
};

enum class DecodeOutcome : std::uint8_t {
  kComplete,
  kIncomplete,  ///< Ended early or damaged; the output is the part before.
  kFailed,      ///< Not a single byte could be decoded.
  kTooLarge,    ///< The output is cut at max_output.
  kBomb,        ///< Over max_ratio; the output is empty.
};

/// Undoes content codings. Keeps its buffers from body to body.
/// Any input gives an outcome. The output has at most max_output bytes, and the memory in use stays
/// within a small multiple of that plus the largest window of the format (16 MiB).
/// gzip: members one after another are one body, garbage behind them is ignored. deflate: with a
/// zlib wrapper or without.
/// Threads: one at a time.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Undoes `applied`, the last one first. `*output` is overwritten.
  DecodeOutcome Decode(std::string_view input, const std::vector<ContentCoding>& applied,
                       const DecodeLimits& limits, std::string* output);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace crawler

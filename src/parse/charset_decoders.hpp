#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parse/charset.hpp"

namespace crawler {

/// Where the decoders of charset.hpp write: appends UTF-8 to a string, up to a limit, by way of a
/// block on the stack. Call Finish() at the end.
class Utf8Sink {
 public:
  Utf8Sink(std::string& out, size_t limit) : out_(out), limit_(limit) {}

  /// Whether the limit is reached, so that decoding on is of no use. Seen a block late.
  bool full() const { return truncated_; }
  bool truncated() const { return truncated_; }
  bool malformed() const { return malformed_; }

  void Put(char32_t code_point);
  /// U+FFFD for bytes that are no character.
  void PutError() {
    malformed_ = true;
    Put(0xFFFD);
  }
  /// Writes 4 bytes of which the first `length` count.
  void PutPacked(uint32_t bytes, size_t length);
  /// Appends `text`, which is valid UTF-8.
  void PutText(std::string_view text);
  /// Copies the ASCII bytes at `at`; returns where they end.
  const uint8_t* CopyAscii(const uint8_t* at, const uint8_t* end);
  void Finish() { Flush(); }

 private:
  void Flush();
  void MakeRoom(size_t bytes) {
    if (used_ + bytes > sizeof(block_)) Flush();
  }
  void Append(std::string_view text);

  std::string& out_;
  const size_t limit_;
  size_t used_ = 0;
  bool truncated_ = false;
  bool malformed_ = false;
  char block_[4096];
};

/// The decoders of the multi-byte legacy encodings, for all bytes from `at` to `end`.
void DecodeGb18030(const uint8_t* at, const uint8_t* end, Utf8Sink& out);
void DecodeBig5(const uint8_t* at, const uint8_t* end, Utf8Sink& out);
void DecodeEucJp(const uint8_t* at, const uint8_t* end, Utf8Sink& out);
void DecodeIso2022Jp(const uint8_t* at, const uint8_t* end, Utf8Sink& out);
void DecodeShiftJis(const uint8_t* at, const uint8_t* end, Utf8Sink& out);
void DecodeEucKr(const uint8_t* at, const uint8_t* end, Utf8Sink& out);

}  // namespace crawler

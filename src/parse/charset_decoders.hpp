#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parse/utf8.hpp"

namespace crawler {

/// The output of the decoders of charset.hpp: appends UTF-8 to a string, up to a limit, through a
/// block on the stack. Call Finish() at the end.
class Utf8Sink {
 public:
  Utf8Sink(std::string& out, size_t limit) : out_(out), limit_(limit) {}

  /// Whether the limit is reached, so that decoding can stop. True up to one block late.
  bool full() const { return truncated_; }
  bool truncated() const { return truncated_; }
  bool malformed() const { return malformed_; }

  void Put(char32_t code_point) { Advance(WriteUtf8(code_point, Room(4))); }
  /// U+FFFD for bytes that are no character.
  void PutError() {
    malformed_ = true;
    Put(0xFFFD);
  }
  void NoteError(bool is_error) { malformed_ |= is_error; }
  /// The place to write the next `bytes` (a few); Advance() says how many were written.
  char* Room(size_t bytes) {
    if (used_ + bytes > sizeof(block_)) Flush();
    return block_ + used_;
  }
  void Advance(size_t bytes) { used_ += bytes; }
  /// Appends `text`, which is valid UTF-8.
  void PutText(std::string_view text);
  /// Copies the ASCII bytes at `at`, sixteen at a time and then one by one; returns where they end.
  const uint8_t* CopyAscii(const uint8_t* at, const uint8_t* end);
  /// CopyAscii() for whole blocks of sixteen bytes only.
  const uint8_t* CopyAsciiBlocks(const uint8_t* at, const uint8_t* end);
  void Finish() { Flush(); }

 private:
  void Flush();
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

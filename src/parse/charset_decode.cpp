#include <algorithm>
#include <array>
#include <cstring>

#include "base/ascii.hpp"
#include "parse/charset.hpp"
#include "parse/charset_decoders.hpp"
#include "parse/charset_tables.hpp"
#include "parse/utf8.hpp"
#include "url/utf8.hpp"

namespace crawler {
namespace {

// The most of `text`, valid UTF-8, that fits `limit` without cutting a character in two.
std::string_view CutUtf8(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && IsContinuation(text[limit])) --limit;
  return text.substr(0, limit);
}

// `bytes` has ill-formed parts, the first of them at `valid`.
void RepairUtf8(std::string_view bytes, size_t valid, Utf8Sink& out) {
  while (!out.full()) {
    out.PutText(bytes.substr(0, valid));
    bytes.remove_prefix(valid);
    if (bytes.empty()) return;
    out.PutError();
    bytes.remove_prefix(DecodeUtf8(bytes, 0).length);
    valid = ValidUtf8Prefix(bytes);
  }
}

void DecodeUtf16(const uint8_t* at, const uint8_t* end, bool big_endian, Utf8Sink& out) {
  const int high = big_endian ? 0 : 1;
  const auto unit = [&](const uint8_t* from) {
    return static_cast<char32_t>(from[high] << 8 | from[1 - high]);
  };
  while (end - at >= 2 && !out.full()) {
    const char32_t first = unit(at);
    at += 2;
    if (first < 0xD800 || first > 0xDFFF) {
      out.Put(first);
      continue;
    }
    if (first < 0xDC00 && end - at < 2) {
      at = end;  // A high surrogate and at most half a unit: one error for both.
      out.PutError();
      return;
    }
    const char32_t second = first < 0xDC00 ? unit(at) : 0;
    if (second >= 0xDC00 && second <= 0xDFFF) {
      at += 2;
      out.Put(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
    } else {
      out.PutError();
    }
  }
  if (at != end) out.PutError();
}

// The UTF-8 form of each byte, so that every byte costs one store and one addition.
struct PackedChar {
  std::array<char, 4> utf8;
  uint8_t length;
  bool is_error;
};

void DecodeSingleByte(const uint8_t* at, const uint8_t* end, const std::array<char16_t, 128>& table,
                      Utf8Sink& out) {
  std::array<PackedChar, 256> packed;
  for (size_t byte = 0; byte < packed.size(); ++byte) {
    char32_t code_point = byte < 0x80 ? static_cast<char32_t>(byte) : table[byte - 0x80];
    packed[byte].is_error = byte >= 0x80 && code_point == 0;
    if (packed[byte].is_error) code_point = 0xFFFD;
    packed[byte].length = static_cast<uint8_t>(WriteUtf8(code_point, packed[byte].utf8.data()));
  }
  constexpr ptrdiff_t kStep = 16;
  bool has_error = false;
  while (at != end && !out.full()) {
    at = out.CopyAsciiBlocks(at, end);
    char* const begin = out.Room(kStep * 4);
    char* to = begin;
    for (const uint8_t* stop = at + std::min(kStep, end - at); at != stop; ++at) {
      const PackedChar& next = packed[*at];
      std::memcpy(to, next.utf8.data(), 4);
      to += next.length;
      has_error |= next.is_error;
    }
    out.Advance(static_cast<size_t>(to - begin));
  }
  out.NoteError(has_error);
}

void DecodeXUserDefined(const uint8_t* at, const uint8_t* end, Utf8Sink& out) {
  while (at != end && !out.full()) {
    at = out.CopyAscii(at, end);
    for (; at != end && *at >= 0x80; ++at) out.Put(0xF780 + *at - 0x80u);
  }
}

std::string_view ByteOrderMark(Charset charset) {
  switch (charset) {
    case Charset::kUtf8:
      return "\xEF\xBB\xBF";
    case Charset::kUtf16Be:
      return "\xFE\xFF";
    case Charset::kUtf16Le:
      return "\xFF\xFE";
    default:
      return {};
  }
}

void Decode(std::string_view bytes, Charset charset, Utf8Sink& out) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  const uint8_t* end = at + bytes.size();
  switch (charset) {
    case Charset::kUtf8:
      return RepairUtf8(bytes, ValidUtf8Prefix(bytes), out);
    case Charset::kGbk:  // The standard decodes it as gb18030.
    case Charset::kGb18030:
      return DecodeGb18030(at, end, out);
    case Charset::kBig5:
      return DecodeBig5(at, end, out);
    case Charset::kEucJp:
      return DecodeEucJp(at, end, out);
    case Charset::kIso2022Jp:
      return DecodeIso2022Jp(at, end, out);
    case Charset::kShiftJis:
      return DecodeShiftJis(at, end, out);
    case Charset::kEucKr:
      return DecodeEucKr(at, end, out);
    case Charset::kReplacement:
      // Encodings in which ASCII bytes may hide mark-up are not decoded at all.
      if (at != end) out.PutError();
      return;
    case Charset::kUtf16Be:
    case Charset::kUtf16Le:
      return DecodeUtf16(at, end, charset == Charset::kUtf16Be, out);
    case Charset::kXUserDefined:
      return DecodeXUserDefined(at, end, out);
    default:
      return DecodeSingleByte(at, end, SingleByteTable(charset), out);
  }
}

}  // namespace

void Utf8Sink::Append(std::string_view text) {
  const std::string_view fitting = CutUtf8(text, limit_ - out_.size());
  out_.append(fitting);
  if (fitting.size() < text.size()) truncated_ = true;
}

void Utf8Sink::Flush() {
  if (!truncated_) Append({block_, used_});
  used_ = 0;
}

void Utf8Sink::PutText(std::string_view text) {
  if (text.size() <= sizeof(block_)) {
    std::copy(text.begin(), text.end(), Room(text.size()));
    Advance(text.size());
    return;
  }
  Flush();
  if (!truncated_) Append(text);
}

const uint8_t* Utf8Sink::CopyAsciiBlocks(const uint8_t* at, const uint8_t* end) {
  constexpr uint64_t kHighBits = 0x8080808080808080u;
  constexpr ptrdiff_t kStep = 16;
  while (end - at >= kStep) {
    uint64_t words[2];
    std::memcpy(words, at, kStep);
    if (((words[0] | words[1]) & kHighBits) != 0) break;
    std::memcpy(Room(kStep), words, kStep);
    Advance(kStep);
    at += kStep;
  }
  return at;
}

const uint8_t* Utf8Sink::CopyAscii(const uint8_t* at, const uint8_t* end) {
  at = CopyAsciiBlocks(at, end);
  for (; at != end && *at < 0x80; ++at) {
    *Room(1) = static_cast<char>(*at);
    Advance(1);
  }
  return at;
}

Utf8Text ToUtf8(std::string_view bytes, Charset charset, std::string& buffer, size_t limit) {
  const std::string_view mark = ByteOrderMark(charset);
  if (!mark.empty() && bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
  if (charset == Charset::kUtf8 && ValidUtf8Prefix(bytes) == bytes.size()) {
    const std::string_view text = CutUtf8(bytes, limit);
    return {text, text.size() < bytes.size(), false};
  }
  buffer.clear();
  buffer.reserve(std::min(bytes.size(), limit));
  Utf8Sink sink(buffer, limit);
  Decode(bytes, charset, sink);
  sink.Finish();
  return {buffer, sink.truncated(), sink.malformed()};
}

}  // namespace crawler

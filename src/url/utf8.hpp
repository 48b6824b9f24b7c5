#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawler {

/// One step of decoding UTF-8.
struct Utf8Char {
  char32_t code_point;  ///< U+FFFD if not valid.
  std::uint8_t length;  ///< Bytes consumed, at least 1.
  bool valid;
};

/// Decodes the character at `text[at]`. Of bytes that are not UTF-8, as many are consumed as the
/// Encoding Standard replaces by one U+FFFD. Requires: at < text.size().
inline Utf8Char DecodeUtf8(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1, true};
  std::uint8_t more = 0;
  char32_t code_point = 0;
  unsigned lower = 0x80, upper = 0xbf;  // Range of the second byte.
  if (lead >= 0xc2 && lead <= 0xdf) {
    more = 1;
    code_point = lead & 0x1f;
  } else if ((lead & 0xf0) == 0xe0) {
    more = 2;
    code_point = lead & 0x0f;
    if (lead == 0xe0) lower = 0xa0;
    if (lead == 0xed) upper = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    more = 3;
    code_point = lead & 0x07;
    if (lead == 0xf0) lower = 0x90;
    if (lead == 0xf4) upper = 0x8f;
  } else {
    return {0xfffd, 1, false};
  }
  std::uint8_t length = 1;
  for (; length <= more; ++length) {
    if (at + length >= text.size()) return {0xfffd, length, false};
    const auto next = static_cast<unsigned char>(text[at + length]);
    if (next < lower || next > upper) return {0xfffd, length, false};
    code_point = code_point << 6 | (next & 0x3f);
    lower = 0x80;
    upper = 0xbf;
  }
  return {code_point, length, true};
}

}  // namespace crawler

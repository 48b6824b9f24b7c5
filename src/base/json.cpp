#include "base/json.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace crawler {
namespace {

// The bytes that are escaped: in UTF-8 text, and in bytes of any encoding. A table, because every
// byte of the links and terms of a page is looked up in it.
enum Escaped : std::uint8_t { kInText = 1, kInBytes = 2 };
constexpr std::array<std::uint8_t, 256> kEscaped = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    const bool in_text = byte < 0x20 || byte == '"' || byte == '\\';
    if (in_text) table[byte] |= kInText | kInBytes;
    if (byte >= 0x7F) table[byte] |= kInBytes;
  }
  return table;
}();

bool NeedsEscape(char c, Escaped escaped) {
  return (kEscaped[static_cast<unsigned char>(c)] & escaped) != 0;
}

char* WriteEscape(unsigned char byte, char* at) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::string_view kShort = "\b\f\n\r\t\"\\";
  constexpr std::string_view kShortNames = "bfnrt\"\\";
  *at++ = '\\';
  const std::size_t found = kShort.find(static_cast<char>(byte));
  if (found != std::string_view::npos) {
    *at++ = kShortNames[found];
  } else {
    for (const char c : {'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]}) *at++ = c;
  }
  return at;
}

char* Write(std::string_view text, Escaped escaped, char* at) {
  *at++ = '"';
  for (const char c : text) {
    if (NeedsEscape(c, escaped)) {
      at = WriteEscape(static_cast<unsigned char>(c), at);
    } else {
      *at++ = c;
    }
  }
  *at++ = '"';
  return at;
}

void Append(std::string_view text, Escaped escaped, std::string* out) {
  std::size_t escapes = 0;
  for (const char c : text) escapes += NeedsEscape(c, escaped) ? 1u : 0u;
  if (escapes == 0) {  // Nearly always.
    out->push_back('"');
    out->append(text).push_back('"');
    return;
  }
  const std::size_t room = text.size() + 2 + 5 * escapes;
  const std::size_t begin = out->size();
  out->resize(begin + room);
  const char* const end = Write(text, escaped, out->data() + begin);
  out->resize(static_cast<std::size_t>(end - out->data()));
}

}  // namespace

void AppendJson(std::string_view text, std::string* out) { Append(text, kInText, out); }

void AppendJsonBytes(std::string_view bytes, std::string* out) { Append(bytes, kInBytes, out); }

char* WriteJson(std::string_view text, char* at) { return Write(text, kInText, at); }

}  // namespace crawler

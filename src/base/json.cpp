#include "base/json.hpp"

#include <cstddef>

namespace crawler {
namespace {

constexpr unsigned kEndOfBytes = 0x100;
constexpr unsigned kEndOfAscii = 0x7F;

bool NeedsEscape(unsigned char byte, unsigned limit) {
  return byte < 0x20 || byte >= limit || byte == '"' || byte == '\\';
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

// Escapes the bytes from `limit` on as well.
char* Write(std::string_view text, unsigned limit, char* at) {
  *at++ = '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (NeedsEscape(byte, limit)) {
      at = WriteEscape(byte, at);
    } else {
      *at++ = c;
    }
  }
  *at++ = '"';
  return at;
}

void Append(std::string_view text, unsigned limit, std::string* out) {
  std::size_t room = text.size() + 2;
  for (const char c : text) room += NeedsEscape(static_cast<unsigned char>(c), limit) ? 5 : 0;
  const std::size_t begin = out->size();
  out->resize(begin + room);
  const char* const end = Write(text, limit, out->data() + begin);
  out->resize(static_cast<std::size_t>(end - out->data()));
}

}  // namespace

void AppendJson(std::string_view text, std::string* out) { Append(text, kEndOfBytes, out); }

void AppendJsonBytes(std::string_view bytes, std::string* out) { Append(bytes, kEndOfAscii, out); }

char* WriteJson(std::string_view text, char* at) { return Write(text, kEndOfBytes, at); }

}  // namespace crawler

#include "base/printable.hpp"

#include <fmt/format.h>  // With core.h alone clang finds no vformat_to() in the library.

#include <algorithm>
#include <iterator>

namespace crawler {
namespace {

/// A character, or a byte that is not UTF-8.
struct Character {
  std::size_t length;
  char32_t code;
  bool is_valid;
};

Character Decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const Character invalid{1, lead, false};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return invalid;
  char32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return invalid;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || code > 0x10ffff || is_surrogate) return invalid;
  return {length, code, true};
}

struct Range {
  char32_t first, last;
};
constexpr Range kUnprintable[] = {
    {0x0000, 0x001F},    // C0 controls.
    {0x007F, 0x009F},    // Delete, and C1 controls: U+009B begins an escape sequence.
    {0x061C, 0x061C},    // The Arabic letter mark.
    {0x180E, 0x180E},    // The Mongolian vowel separator.
    {0x200B, 0x200B},    // The zero-width space. Joiners are part of words of many languages.
    {0x200E, 0x200F},    // Marks of direction.
    {0x2028, 0x202E},    // Line and paragraph separators; embeddings and overrides.
    {0x2060, 0x206F},    // Invisible operators, isolates, and deprecated controls.
    {0xFEFF, 0xFEFF},    // The byte order mark.
    {0xFFF9, 0xFFFB},    // Annotations.
    {0xE0000, 0xE007F},  // Tags: invisible copies of ASCII.
};

bool IsPrintable(char32_t code) {
  if (code >= 0x20 && code < 0x7f) return true;
  return std::none_of(std::begin(kUnprintable), std::end(kUnprintable),
                      [code](Range range) { return code >= range.first && code <= range.last; });
}

void AppendEscape(std::string_view bytes, char32_t code, std::string* out) {
  if (code >= 0xa0) {
    fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned>(code));
    return;
  }
  for (const char c : bytes) {
    fmt::format_to(std::back_inserter(*out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
}

void AppendJsonEscape(char32_t code, std::string* out) {
  const auto append = [out](char32_t unit) {
    fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned>(unit));
  };
  if (code < 0x10000) return append(code);
  append(0xd800 + ((code - 0x10000) >> 10));
  append(0xdc00 + ((code - 0x10000) & 0x3ff));
}

}  // namespace

void AppendPrintable(std::string_view text, std::string* out) {
  out->reserve(out->size() + text.size());
  while (!text.empty()) {
    const Character character = Decode(text);
    const std::string_view bytes = text.substr(0, character.length);
    if (!character.is_valid) {
      fmt::format_to(std::back_inserter(*out), "\\x{:02x}", static_cast<unsigned>(character.code));
    } else if (IsPrintable(character.code)) {
      out->append(bytes);
    } else {
      AppendEscape(bytes, character.code, out);
    }
    text.remove_prefix(character.length);
  }
}

std::string PrintableJson(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  while (!json.empty()) {
    const Character character = Decode(json);
    // Inside of strings JSON has no C0 controls; outside, they are white space.
    if (!character.is_valid || character.code < 0x20 || IsPrintable(character.code)) {
      result.append(json.substr(0, character.length));
    } else {
      AppendJsonEscape(character.code, &result);
    }
    json.remove_prefix(character.length);
  }
  return result;
}

}  // namespace crawler

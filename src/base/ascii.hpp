#pragma once

#include <cstdint>
#include <string_view>

namespace crawler {

// Classes of bytes in ASCII and UTF-8, independent of the locale. <cctype> depends on the locale
// and is undefined for negative chars.

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
constexpr bool IsLetter(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

/// ASCII whitespace as HTML and the URL Standard mean it: without the vertical tab.
constexpr bool IsSpace(char c) {
  constexpr std::uint64_t kSpaces =
      1ull << ' ' | 1ull << '\n' | 1ull << '\t' | 1ull << '\r' | 1ull << '\f';
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' && ((kSpaces >> byte) & 1) != 0;
}

/// Whether `c` is not the first byte of its character in UTF-8.
constexpr bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

constexpr bool IsAscii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

}  // namespace crawler

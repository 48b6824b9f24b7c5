#include "robots/pattern.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "url/percent.hpp"

namespace crawler {
namespace {

// Bytes that may need another encoding.
constexpr std::array<bool, 256> MakeTouched() {
  std::array<bool, 256> touched{};
  for (std::size_t c = 0x80; c < 256; ++c) touched[c] = true;
  touched['%'] = touched['*'] = touched['$'] = true;
  return touched;
}

constexpr std::array<bool, 256> kTouched = MakeTouched();

bool IsTouched(char c) { return kTouched[static_cast<unsigned char>(c)]; }

bool IsUnreserved(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void AppendComparable(std::string_view text, bool is_pattern, std::string* out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool wild = is_pattern && (c == '*' || (c == '$' && i + 1 == text.size()));
    if (!IsTouched(c) || wild) {
      out->push_back(c);
    } else if (c != '%') {
      AppendPercent(static_cast<unsigned char>(c), out);
    } else if (const int byte = PercentTriplet(text, i); byte < 0) {
      out->push_back(c);
    } else {
      i += 2;
      if (IsUnreserved(byte)) {
        out->push_back(static_cast<char>(byte));
      } else {
        AppendPercent(static_cast<unsigned char>(byte), out);
      }
    }
  }
}

// Where `piece` first stands in `text` at or behind `from`; npos if nowhere. memmem() is linear,
// std::string_view::find() is not.
std::size_t FindPiece(std::string_view text, std::size_t from, std::string_view piece) {
  const void* const found =
      memmem(text.data() + from, text.size() - from, piece.data(), piece.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

bool AppendComparablePath(std::string_view path, std::string* out) {
  bool touched = false;
  for (const char c : path) touched |= IsTouched(c);
  if (!touched) return false;
  AppendComparable(path, false, out);
  return true;
}

void AppendComparablePattern(std::string_view value, std::string* out) {
  AppendComparable(value, true, out);
}

bool PatternMatches(std::string_view pattern, std::string_view path) {
  const bool to_end = pattern.ends_with('$');
  if (to_end) pattern.remove_suffix(1);
  std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) {
    return to_end ? path == pattern : path.starts_with(pattern);
  }
  if (!path.starts_with(pattern.substr(0, star))) return false;
  // The leftmost place for each piece leaves most room for the next, so no other need be tried.
  std::size_t at = star;
  for (;;) {
    const std::size_t start = star + 1;
    star = pattern.find('*', start);
    if (star == std::string_view::npos) {
      const std::string_view last = pattern.substr(start);
      if (!to_end) return FindPiece(path, at, last) != std::string_view::npos;
      return path.size() - at >= last.size() && path.ends_with(last);
    }
    const std::string_view piece = pattern.substr(start, star - start);
    at = FindPiece(path, at, piece);
    if (at == std::string_view::npos) return false;
    at += piece.size();
  }
}

}  // namespace crawler

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawler {

/// The percent-encode sets of the URL Standard, as bits of kPercentSets[byte].
enum class PercentSet : std::uint8_t {
  kC0Control = 1,
  kFragment = 2,
  kQuery = 4,
  kSpecialQuery = 8,
  kPath = 16,
  kUserinfo = 32,
};

namespace percent_internal {

constexpr std::array<std::uint8_t, 256> MakeSets() {
  std::array<std::uint8_t, 256> sets{};
  const auto add = [&sets](std::string_view chars, int bits) {
    for (const char c : chars) sets[static_cast<unsigned char>(c)] |= static_cast<uint8_t>(bits);
  };
  for (int c = 0; c < 256; ++c) {
    if (c <= 0x1f || c > 0x7e) sets[static_cast<std::size_t>(c)] = 0x3f;
  }
  const int fragment = 2, query = 4 | 8, special_query = 8, path = 16 | 32, userinfo = 32;
  add(" \"<>`", fragment);
  add(" \"#<>", query);
  add("'", special_query);
  add(" \"#<>?^`{}", path);
  add("/:;=@[\\]|", userinfo);
  return sets;
}

constexpr std::array<std::int8_t, 256> MakeHexValues() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = static_cast<int8_t>(i);
  for (int i = 0; i < 6; ++i) {
    values[static_cast<std::size_t>('a' + i)] = static_cast<int8_t>(10 + i);
    values[static_cast<std::size_t>('A' + i)] = static_cast<int8_t>(10 + i);
  }
  return values;
}

inline constexpr std::array<std::int8_t, 256> kHexValues = MakeHexValues();

}  // namespace percent_internal

inline constexpr std::array<std::uint8_t, 256> kPercentSets = percent_internal::MakeSets();

inline bool InPercentSet(char c, PercentSet set) {
  return (kPercentSets[static_cast<unsigned char>(c)] & static_cast<std::uint8_t>(set)) != 0;
}

/// 0 to 15, or -1 if `c` is no hexadecimal digit.
inline int HexValue(char c) { return percent_internal::kHexValues[static_cast<unsigned char>(c)]; }

/// The byte that "%xy" at `text[at]` stands for, or -1 if no such triplet stands there.
inline int PercentTriplet(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size() || text[at] != '%') return -1;
  const int high = HexValue(text[at + 1]), low = HexValue(text[at + 2]);
  return (high | low) < 0 ? -1 : high * 16 + low;
}

/// Appends "%XY" for `byte`.
void AppendPercent(unsigned char byte, std::string* out);

/// Appends `utf8` with the characters of `set` percent-encoded. Bytes that are not UTF-8 become
/// U+FFFD, one for each maximal part as the Encoding Standard decodes them.
void AppendPercentEncoded(std::string_view utf8, PercentSet set, std::string* out);

/// Appends `text` with every triplet decoded; a '%' that starts no triplet stays.
void AppendPercentDecoded(std::string_view text, std::string* out);

/// The value of the first parameter `name` of a query such as "a=1&b=2", decoded as a form is ('+'
/// is a blank); empty if there is none.
std::string QueryParameter(std::string_view query, std::string_view name);

}  // namespace crawler

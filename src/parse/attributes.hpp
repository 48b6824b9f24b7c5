#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "parse/html_names.hpp"
#include "parse/scan.hpp"

/// The inside of a tag: its name and its attributes.
namespace crawler {

/// One attribute as it stands in the source.
struct Attribute {
  std::string_view raw_name;
  std::string_view raw_value;
  bool plain_value;  ///< The value holds nothing to decode: raw_value is it.
};

/// The known attributes of one start tag. The first of several with one name counts.
class KnownAttributes {
 public:
  bool Has(AttrId id) const { return ((present_ >> static_cast<unsigned>(id)) & 1) != 0; }
  /// As in the source. Requires: Has(id).
  std::string_view RawValue(AttrId id) const { return values_[static_cast<std::size_t>(id)]; }
  /// Whether the value holds nothing to decode: RawValue() is it. Requires: Has(id).
  bool IsPlain(AttrId id) const { return ((plain_ >> static_cast<unsigned>(id)) & 1) != 0; }
  void Clear() { present_ = plain_ = 0; }

  void Add(const NameKey& key, const Attribute& attribute) {
    const AttrId id = kAttrTable.Find(key);
    if (id == AttrId::kUnknown || Has(id)) return;
    present_ |= std::uint64_t{1} << static_cast<unsigned>(id);
    plain_ |= std::uint64_t{attribute.plain_value} << static_cast<unsigned>(id);
    values_[static_cast<std::size_t>(id)] = attribute.raw_value;
  }

 private:
  static_assert(kAttrCount <= 64);
  std::uint64_t present_ = 0;
  std::uint64_t plain_ = 0;
  std::array<std::string_view, kAttrCount> values_;
};

namespace tokenizer_internal {

// The byte in lower case if it continues a tag name, else 0. NUL continues one but is 0 too.
inline constexpr auto kNameByte = [] {
  std::array<unsigned char, 256> table{};
  for (int c = 1; c < 256; ++c) {
    const bool ends =
        c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == ' ' || c == '/' || c == '>';
    table[c] = static_cast<unsigned char>(ends ? 0 : (c >= 'A' && c <= 'Z') ? c + 32 : c);
  }
  return table;
}();

inline bool IsSpace(char c) {
  constexpr std::uint64_t kSpaces =
      1ull << ' ' | 1ull << '\n' | 1ull << '\t' | 1ull << '\r' | 1ull << '\f';
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' && ((kSpaces >> byte) & 1) != 0;
}
// The 8 bytes at `p`, the first one lowest, as in a NameKey.
inline std::uint64_t LoadLittleEndian(const char* p) {
  std::uint64_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  return bytes;
}
inline bool IsAsciiAlpha(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

// Reads a name at `p` (not empty) up to a byte that ends it; '=' ends names of attributes only.
template <bool kIsAttribute>
[[gnu::noinline]] const char* ReadNameSlowly(const char* p, const char* end, NameKey* key) {
  std::size_t length = 0;
  for (; p != end; ++p, ++length) {
    const unsigned char byte = kNameByte[static_cast<unsigned char>(*p)];
    if (byte == 0) {
      if (*p != '\0') break;
      key->Add(length, 0xFF);  // No byte of UTF-8: such a name is none of the known ones.
      continue;
    }
    if (kIsAttribute && byte == '=' && length != 0) break;
    key->Add(length, byte);
  }
  return p;
}

#if defined(CRAWLER_SCAN_X86)
// The same without a branch for each byte, from 16 bytes that can be read. Null for names that are
// longer, not in lower case, or odd: they are read slowly.
template <bool kIsAttribute>
[[gnu::always_inline]] inline const char* ReadNameAtOnce(const char* p, NameKey* key) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i space = _mm_set1_epi8(' ');
  __m128i ends = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
  ends = _mm_or_si128(ends, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
  ends = _mm_or_si128(ends, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('>')));
  if constexpr (kIsAttribute) {
    ends = _mm_or_si128(ends, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('=')));
  }
  const __m128i upper = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('A' - 1)),
                                      _mm_cmplt_epi8(bytes, _mm_set1_epi8('Z' + 1)));
  const auto mask = static_cast<unsigned>(_mm_movemask_epi8(ends));
  const auto upper_mask = static_cast<unsigned>(_mm_movemask_epi8(upper));
  // All bits below the first end: where the name is.
  const unsigned name_mask = mask ^ (mask - 1);
  const auto length = static_cast<unsigned>(__builtin_ctz(mask | 0x10000));
  if (mask == 0 || length == 0 || (upper_mask & name_mask) != 0) return nullptr;
  if (static_cast<unsigned char>(p[length]) < ' ' && !IsSpace(p[length])) return nullptr;
  const std::uint64_t low = LoadLittleEndian(p);
  if (length < 8) [[likely]] {
    key->low = low & ~(~std::uint64_t{0} << (8 * length));
  } else {
    key->low = low;
    key->high = LoadLittleEndian(p + 8) & ~(~std::uint64_t{0} << (8 * (length - 8)));
  }
  return p + length;
}
#endif

template <bool kIsAttribute>
[[gnu::always_inline]] inline const char* ReadName(const Scanner& scanner, const char* p,
                                                   const char* end, NameKey* key) {
#if defined(CRAWLER_SCAN_X86)
  if (end - p >= 16 && scanner.isa() != Isa::kPortable) {
    const char* stop = ReadNameAtOnce<kIsAttribute>(p, key);
    if (stop != nullptr) return stop;
  }
#else
  static_cast<void>(scanner);
#endif
  return ReadNameSlowly<kIsAttribute>(p, end, key);
}

// Finds the quote that ends a value beginning at `p`. `*plain` becomes false if the value holds
// something to decode; with `kSkip` that is not looked for.
template <bool kSkip, ByteSet kValue, ByteSet kQuote>
const char* FindQuote(const Scanner& scanner, const char* p, const char* end, bool* plain) {
  if constexpr (!kSkip) {
    p = scanner.Find<kValue>(p, end);
    if (p == end || *p == kByteSetBytes[static_cast<std::size_t>(kQuote)].byte[0]) return p;
    *plain = false;
  }
  return scanner.Find<kQuote>(p, end);
}

inline const char* FindUnquotedEnd(const char* p, const char* end, bool* plain) {
  for (; p != end && !IsSpace(*p) && *p != '>'; ++p) {
    if (*p == '&' || *p == '\0') *plain = false;
  }
  return p;
}

}  // namespace tokenizer_internal

/// Reads the attributes of a tag from behind its name and calls `sink(key, attribute)` for each, in
/// order, duplicates included. Returns the tag's '>', or null when the input ends inside the tag.
/// With `kSkip` the sink must not look at the values.
template <bool kSkip = false, typename Sink>
const char* ParseAttributes(const Scanner& scanner, const char* p, const char* end,
                            bool* self_closing, Sink&& sink) {
  using namespace tokenizer_internal;
  for (;;) {
    while (p != end && (IsSpace(*p) || *p == '/')) {
      if (*p == '/' && p + 1 != end && p[1] == '>') {
        *self_closing = true;
        return p + 1;
      }
      ++p;
    }
    if (p == end) return nullptr;
    if (*p == '>') return p;

    NameKey key;
    const char* name = p;
    p = ReadName<true>(scanner, p, end, &key);
    Attribute attribute{std::string_view(name, static_cast<std::size_t>(p - name)), {}, true};
    while (p != end && IsSpace(*p)) ++p;
    if (p == end) return nullptr;
    if (*p == '=') {
      ++p;
      while (p != end && IsSpace(*p)) ++p;
      if (p == end) return nullptr;
      const char* value = p;
      if (*p == '"') {
        p = FindQuote<kSkip, ByteSet::kDoubleQuoted, ByteSet::kDoubleQuote>(scanner, ++value, end,
                                                                            &attribute.plain_value);
      } else if (*p == '\'') {
        p = FindQuote<kSkip, ByteSet::kSingleQuoted, ByteSet::kSingleQuote>(scanner, ++value, end,
                                                                            &attribute.plain_value);
      } else {
        p = FindUnquotedEnd(p, end, &attribute.plain_value);
      }
      if (p == end) return nullptr;
      attribute.raw_value = std::string_view(value, static_cast<std::size_t>(p - value));
      if (*p == '"' || *p == '\'') ++p;  // An unquoted value cannot end at one.
    }
    sink(key, attribute);
  }
}

}  // namespace crawler

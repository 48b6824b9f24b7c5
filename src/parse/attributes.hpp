#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/ascii.hpp"
#include "parse/html_names.hpp"
#include "parse/scan.hpp"

/// The inside of a tag: its name and its attributes.
namespace crawler {

/// One attribute as it stands in the source.
struct Attribute {
  std::string_view raw_name;
  std::string_view raw_value;
};

/// The known attributes of one start tag. The first of several with one name counts.
class KnownAttributes {
 public:
  bool Has(AttrId id) const { return ((present_ >> static_cast<unsigned>(id)) & 1) != 0; }
  /// As in the source. Requires: Has(id).
  std::string_view RawValue(AttrId id) const { return values_[static_cast<std::size_t>(id)]; }
  void Clear() { present_ = 0; }

  void Add(const NameKey& key, const Attribute& attribute) {
    // An unknown attribute takes the place of kUnknown, which nobody reads: known or not is a toss
    // of a coin, and a branch on it costs more than the two stores.
    constexpr std::uint64_t kUnknownBit = 1;
    const AttrId id = kAttrTable.Find(key);
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(id);
    if ((present_ & bit & ~kUnknownBit) != 0) return;
    present_ |= bit;
    values_[static_cast<std::size_t>(id)] = attribute.raw_value;
  }

 private:
  static_assert(kAttrCount <= 64);
  std::uint64_t present_ = 0;
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

// The 8 bytes at `p`, the first one lowest, as in a NameKey.
inline std::uint64_t LoadLittleEndian(const char* p) {
  std::uint64_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  return bytes;
}

// The length of the name at `p`, of which 8 bytes can be read, and its bytes in `*low` as in a
// NameKey; all bytes at once, because where a name ends is hard to predict. It ends before the
// first byte below '`', a capital or a digit among them: what stands there says whether that is its
// end. 0 if there is none such in 8 bytes.
[[gnu::always_inline]] inline std::size_t ReadShortName(const char* p, std::uint64_t* low) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  const std::uint64_t bytes = LoadLittleEndian(p);
  // The high bits of the bytes below '`'; a borrow can only spoil those above the first, which is
  // the one that counts.
  const std::uint64_t ends = (bytes - kOnes * '`') & ~bytes & (kOnes << 7);
  if (ends == 0) return 0;
  *low = bytes & (((ends & -ends) >> 7) - 1);
  return static_cast<std::size_t>(__builtin_ctzll(ends)) / 8;
}

// Reads a name at `p` (not empty) up to a byte that ends it; '=' ends names of attributes only.
template <bool kIsAttribute>
[[gnu::noinline]] const char* ReadName(const char* p, const char* end, NameKey* key) {
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

// Reads one attribute at `p`, which is no space, '/' or '>'. Returns what stands behind it, or null
// when the input ends.
template <typename Sink>
[[gnu::noinline]] const char* ReadAttribute(const Scanner& scanner, const char* p, const char* end,
                                            Sink& sink) {
  NameKey key;
  const char* name = p;
  p = ReadName<true>(p, end, &key);
  Attribute attribute{std::string_view(name, static_cast<std::size_t>(p - name)), {}};
  while (p != end && IsSpace(*p)) ++p;
  if (p == end) return nullptr;
  if (*p == '=') {
    ++p;
    while (p != end && IsSpace(*p)) ++p;
    if (p == end) return nullptr;
    const char quote = *p;
    const bool quoted = quote == '"' || quote == '\'';
    const char* value = quoted ? ++p : p;
    if (quote == '"') {
      p = scanner.Find<ByteSet::kDoubleQuote>(p, end);
    } else if (quote == '\'') {
      p = scanner.Find<ByteSet::kSingleQuote>(p, end);
    } else {
      while (p != end && !IsSpace(*p) && *p != '>') ++p;
    }
    if (p == end) return nullptr;
    attribute.raw_value = std::string_view(value, static_cast<std::size_t>(p - value));
    if (quoted) ++p;
  }
  sink(key, attribute);
  return p;
}

}  // namespace tokenizer_internal

/// Reads the attributes of a tag from behind its name and calls `sink(key, attribute)` for each, in
/// order, duplicates included. Returns the tag's '>', or null when the input ends inside the tag.
template <typename Sink>
[[gnu::always_inline]] inline const char* ParseAttributes(const Scanner& scanner, const char* p,
                                                          const char* end, bool* self_closing,
                                                          Sink&& sink) {
  using namespace tokenizer_internal;
  while (p != nullptr && p != end) {
    // Nearly all attributes are ` name="value"`.
    if (*p == ' ' && end - p > 10) {
      const char* name = p + 1;
      NameKey key;
      const std::size_t size = ReadShortName(name, &key.low);
      if (size != 0 && name[size] == '=' && name[size + 1] == '"') {
        const char* value = name + size + 2;
        const char* quote = scanner.Find<ByteSet::kDoubleQuote>(value, end);
        if (quote == end) return nullptr;
        sink(key, Attribute{std::string_view(name, size),
                            std::string_view(value, static_cast<std::size_t>(quote - value))});
        p = quote + 1;
        continue;
      }
    }
    if (*p == '>') return p;
    if (*p == '/') {
      if (p + 1 != end && p[1] == '>') {
        *self_closing = true;
        return p + 1;
      }
      ++p;
    } else if (IsSpace(*p)) {
      ++p;
    } else {
      p = ReadAttribute(scanner, p, end, sink);
    }
  }
  return nullptr;
}

}  // namespace crawler

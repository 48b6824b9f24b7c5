#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace crawler {

/// The element names that the parsing rules or the extraction distinguish; any other is kUnknown.
enum class TagId : std::uint8_t {
  kUnknown,
#define X(id, name) k##id,
#include "parse/html_tags.inc"
#undef X
};

/// The attributes that the extraction reads.
enum class AttrId : std::uint8_t {
  kUnknown,
#define X(id, name) k##id,
#include "parse/html_attributes.inc"
#undef X
};

inline constexpr std::string_view kTagNames[] = {
    {},
#define X(id, name) name,
#include "parse/html_tags.inc"
#undef X
};
inline constexpr std::string_view kAttrNames[] = {
    {},
#define X(id, name) name,
#include "parse/html_attributes.inc"
#undef X
};
inline constexpr std::size_t kTagCount = std::size(kTagNames);
inline constexpr std::size_t kAttrCount = std::size(kAttrNames);

/// A lower-cased name gathered byte by byte while it is scanned: its first 16 bytes, and a hash of
/// the rest. No known name has more than 16 bytes.
struct NameKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t rest = 0;

  constexpr void Add(std::size_t index, unsigned char byte) {
    if (index < 8) {
      low |= std::uint64_t{byte} << (8 * index);
    } else if (index < 16) {
      high |= std::uint64_t{byte} << (8 * (index - 8));
    } else {
      rest = (rest ^ byte) * 0x100000001b3u + 1;
    }
  }
  /// Equal for equal names. Only names of more than 8 bytes can collide.
  constexpr std::uint64_t Hash() const { return low ^ (high * 3) ^ rest; }
};

constexpr NameKey MakeNameKey(std::string_view lower_case_name) {
  NameKey key;
  for (std::size_t i = 0; i < lower_case_name.size(); ++i) {
    key.Add(i, static_cast<unsigned char>(lower_case_name[i]));
  }
  return key;
}

/// Maps a NameKey to the id of a known name: a perfect hash table, so that a lookup is one
/// comparison. `kMultiplier` was found by search; the compiler checks it.
template <typename Id, std::size_t kCount, std::size_t kBits, std::uint64_t kMultiplier>
class NameTable {
 public:
  consteval explicit NameTable(const std::string_view (&names)[kCount]) {
    static_assert(kCount <= 256);
    for (std::size_t i = 1; i < kCount; ++i) {  // 0 is kUnknown.
      const NameKey key = MakeNameKey(names[i]);
      lows_[i] = key.low;
      highs_[i] = key.high;
      std::uint8_t& slot = slots_[Slot(key)];
      if (slot != 0) throw "two names in one slot: try another multiplier";
      slot = static_cast<std::uint8_t>(i);
    }
  }

  constexpr Id Find(const NameKey& key) const {
    const std::size_t index = slots_[Slot(key)];
    // Arithmetic, because whether a name is known is hard to predict.
    const std::uint64_t difference =
        (lows_[index] ^ key.low) | (highs_[index] ^ key.high) | key.rest;
    return static_cast<Id>(index * static_cast<std::size_t>(difference == 0));
  }

 private:
  static constexpr std::size_t Slot(const NameKey& key) {
    return (key.Hash() * kMultiplier) >> (64 - kBits);
  }

  std::array<std::uint64_t, kCount> lows_{};
  std::array<std::uint64_t, kCount> highs_{};
  std::array<std::uint8_t, std::size_t{1} << kBits> slots_{};
};

inline constexpr NameTable<TagId, kTagCount, 11, 0x36f675cc81e74ef5u> kTagTable(kTagNames);
inline constexpr NameTable<AttrId, kAttrCount, 8, 0x1600a35a099950d9u> kAttrTable(kAttrNames);

constexpr std::string_view TagName(TagId id) { return kTagNames[static_cast<std::size_t>(id)]; }

}  // namespace crawler

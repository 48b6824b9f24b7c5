#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "index/word_forms.hpp"

namespace crawler {

/// Masks for the first n of 16 bytes that were read into two numbers.
inline constexpr auto kFirstBytes = [] {
  std::array<std::array<std::uint64_t, 2>, 17> masks{};
  for (std::size_t n = 0; n < masks.size(); ++n) {
    for (std::size_t byte = 0; byte < n; ++byte) {
      const bool little = std::endian::native == std::endian::little;
      masks[n][byte / 8] |= std::uint64_t{0xFF} << (8 * (little ? byte % 8 : 7 - byte % 8));
    }
  }
  return masks;
}();

/// Bytes that stay where they are until Clear().
class ByteArena {
 public:
  char* Take(std::size_t size);
  std::size_t used() const { return used_; }
  void Clear();

 private:
  static constexpr std::size_t kBlock = std::size_t{64} << 10;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_ = 0;  // In the last block.
  char* next_ = nullptr;
  std::size_t used_ = 0;
};

/// From words as they are written to what they are indexed as, by exact bytes. Bounded: when it is
/// full, words are looked up but none is added, until Clear().
/// Threads: one at a time.
class WordCache {
 public:
  /// A WordForm; the term lives until Clear().
  struct Form {
    const char* term;
    std::uint8_t term_size;
    bool is_part;
    bool is_stop;
    std::uint16_t step;
    std::uint16_t offset;
    std::uint16_t size;
  };
  /// The entry of a word. Most words have one form, which is the word at its place.
  struct Entry {
    union {
      const char* term = nullptr;  ///< If `plain`.
      const Form* forms;           ///< If not.
    };
    std::uint8_t count = 0;
    std::uint8_t steps = 0;      ///< Positions the word takes.
    std::uint8_t term_size = 0;  ///< If `plain`, as what follows.
    bool plain : 1 = false;
    bool is_stop : 1 = false;
    // The cache's own: what it was asked for.
    std::uint8_t rules = 0;
    std::uint16_t key_size = 0;  // 0: free.
  };
  /// A word and the rules (language and style) it is read with. Words of up to 16 bytes are their
  /// own key; of longer ones it has a hash.
  struct Key {
    std::uint64_t low, high;
    std::size_t hash;
    std::uint16_t size;
    std::uint8_t rules;
  };

  WordCache();

  /// `readable_end`: up to where bytes may be read, whatever they are.
  Key MakeKey(std::string_view word, std::uint8_t rules, const char* readable_end) const {
    Key key{0, 0, 0, static_cast<std::uint16_t>(word.size()), rules};
    if (word.size() > kShort) {
      key.low = HashLong(word);
    } else if (word.data() + kShort <= readable_end) {
      std::memcpy(&key.low, word.data(), 8);
      std::memcpy(&key.high, word.data() + 8, 8);
      key.low &= kFirstBytes[word.size()][0];
      key.high &= kFirstBytes[word.size()][1];
    } else {
      char bytes[kShort] = {};
      std::memcpy(bytes, word.data(), word.size());
      std::memcpy(&key.low, bytes, 8);
      std::memcpy(&key.high, bytes + 8, 8);
    }
    key.hash = HashOf(key.low, key.high, rules);
    return key;
  }
  /// Begins to fetch what Find() will read, which is seldom near.
  void Prefetch(const Key& key) const { __builtin_prefetch(&slots_[key.hash & mask_]); }

  /// The entry of `word`, or null.
  const Entry* Find(std::string_view word, const Key& key) const {
    for (std::size_t i = 0; i < kMaxProbes; ++i) {
      const Slot& slot = slots_[(key.hash + i) & mask_];
      if (slot.entry.key_size == 0) return nullptr;
      if (slot.low == key.low && slot.entry.key_size == key.size && slot.entry.rules == key.rules &&
          (key.size <= kShort ? slot.high == key.high
                              : std::memcmp(slot.bytes, word.data(), word.size()) == 0)) {
        return &slot.entry;
      }
    }
    return nullptr;
  }

  /// Adds a word that Find() did not find. The entry lives until Clear() or the next Add().
  const Entry* Add(std::string_view word, const Key& key, const std::vector<WordForm>& forms);

  bool full() const { return full_; }
  /// Forgets all words.
  void Clear();
  /// Forgets those that were added when it was full.
  void ClearOverflow() { overflow_.Clear(); }

 private:
  static constexpr std::size_t kShort = 16;
  static constexpr std::size_t kMaxProbes = 16;
  static constexpr std::size_t kMaxSlots = std::size_t{1} << 17;
  static constexpr std::size_t kMaxArena = std::size_t{8} << 20;

  // Half a line of the processor's cache.
  struct Slot {
    std::uint64_t low = 0;
    union {
      std::uint64_t high = 0;
      const char* bytes;  // Of longer words.
    };
    Entry entry;
  };
  static_assert(sizeof(Slot) == 32 || sizeof(void*) != 8);

  std::size_t HashOf(std::uint64_t low, std::uint64_t high, std::uint8_t rules) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(low ^ seeds_[0]) * (high ^ seeds_[1] ^ rules);
    return static_cast<std::size_t>(product) ^ static_cast<std::size_t>(product >> 64);
  }
  std::uint64_t HashLong(std::string_view word) const;
  static Entry Store(std::string_view word, const std::vector<WordForm>& forms, ByteArena* arena);
  void Grow();
  Slot* FreeSlot(const Key& key);

  const std::uint64_t seeds_[2];
  std::vector<Slot> slots_;
  std::size_t mask_;
  std::size_t words_ = 0;
  bool full_ = false;
  ByteArena arena_;
  ByteArena overflow_;
  Entry last_;
};

}  // namespace crawler

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace crawler {

/// Queries are answered a window of so many pages at a time, whose scores fit into the processor's
/// nearest cache. The first page of a window is a multiple of it.
inline constexpr std::uint32_t kWindowPages = 2048;

/// Some pages of a window, each by its place there.
class PageSet {
 public:
  static constexpr std::size_t kWords = kWindowPages / 64;

  void Clear() { words_ = {}; }
  void Set(std::uint32_t place) { words_[place / 64] |= std::uint64_t{1} << place % 64; }
  void Unset(std::uint32_t place) { words_[place / 64] &= ~(std::uint64_t{1} << place % 64); }
  bool Has(std::uint32_t place) const { return (words_[place / 64] >> place % 64 & 1) != 0; }
  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
  }
  std::uint32_t count() const {
    int count = 0;
    for (const std::uint64_t word : words_) count += std::popcount(word);
    return static_cast<std::uint32_t>(count);
  }
  /// The first place from `place` on, or kWindowPages.
  std::uint32_t Next(std::uint32_t place) const {
    if (place >= kWindowPages) return kWindowPages;
    std::size_t at = place / 64;
    std::uint64_t word = words_[at] >> place % 64 << place % 64;
    while (word == 0) {
      if (++at == kWords) return kWindowPages;
      word = words_[at];
    }
    return static_cast<std::uint32_t>(at * 64) + static_cast<std::uint32_t>(std::countr_zero(word));
  }
  /// Calls `take` with each place, ascending.
  template <typename Take>
  void ForEach(Take take) const {
    for (std::uint32_t at = 0; at < kWords; ++at) {
      for (std::uint64_t word = words_[at]; word != 0; word &= word - 1) {
        take(at * 64 + static_cast<std::uint32_t>(std::countr_zero(word)));
      }
    }
  }

  void Keep(const PageSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
  }
  void Add(const PageSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
  }
  void Remove(const PageSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] &= ~other.words_[i];
  }

 private:
  std::array<std::uint64_t, kWords> words_ = {};
};

}  // namespace crawler

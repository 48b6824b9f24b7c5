#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "index/document.hpp"

namespace crawler {

/// Least words of a page whose text may make it like another. "Loading…" says nothing of what a
/// page is.
inline constexpr std::int64_t kFoldedWords = 16;

/// Finds the results that a page is like: of the same content, or with a sketch of which
/// kSketchBytesAlike bytes are the same.
///
/// Sketches that differ in six bytes at most have one of seven pieces in common, so only those that
/// share a piece are compared.
/// Threads: one at a time.
class FoldTable {
 public:
  /// With how many sketches one is compared at most; those that share the rarest pieces come first.
  static constexpr std::size_t kMaxComparisons = 256;

  /// The first that was added of those that are like it.
  std::optional<std::size_t> Find(std::int64_t original, std::string_view sketch);
  /// Adds the next one. `original`: the first page with its content. An empty sketch is like none.
  void Add(std::int64_t original, std::string_view sketch);

  /// So far.
  std::uint64_t comparisons() const { return comparisons_; }

 private:
  static constexpr std::size_t kPieces = kSketchBytes - kSketchBytesAlike + 1;
  using Pieces = std::array<std::string, kPieces>;
  using Entries = std::vector<std::uint32_t>;  // Ascending.

  static Pieces PiecesOf(std::string_view sketch);

  std::unordered_map<std::int64_t, std::size_t> originals_;
  std::unordered_map<std::string, Entries> by_piece_;
  std::vector<std::string> sketches_;
  std::uint64_t comparisons_ = 0;
};

}  // namespace crawler

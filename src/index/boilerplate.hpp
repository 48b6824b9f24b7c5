#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/page.hpp"

namespace crawler {

/// Learns which blocks of text repeat across the pages of a host: navigation, footers, cookie
/// notes.
///
/// A block is a line of Page::text. It repeats if at least kLeastPages earlier pages of the host
/// had it, and so did at least kLeastShare of all earlier ones. Blocks that repeat are boilerplate
/// where kLeastBlocks of them follow each other, or fewer with kLeastWords words: a heading that
/// many pages have is none. So the first pages of a host keep all their text, and what repeats can
/// still be found there. A page that has hardly anything else (kMostOfText) is a copy of others and
/// keeps its text.
///
/// Memory: bounded, about 2 MB; of more blocks those seen least are forgotten.
/// Threads: one at a time.
class BoilerplateFinder {
 public:
  static constexpr std::uint32_t kLeastPages = 8;
  static constexpr double kLeastShare = 0.02;
  static constexpr double kMostOfText = 0.9;
  static constexpr std::size_t kLeastBlocks = 3;
  static constexpr std::size_t kLeastWords = 8;

  BoilerplateFinder();

  /// Replaces `*found` by the boilerplate of a page of `host`, in order, neighbours joined, and
  /// counts the page.
  void Find(std::string_view host, std::string_view text, std::vector<PageSlice>* found);

 private:
  struct Block {
    std::uint64_t hash = 0;
    std::uint32_t pages = 0;
    std::uint32_t last_page = 0;  // The number of the page that was counted last.
  };
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kSets = std::size_t{1} << 15;
  static constexpr std::size_t kMostHosts = 16384;

  /// On how many pages before this one the block was; counts this one.
  std::uint32_t Count(std::uint64_t hash);

  std::vector<std::array<Block, kWays>> blocks_;
  std::unordered_map<std::uint64_t, std::uint32_t> host_pages_;
  std::uint32_t page_ = 0;
};

}  // namespace crawler

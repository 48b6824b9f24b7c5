#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/url_record.hpp"

namespace crawler {

/// The texts behind the ids of a frontier, and how they were found last. A text is held in memory
/// until its row is settled, and after that as long as there is room.
/// Threads: one at a time.
class UrlTexts {
 public:
  /// Holds about `room` bytes of texts besides those that are not settled.
  explicit UrlTexts(std::size_t room) : room_(room) {}

  /// Keeps `row`, which is stored with the offers of number `offer`.
  void Keep(const UrlRow& row, std::uint64_t offer);
  /// Fills `*row`, except for the reason why it was skipped. False if the text is not in memory.
  bool Find(UrlId url, UrlRow* row) const;
  /// The rows of all offers up to `last_offer` are in the catalogue: makes room.
  void Settle(std::uint64_t last_offer);

 private:
  // The rows of kBlock URLs with consecutive ids.
  static constexpr std::size_t kBlock = 1024;
  struct Block {
    // Where in `bytes` each begins, plus 1; 0: it is not here.
    std::vector<std::uint32_t> starts = std::vector<std::uint32_t>(kBlock);
    std::string bytes;
    std::uint64_t offer = 0;  // The offer of the row that was added last.
  };

  void Shrink(Block* block);

  const std::size_t room_;
  std::map<UrlId, Block> blocks_;
  std::size_t held_ = 0;
};

}  // namespace crawler

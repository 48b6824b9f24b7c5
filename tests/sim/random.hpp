#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawler::sim {

/// Pseudo-random numbers (SplitMix64) that are the same for a seed on every machine and with every
/// standard library, so that a seed repeats a failure.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// A number below `limit`, which must not be 0.
  std::uint64_t Below(std::uint64_t limit) { return Next() % limit; }
  /// A number between `low` and `high`, both included.
  int Between(int low, int high) {
    return low + static_cast<int>(Below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool Chance(int percent) { return Below(100) < static_cast<std::uint64_t>(percent); }

  template <typename T>
  const T& Pick(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(Below(items.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace crawler::sim

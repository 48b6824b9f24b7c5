#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace crawler {

/// An array that grows chunk by chunk; its elements never move.
template <typename T, std::size_t kChunk>
class ChunkedArray {
  static_assert((kChunk & (kChunk - 1)) == 0);

 public:
  std::uint32_t size() const { return size_; }
  T& operator[](std::uint32_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](std::uint32_t i) const { return chunks_[i / kChunk][i % kChunk]; }

  /// Returns the index of the new element.
  std::uint32_t Append(T value) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
    chunks_.back()[size_ % kChunk] = std::move(value);
    return size_++;
  }

  std::size_t memory() const {
    return chunks_.size() * kChunk * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]);
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::uint32_t size_ = 0;
};

/// A pool of objects with small numbers from 1 as names; 0 is none. Numbers of removed objects are
/// used again.
template <typename T>
class Pool {
 public:
  Pool() { items_.Append(T()); }

  std::uint32_t Take() {
    if (free_.empty()) return items_.Append(T());
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void Give(std::uint32_t index) {
    items_[index] = T();
    free_.push_back(index);
  }

  T& operator[](std::uint32_t index) { return items_[index]; }
  const T& operator[](std::uint32_t index) const { return items_[index]; }
  /// All valid numbers, used or free, are below this one.
  std::uint32_t end_index() const { return items_.size(); }
  std::uint32_t used() const {
    return items_.size() - 1 - static_cast<std::uint32_t>(free_.size());
  }
  std::size_t memory() const { return items_.memory() + free_.capacity() * sizeof(free_[0]); }

 private:
  ChunkedArray<T, 64> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace crawler

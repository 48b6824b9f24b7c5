#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace crawler {

/// A vector whose object has 16 bytes, and that grows by an eighth and returns unused memory. Every
/// host with waiting URLs has one, so its overhead counts.
/// Threads: one at a time.
template <typename T>
class CompactVector {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved by realloc");

 public:
  CompactVector() = default;
  ~CompactVector() { std::free(data_); }
  CompactVector(CompactVector&& other) noexcept { Swap(other); }
  CompactVector& operator=(CompactVector&& other) noexcept {
    CompactVector(std::move(other)).Swap(*this);
    return *this;
  }

  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  T& operator[](std::uint32_t i) { return data_[i]; }
  const T& operator[](std::uint32_t i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void PushBack(T value) {
    if (size_ == capacity_) Resize(capacity_ + capacity_ / 8 + 1);
    data_[size_++] = value;
  }
  /// Requires: not empty.
  void PopBack() {
    assert(size_ > 0);
    --size_;
    if (size_ == 0 || (capacity_ > 16 && size_ < capacity_ / 2)) Resize(size_);
  }

  std::size_t memory() const { return capacity_ * sizeof(T); }

 private:
  void Swap(CompactVector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  void Resize(std::uint32_t capacity) {
    if (capacity == 0) {
      std::free(data_);
      data_ = nullptr;
    } else {
      void* const moved = std::realloc(data_, std::size_t{capacity} * sizeof(T));
      if (moved == nullptr) throw std::bad_alloc();
      data_ = static_cast<T*>(moved);
    }
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace crawler

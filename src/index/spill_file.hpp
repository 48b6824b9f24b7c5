#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace crawler {

/// Numbers that may be more than memory should hold: in a file without a name, which goes with the
/// process whatever happens, and which the system keeps in memory as far as there is room.
/// Threads: one at a time.
class SpillFile {
 public:
  /// In `folder`.
  static Result<SpillFile> Create(const std::string& folder);
  SpillFile(SpillFile&& other) noexcept;
  SpillFile& operator=(SpillFile&&) = delete;
  ~SpillFile();

  /// kResourceExhausted when the disk is full.
  Status Append(std::span<const std::uint32_t> numbers);
  /// The numbers from number `from` on, as many as are read at once: none at the end. They live
  /// until the next call. Nothing may be appended after.
  Result<std::span<const std::uint32_t>> Read(std::size_t from);

  /// Makes it `count` numbers long, those not yet written 0, and all of them at hand. Nothing may
  /// be appended after.
  Status Map(std::size_t count);

  std::span<std::uint32_t> numbers() { return {numbers_, size_}; }
  std::span<const std::uint32_t> numbers() const { return {numbers_, size_}; }

 private:
  explicit SpillFile(int file) : file_(file) {}
  Status WriteBuffer();

  int file_ = -1;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> buffer_;  // To be written, or just read.
  bool reading_ = false;
  std::uint32_t* numbers_ = nullptr;
};

}  // namespace crawler

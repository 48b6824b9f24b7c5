#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace crawler {

// Numbers in seven bits a byte, the low ones first; the top bit says that more follow.

inline constexpr std::size_t kMaxVarintBytes = 10;

/// Writes `value` at `at`, where kMaxVarintBytes fit; the end of what was written.
inline char* PutVarint(std::uint64_t value, char* at) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

inline void AppendVarint(std::uint64_t value, std::string* out) {
  char bytes[kMaxVarintBytes];
  out->append(bytes, static_cast<std::size_t>(PutVarint(value, bytes) - bytes));
}

/// Reads numbers from left to right. Past the end, and where no number stands, it reads 0 and
/// says so in ok(); nobody who reads to the end needs to look before.
class VarintReader {
 public:
  VarintReader() = default;
  explicit VarintReader(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool AtEnd() const { return at_ == end_; }
  bool ok() const { return ok_; }
  const char* position() const { return at_; }
  const char* end() const { return end_; }

  std::uint64_t Next() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
      return static_cast<unsigned char>(*at_++);
    }
    return NextLong();
  }
  std::uint32_t Next32() { return static_cast<std::uint32_t>(Next()); }

  /// Passes over `count` numbers.
  void Skip(std::uint64_t count) {
    // Eight bytes at a time: a number ends where the top bit is clear.
    while (count > 0 && end_ - at_ >= 8) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, at_, sizeof bytes);
      const std::uint64_t ends = ~bytes & kTopBits;
      // Each byte says how many numbers end there and before.
      const std::uint64_t numbers = (ends >> 7) * kOnes;
      if (numbers >> 56 < count) {
        count -= numbers >> 56;
        at_ += 8;
        continue;
      }
      // The top bit stays where that is `count` or more.
      const std::uint64_t enough = ((numbers | kTopBits) - count * kOnes) & kTopBits;
      at_ += std::countr_zero(enough) / 8 + 1;
      return;
    }
    for (; count > 0 && at_ != end_; ++at_) {
      if (static_cast<unsigned char>(*at_) < 0x80) --count;
    }
    if (count > 0) ok_ = false;
  }
  void SkipBytes(std::uint64_t count) {
    if (count <= static_cast<std::uint64_t>(end_ - at_)) {
      at_ += count;
    } else {
      Fail();
    }
  }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  static constexpr std::uint64_t kTopBits = kOnes << 7;

  std::uint64_t NextLong() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    Fail();
    return 0;
  }
  void Fail() {
    ok_ = false;
    at_ = end_;
  }

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool ok_ = true;
};

}  // namespace crawler

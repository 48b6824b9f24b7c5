#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#define CRAWLER_SCAN_X86 1
#endif

namespace crawler {

/// The instruction sets that scanning can use.
enum class Isa : std::uint8_t { kPortable, kSse2, kAvx2 };

/// Whether this build and this processor support `isa`.
bool IsaSupported(Isa isa);
/// The fastest one that is supported.
Isa BestIsa();

/// The bytes a tokenizer has to stop at, by what it is reading.
enum class ByteSet : std::uint8_t {
  kText,         ///< < & CR
  kLess,         ///< <
  kGreater,      ///< >
  kAngles,       ///< < >
  kRcdata,       ///< & CR NUL
  kRawtext,      ///< CR NUL
  kDoubleQuote,  ///< "
  kSingleQuote,  ///< '
};
inline constexpr std::size_t kByteSetCount = 8;

/// The members of a set, padded to three by repeating one.
struct ByteSetBytes {
  char byte[3];
};
inline constexpr ByteSetBytes kByteSetBytes[kByteSetCount] = {
    {{'<', '&', '\r'}},  {{'<', '<', '<'}},    {{'>', '>', '>'}}, {{'<', '>', '<'}},
    {{'&', '\r', '\0'}}, {{'\r', '\0', '\r'}}, {{'"', '"', '"'}}, {{'\'', '\'', '\''}}};

/// The functions of one instruction set; Scanner describes them.
struct ScanKernels {
  Isa isa;
  const char* (*find[kByteSetCount])(const char* begin, const char* end);
  char* (*copy_collapsed)(const char* begin, const char* end, char* out);
};

/// Jumps from one interesting byte to the next. Never reads outside [begin, end).
/// All instruction sets give the same results. Threads: safe from any thread.
class Scanner {
 public:
  /// An instruction set that is not supported falls back to the best one below it.
  explicit Scanner(Isa isa = BestIsa());

  /// Whether the scanner reads 16 bytes or more at a time.
  bool wide() const { return wide_; }

  /// The first byte of [begin, end) that belongs to the set, or `end`.
  template <ByteSet kSet>
  [[gnu::always_inline]] const char* Find(const char* begin, const char* end) const {
#if defined(CRAWLER_SCAN_X86)
    // Most hits are near: the first bytes are looked at here, without a call, and with one branch
    // for all of them because where in there the hit will be is hard to predict.
    if (end - begin >= 32 && wide_) {
      const unsigned hits = Hits32<kSet>(begin);
      if (hits != 0) return begin + __builtin_ctz(hits);
      begin += 32;
    }
#endif
    return kernels_->find[static_cast<std::size_t>(kSet)](begin, end);
  }

  /// Whether `text`, behind which the bytes up to `readable_end` can be read too, holds a byte of
  /// the set. Quick for short text.
  template <ByteSet kSet>
  bool Contains(std::string_view text, const char* readable_end) const {
#if defined(CRAWLER_SCAN_X86)
    if (text.size() - 1 < 32 && readable_end - text.data() >= 32 && wide_) {
      return Hits32<kSet>(text.data()) << (32 - text.size()) != 0;
    }
#else
    static_cast<void>(readable_end);
#endif
    const char* end = text.data() + text.size();
    return Find<kSet>(text.data(), end) != end;
  }

  /// Copies [begin, end) to `out` with every run of blanks and control characters (bytes up to
  /// 0x20) made one blank. Returns the end of the output.
  /// Requires: room for end - begin + kCopySlack bytes at `out`.
  char* CopyCollapsed(const char* begin, const char* end, char* out) const {
    return kernels_->copy_collapsed(begin, end, out);
  }
  static constexpr std::size_t kCopySlack = 32;

#if defined(CRAWLER_SCAN_X86)
  /// Bit i is set when byte i of the 16 at `p` belongs to the set.
  template <ByteSet kSet>
  static unsigned BlockHits(const char* p) {
    constexpr ByteSetBytes kBytes = kByteSetBytes[static_cast<std::size_t>(kSet)];
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i hits = _mm_cmpeq_epi8(block, _mm_set1_epi8(kBytes.byte[0]));
    if constexpr (kBytes.byte[1] != kBytes.byte[0]) {
      hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8(kBytes.byte[1])));
    }
    if constexpr (kBytes.byte[2] != kBytes.byte[0]) {
      hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8(kBytes.byte[2])));
    }
    return static_cast<unsigned>(_mm_movemask_epi8(hits));
  }
#endif

 private:
#if defined(CRAWLER_SCAN_X86)
  template <ByteSet kSet>
  static std::uint32_t Hits32(const char* p) {
    return BlockHits<kSet>(p) | BlockHits<kSet>(p + 16) << 16;
  }
#endif

  const ScanKernels* kernels_;
  bool wide_;  // Blocks may be looked at with SSE2.
};

}  // namespace crawler

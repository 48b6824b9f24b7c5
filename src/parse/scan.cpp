#include "parse/scan.hpp"

#include <cstring>

#if defined(CRAWLER_SCAN_X86)
#include <immintrin.h>
#endif

namespace crawler {
namespace {

constexpr unsigned char kBlank = 0x20;

template <ByteSet kSet>
const char* FindPortable(const char* begin, const char* end) {
  constexpr ByteSetBytes kBytes = kByteSetBytes[static_cast<std::size_t>(kSet)];
  for (const char* p = begin; p != end; ++p) {
    if (*p == kBytes.byte[0] || *p == kBytes.byte[1] || *p == kBytes.byte[2]) return p;
  }
  return end;
}

char* CopyCollapsedPortable(const char* begin, const char* end, char* out) {
  bool after_blank = false;
  for (const char* p = begin; p != end; ++p) {
    const bool blank = static_cast<unsigned char>(*p) <= kBlank;
    *out = blank ? ' ' : *p;
    out += !(blank && after_blank);
    after_blank = blank;
  }
  return out;
}

#if defined(CRAWLER_SCAN_X86)

template <ByteSet kSet>
const char* FindSse2(const char* begin, const char* end) {
  if (end - begin < 16) return FindPortable<kSet>(begin, end);
  const char* p = begin;
  for (; end - p >= 16; p += 16) {
    const unsigned hits = Scanner::BlockHits<kSet>(p);
    if (hits != 0) return p + __builtin_ctz(hits);
  }
  if (p == end) return end;
  // The last block overlaps bytes already known to be no hits.
  const unsigned hits = Scanner::BlockHits<kSet>(end - 16);
  return hits != 0 ? end - 16 + __builtin_ctz(hits) : end;
}

// Copies the bytes at `block` whose bits are set in `kept`, run by run. Up to 32 bytes are read
// behind the last one, and written.
inline char* CopyKept(const char* block, std::uint64_t kept, char* out) {
  while (kept != 0) {
    const int begin = __builtin_ctzll(kept);
    const int size = __builtin_ctzll(~(kept >> begin));
    std::memcpy(out, block + begin, 32);
    out += size;
    kept &= ~std::uint64_t{0} << (begin + size);
  }
  return out;
}

// Copies 32 bytes with blanks and controls as ' ', and says where those are.
inline std::uint32_t CopyRaised(const char* p, char* out) {
  const __m128i blank = _mm_set1_epi8(static_cast<char>(kBlank));
  const auto* in = reinterpret_cast<const __m128i*>(p);
  const __m128i low = _mm_max_epu8(_mm_loadu_si128(in), blank);
  const __m128i high = _mm_max_epu8(_mm_loadu_si128(in + 1), blank);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), low);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out) + 1, high);
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(low, blank))) |
         static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(high, blank))) << 16;
}

// AVX2 gains nothing here.
char* CopyCollapsedSse2(const char* begin, const char* end, char* out) {
  if (end - begin < 32) return CopyCollapsedPortable(begin, end, out);
  char block[64] = {};
  std::uint32_t carry = 0;  // 1 when the byte before the block is a blank.
  const char* p = begin;
  for (; end - p >= 32; p += 32) {
    const std::uint32_t blanks = CopyRaised(p, out);
    const std::uint32_t dropped = blanks & ((blanks << 1) | carry);
    carry = blanks >> 31;
    if (dropped == 0) {
      out += 32;
    } else {
      CopyRaised(p, block);
      out = CopyKept(block, ~dropped, out);
    }
  }
  // The rest, as the end of a block that overlaps what is done.
  const auto rest = static_cast<unsigned>(end - p);
  const std::uint64_t blanks = std::uint64_t{CopyRaised(end - 32, block)} >> (32 - rest);
  const std::uint64_t dropped = blanks & ((blanks << 1) | carry);
  return CopyKept(block + 32 - rest, ~dropped & ((std::uint64_t{1} << rest) - 1), out);
}

template <ByteSet kSet>
__attribute__((target("avx2"))) const char* FindAvx2(const char* begin, const char* end) {
  if (end - begin < 32) return FindSse2<kSet>(begin, end);
  constexpr ByteSetBytes kBytes = kByteSetBytes[static_cast<std::size_t>(kSet)];
  const __m256i byte0 = _mm256_set1_epi8(kBytes.byte[0]);
  const __m256i byte1 = _mm256_set1_epi8(kBytes.byte[1]);
  const __m256i byte2 = _mm256_set1_epi8(kBytes.byte[2]);
  const char* p = begin;
  for (;;) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    __m256i hits = _mm256_cmpeq_epi8(block, byte0);
    if constexpr (kBytes.byte[1] != kBytes.byte[0]) {
      hits = _mm256_or_si256(hits, _mm256_cmpeq_epi8(block, byte1));
    }
    if constexpr (kBytes.byte[2] != kBytes.byte[0]) {
      hits = _mm256_or_si256(hits, _mm256_cmpeq_epi8(block, byte2));
    }
    const auto mask = static_cast<unsigned>(_mm256_movemask_epi8(hits));
    if (mask != 0) return p + __builtin_ctz(mask);
    p += 32;
    if (p == end) return end;
    if (end - p < 32) p = end - 32;  // Overlaps bytes already known to be no hits.
  }
}

#endif  // CRAWLER_SCAN_X86

#define CRAWLER_FIND_ALL(fn)                                                             \
  {                                                                                      \
    fn<ByteSet::kText>, fn<ByteSet::kLess>, fn<ByteSet::kGreater>, fn<ByteSet::kAngles>, \
        fn<ByteSet::kRcdata>, fn<ByteSet::kRawtext>, fn<ByteSet::kDoubleQuote>,          \
        fn<ByteSet::kSingleQuote>                                                        \
  }

constexpr ScanKernels kPortableKernels = {Isa::kPortable, CRAWLER_FIND_ALL(FindPortable),
                                          CopyCollapsedPortable};
#if defined(CRAWLER_SCAN_X86)
constexpr ScanKernels kSse2Kernels = {Isa::kSse2, CRAWLER_FIND_ALL(FindSse2), CopyCollapsedSse2};
constexpr ScanKernels kAvx2Kernels = {Isa::kAvx2, CRAWLER_FIND_ALL(FindAvx2), CopyCollapsedSse2};
#endif

#undef CRAWLER_FIND_ALL

}  // namespace

bool IsaSupported(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return true;
#if defined(CRAWLER_SCAN_X86)
    case Isa::kSse2:
      return true;
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") != 0;
#else
    default:
      return false;
#endif
  }
  return false;
}

Isa BestIsa() {
  static const Isa best = IsaSupported(Isa::kAvx2)   ? Isa::kAvx2
                          : IsaSupported(Isa::kSse2) ? Isa::kSse2
                                                     : Isa::kPortable;
  return best;
}

Scanner::Scanner(Isa isa) : kernels_(&kPortableKernels) {
#if defined(CRAWLER_SCAN_X86)
  if (isa >= Isa::kSse2) kernels_ = &kSse2Kernels;
  if (isa >= Isa::kAvx2 && IsaSupported(Isa::kAvx2)) kernels_ = &kAvx2Kernels;
#else
  static_cast<void>(isa);
#endif
  wide_ = kernels_->isa != Isa::kPortable;
}

}  // namespace crawler

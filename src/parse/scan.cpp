#include "parse/scan.hpp"

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

// Copies byte by byte; `after_blank` says whether a blank has just been written, and is kept.
char* CopyTail(const char* begin, const char* end, char* out, bool* after_blank) {
  for (const char* p = begin; p != end; ++p) {
    const bool blank = static_cast<unsigned char>(*p) <= kBlank;
    *out = blank ? ' ' : *p;
    out += !(blank && *after_blank);
    *after_blank = blank;
  }
  return out;
}

char* CopyCollapsedPortable(const char* begin, const char* end, char* out) {
  bool after_blank = false;
  return CopyTail(begin, end, out, &after_blank);
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

// Writes the `count` (at most 32) bytes at `p` but for those whose bits are in `dropped`.
inline char* CopyPicked(const char* p, unsigned count, std::uint32_t dropped, char* out) {
  for (unsigned i = 0; i < count; ++i) {
    *out = static_cast<unsigned char>(p[i]) <= kBlank ? ' ' : p[i];
    out += ((dropped >> i) & 1) ^ 1;
  }
  return out;
}

char* CopyCollapsedSse2(const char* begin, const char* end, char* out) {
  const __m128i blank = _mm_set1_epi8(static_cast<char>(kBlank));
  std::uint32_t carry = 0;  // 1 when the byte before the block was a blank.
  const char* p = begin;
  for (; end - p >= 16; p += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i raised = _mm_max_epu8(block, blank);  // Blanks and controls become ' '.
    const auto blanks =
        static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(raised, blank)));
    const std::uint32_t dropped = blanks & ((blanks << 1) | carry);
    carry = blanks >> 15;
    if (dropped == 0) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), raised);
      out += 16;
    } else if (dropped != 0xffff) {
      out = CopyPicked(p, 16, dropped, out);
    }
  }
  bool after_blank = carry != 0;
  return CopyTail(p, end, out, &after_blank);
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

__attribute__((target("avx2"))) char* CopyCollapsedAvx2(const char* begin, const char* end,
                                                        char* out) {
  const __m256i blank = _mm256_set1_epi8(static_cast<char>(kBlank));
  std::uint32_t carry = 0;
  const char* p = begin;
  for (; end - p >= 32; p += 32) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i raised = _mm256_max_epu8(block, blank);
    const auto blanks =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(raised, blank)));
    const std::uint32_t dropped = blanks & ((blanks << 1) | carry);
    carry = blanks >> 31;
    if (dropped == 0) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), raised);
      out += 32;
    } else if (dropped != 0xffffffffu) {
      out = CopyPicked(p, 32, dropped, out);
    }
  }
  bool after_blank = carry != 0;
  return CopyTail(p, end, out, &after_blank);
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
constexpr ScanKernels kAvx2Kernels = {Isa::kAvx2, CRAWLER_FIND_ALL(FindAvx2), CopyCollapsedAvx2};
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

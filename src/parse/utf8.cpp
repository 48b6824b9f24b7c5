#include "parse/utf8.hpp"

#include <cstdint>
#include <cstring>

#include "url/utf8.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace crawler {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080u;

uint8_t ByteAt(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }

bool IsContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// ValidUtf8Prefix() from `at` on, where a character begins.
size_t ValidPrefixFrom(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (text.size() - at >= 8) {
      uint64_t eight;
      std::memcpy(&eight, text.data() + at, 8);
      if ((eight & kHighBits) == 0) {
        at += 8;
        continue;
      }
    }
    if (ByteAt(text, at) < 0x80) {
      ++at;
      continue;
    }
    const Utf8Char next = DecodeUtf8(text, at);
    if (!next.valid) return at;
    at += next.length;
  }
  return at;
}

#if defined(__x86_64__)

// Validation by table lookup, after Keiser and Lemire, "Validating UTF-8 In Less Than One
// Instruction Per Byte" (2020). Each byte and the one before it are looked up by three nibbles; the
// tables hold, as bits, the errors that such a nibble permits, and a bit left in all three is one.
enum PairError : uint8_t {
  kTooShort = 1 << 0,      // a lead byte, then no continuation
  kTooLong = 1 << 1,       // ASCII, then a continuation
  kOverlong3 = 1 << 2,     // E0, then less than A0
  kTooLarge = 1 << 3,      // F4, then 90 or more; F5 and above
  kSurrogate = 1 << 4,     // ED, then A0 or more
  kOverlong2 = 1 << 5,     // C0, C1
  kTooLarge1000 = 1 << 6,  // F5 and above, then 8x
  kOverlong4 = 1 << 6,     // F0, then less than 90
  kTwoContinued = 1 << 7,  // two continuations: an error unless a longer character reaches here
  kAnyLow = kTooShort | kTooLong | kTwoContinued,
};

#define CRAWLER_AVX2 __attribute__((target("avx2")))

CRAWLER_AVX2 inline __m256i Lookup(__m256i nibbles, __m128i table) {
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), nibbles);
}

CRAWLER_AVX2 inline __m256i HighNibbles(__m256i bytes) {
  return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
}

// The 32 bytes that begin N bytes before `block`, where `before` is what precedes it.
template <int N>
CRAWLER_AVX2 inline __m256i Earlier(__m256i block, __m256i before) {
  return _mm256_alignr_epi8(block, _mm256_permute2x128_si256(before, block, 0x21), 16 - N);
}

// Not zero where `block`, which follows `before`, has an error.
CRAWLER_AVX2 inline __m256i Errors(__m256i block, __m256i before) {
  constexpr char kLead3 = kTooShort | kOverlong3 | kSurrogate;
  constexpr char kLead4 = kTooShort | kTooLarge | kTooLarge1000 | kOverlong4;
  constexpr auto kContinued = static_cast<char>(kTwoContinued);
  const __m128i first_high = _mm_setr_epi8(
      kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kContinued,
      kContinued, kContinued, kContinued, kTooShort | kOverlong2, kTooShort, kLead3, kLead4);
  constexpr auto kLow = static_cast<char>(kAnyLow);
  constexpr auto kLarge = static_cast<char>(kAnyLow | kTooLarge | kTooLarge1000);
  const __m128i first_low =
      _mm_setr_epi8(kLow | kOverlong3 | kOverlong2 | kOverlong4, kLow | kOverlong2, kLow, kLow,
                    kLow | kTooLarge, kLarge, kLarge, kLarge, kLarge, kLarge, kLarge, kLarge,
                    kLarge, kLarge | kSurrogate, kLarge, kLarge);
  constexpr auto kAny8 = static_cast<char>(kTooLong | kOverlong2 | kTwoContinued);
  const __m128i second_high =
      _mm_setr_epi8(kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort,
                    kTooShort, kAny8 | kOverlong3 | kTooLarge1000 | kOverlong4,
                    kAny8 | kOverlong3 | kTooLarge, kAny8 | kSurrogate | kTooLarge,
                    kAny8 | kSurrogate | kTooLarge, kTooShort, kTooShort, kTooShort, kTooShort);

  const __m256i first = Earlier<1>(block, before);
  const __m256i pairs = _mm256_and_si256(
      _mm256_and_si256(Lookup(HighNibbles(first), first_high),
                       Lookup(_mm256_and_si256(first, _mm256_set1_epi8(0x0F)), first_low)),
      Lookup(HighNibbles(block), second_high));
  // Where a third or fourth byte is due, two continuations are right and their absence is not.
  const __m256i third =
      _mm256_subs_epu8(Earlier<2>(block, before), _mm256_set1_epi8(static_cast<char>(0xE0 - 0x80)));
  const __m256i fourth =
      _mm256_subs_epu8(Earlier<3>(block, before), _mm256_set1_epi8(static_cast<char>(0xF0 - 0x80)));
  const __m256i due =
      _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(static_cast<char>(0x80)));
  return _mm256_xor_si256(due, pairs);
}

CRAWLER_AVX2 size_t ValidUtf8PrefixAvx2(std::string_view text) {
  constexpr size_t kBlock = 32;
  __m256i before = _mm256_setzero_si256();
  size_t at = 0;
  for (; at + kBlock <= text.size(); at += kBlock) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + at));
    // Two ASCII blocks in a row cannot hold an error; the first may end a character too early.
    if (_mm256_movemask_epi8(_mm256_or_si256(block, before)) != 0) {
      const __m256i errors = Errors(block, before);
      if (!_mm256_testz_si256(errors, errors)) break;
    }
    before = block;
  }
  // All up to `at` is right, but for a character that may go on there: begin with that one.
  for (int back = 0; back < 3 && at > 0 && IsContinuation(ByteAt(text, at - 1)); ++back) --at;
  if (at > 0 && ByteAt(text, at - 1) >= 0xC0) --at;
  return ValidPrefixFrom(text, at);
}

#endif

}  // namespace

size_t ValidUtf8PrefixPortable(std::string_view text) { return ValidPrefixFrom(text, 0); }

size_t ValidUtf8Prefix(std::string_view text) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return ValidUtf8PrefixAvx2(text);
#endif
  return ValidUtf8PrefixPortable(text);
}

}  // namespace crawler

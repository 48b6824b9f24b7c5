#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace crawler {

/// Words of the scripts whose words ICU finds by dictionary: Han, Hiragana, Katakana, Hangul, Thai,
/// Lao, Khmer, Burmese.
inline constexpr const char* kDictionaryScripts =
    "\u6F22\u5B57 \u3042\u3042 \u30AB\u30AB \uD55C\uAE00 \u0E01\u0E32 \u0EAA\u0EB2 \u1780\u1780 "
    "\u1019\u1019";

/// The word-break class of a character (UAX 29, "Word_Break"), as far as a word may depend on it.
enum class WordClass : std::uint8_t {
  kOther,         ///< Ends a word.
  kLetter,        ///< ALetter
  kNumeric,       ///< Numeric
  kExtendNumLet,  ///< The underscore and its like.
  kMidLetter,     ///< Joins two letters.
  kMidNum,        ///< Joins two digits: a comma.
  kMidNumLet,     ///< Joins either: a full stop, an apostrophe.
  kExtend,        ///< Belongs to the character before it: a combining mark, a soft hyphen.
  kComplex,  ///< Hebrew and kana with their own rules, joiners, scripts that need a dictionary.
};

/// Where the words of a text are, exactly as ICU's word iterator (root locale) has them, but for
/// the
/// @, which separates words here (as in the standard; ICU 72 alone takes it for a letter). Most
/// text is read here; what has complex characters is handed to ICU, in pieces of bounded size,
/// because ICU needs far longer. Threads: one at a time.
class WordBreaker {
 public:
  WordBreaker();
  ~WordBreaker();
  WordBreaker(const WordBreaker&) = delete;
  WordBreaker& operator=(const WordBreaker&) = delete;

  /// Calls `emit(begin, end)` for each word of `text` in order, as pointers into it. A word has at
  /// least one letter or digit: what is only punctuation, blanks or underscores is none. Any bytes
  /// will do; what is no UTF-8 separates words.
  template <typename Emit>
  void ForEachWord(std::string_view text, Emit&& emit);

 private:
  /// A character: what it is and how many bytes it takes.
  struct Step {
    WordClass kind;
    std::uint32_t size;
  };
  struct Span {
    const char* begin;
    const char* end;
  };
  class Icu;
  using Block = std::array<WordClass, 256>;

  static constexpr std::array<WordClass, 128> MakeAscii();
  static const std::array<WordClass, 128> kAscii;

  Step At(const char* at, const char* end) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x80) return {kAscii[byte], 1};
    // Two bytes: Latin, Greek, Cyrillic, Hebrew, Arabic.
    if (byte >= 0xC2 && byte < 0xE0 && end - at >= 2 &&
        (static_cast<unsigned char>(at[1]) & 0xC0) == 0x80) {
      const unsigned code_point = (byte & 0x1Fu) << 6 | (static_cast<unsigned char>(at[1]) & 0x3Fu);
      const Block* block = blocks_[code_point / 256].get();
      if (block != nullptr) return {(*block)[code_point % 256], 2};
    }
    return NotAscii(at, end);
  }
  Step NotAscii(const char* at, const char* end);
  const Block& MakeBlock(std::uint32_t number);
  static const char* SkipAsciiWord(const char* at, const char* end);
  /// Where the word that begins at `at` ends; null if that takes ICU.
  const char* EndOfWord(const char* at, const char* end);
  const char* EndAfterMid(const char* mid, const char* end, WordClass* last);
  /// Where to end what ICU reads from `at`, because of a complex character there or in its word.
  const char* EndOfRegion(const char* at, const char* end);
  /// The words of a region, for as long as nothing else is called.
  const std::vector<Span>& WordsOfRegion(Span region);
  bool HasContent(const char* begin, const char* end);

  std::vector<std::unique_ptr<Block>> blocks_;  // Of 256 characters each; made when met.
  std::unique_ptr<Icu> icu_;                    // Made when needed.
  std::vector<Span> region_words_;
};

constexpr std::array<WordClass, 128> WordBreaker::MakeAscii() {
  std::array<WordClass, 128> classes{};
  for (int c = '0'; c <= '9'; ++c) classes[c] = WordClass::kNumeric;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = classes[c | 0x20] = WordClass::kLetter;
  classes['_'] = WordClass::kExtendNumLet;
  classes['.'] = classes['\''] = WordClass::kMidNumLet;
  classes[','] = classes[';'] = WordClass::kMidNum;
  return classes;
}
inline constexpr std::array<WordClass, 128> WordBreaker::kAscii = WordBreaker::MakeAscii();

// To the first byte that is no ASCII letter, digit or underscore. These join in any order.
inline const char* WordBreaker::SkipAsciiWord(const char* at, const char* end) {
#if defined(__SSE2__)
  while (end - at >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // x - low, compared as unsigned with the size of the range.
    const auto within = [](__m128i x, char low, char size) {
      const __m128i shifted = _mm_sub_epi8(x, _mm_set1_epi8(low));
      return _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(size)), shifted);
    };
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const __m128i word = _mm_or_si128(_mm_or_si128(within(lower, 'a', 25), within(bytes, '0', 9)),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
    const unsigned rest = ~static_cast<unsigned>(_mm_movemask_epi8(word)) & 0xFFFF;
    if (rest != 0) return at + __builtin_ctz(rest);
    at += 16;
  }
#endif
  while (at != end) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte >= 0x80 || kAscii[byte] == WordClass::kOther ||
        kAscii[byte] > WordClass::kExtendNumLet) {
      break;
    }
    ++at;
  }
  return at;
}

template <typename Emit>
void WordBreaker::ForEachWord(std::string_view text, Emit&& emit) {
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  while (at != end) {
    const Step step = At(at, end);
    if (step.kind != WordClass::kComplex &&
        (step.kind == WordClass::kOther || step.kind > WordClass::kExtendNumLet)) {
      at += step.size;
      continue;
    }
    // Most words are ASCII and end before a blank.
    const char* word_end = SkipAsciiWord(at, end);
    if (word_end != end && (static_cast<unsigned char>(*word_end) >= 0x80 ||
                            kAscii[static_cast<unsigned char>(*word_end)] != WordClass::kOther)) {
      word_end = step.kind == WordClass::kComplex ? nullptr : EndOfWord(at, end);
    }
    if (word_end == nullptr) {
      // The text before ended a word, so it does not matter for the text that follows.
      const Span region{at, EndOfRegion(at, end)};
      for (const Span& word : WordsOfRegion(region)) emit(word.begin, word.end);
      at = region.end;
      continue;
    }
    if (step.kind != WordClass::kExtendNumLet || HasContent(at, word_end)) emit(at, word_end);
    at = word_end;
  }
}

}  // namespace crawler

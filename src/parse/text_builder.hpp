#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "parse/scan.hpp"

namespace crawler {

/// Gathers the visible text of a page: runs of blanks become one blank, block boundaries one line
/// feed, and neither stands at the beginning or the end. Keeps its memory from page to page.
/// Threads: one thread at a time.
class TextBuilder {
 public:
  TextBuilder(const Scanner& scanner, std::size_t max_bytes)
      : scanner_(scanner), max_bytes_(max_bytes) {}

  void Clear();

  /// Adds text as the source has it. What goes beyond the limit is cut, between characters.
  void Append(std::string_view text);
  /// The same for text of a document that is readable up to `document_end`; quick for short pieces.
  void Append(std::string_view text, const char* document_end) {
#if defined(CRAWLER_SCAN_X86)
    if (text.size() - 1 < 32 && document_end - text.data() >= 32 && capacity_ - size_ >= 64 &&
        scanner_.isa() != Isa::kPortable && AppendShort(text)) {
      return;
    }
#else
    static_cast<void>(document_end);
#endif
    Append(text);
  }
  /// What follows is a block of its own.
  void Break() { pending_ = '\n'; }
  /// What follows is a word of its own.
  void Space() {
    if (pending_ == 0) pending_ = ' ';
  }

  std::string_view view() const { return std::string_view(buffer_.get(), size_); }
  std::size_t size() const { return size_; }
  bool truncated() const { return truncated_; }

 private:
  void Reserve(std::size_t more);

#if defined(CRAWLER_SCAN_X86)
  // Adds up to 32 bytes, of which 32 can be read. False, with nothing done, when it takes more than
  // a copy: runs of blanks inside, or the limit near.
  bool AppendShort(std::string_view text) {
    const __m128i blank = _mm_set1_epi8(' ');
    const auto* in = reinterpret_cast<const __m128i*>(text.data());
    // Blanks and controls become ' '.
    const __m128i first = _mm_max_epu8(_mm_loadu_si128(in), blank);
    const __m128i second = _mm_max_epu8(_mm_loadu_si128(in + 1), blank);
    const auto size = static_cast<unsigned>(text.size());
    const std::uint32_t all = ~std::uint32_t{0} >> (32 - size);
    const std::uint32_t blanks =
        (static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(first, blank))) |
         static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(second, blank))) << 16) &
        all;
    if (blanks == all) {
      Space();
      return true;
    }
    const unsigned leads = blanks & 1;
    const unsigned trails = (blanks >> (size - 1)) & 1;
    if ((blanks & (blanks << 1)) != 0 || size_ + 64 > max_bytes_ || (size_ == 0 && leads != 0)) {
      return false;
    }
    // A blank in front and a separator owed make one separator, which takes the blank's place.
    const unsigned separated = leads != 0 || (size_ != 0 && pending_ != 0);
    const char separator = pending_ != 0 ? pending_ : ' ';
    char* const end = buffer_.get() + size_;
    auto* out = reinterpret_cast<__m128i*>(end + separated - leads);
    _mm_storeu_si128(out, first);
    _mm_storeu_si128(out + 1, second);
    *end = separated != 0 ? separator : *end;
    size_ += separated + size - leads - trails;
    pending_ = trails != 0 ? ' ' : 0;
    return true;
  }
#endif

  const Scanner& scanner_;
  const std::size_t max_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  char pending_ = 0;  // A separator that is owed before the next word.
  bool truncated_ = false;
};

}  // namespace crawler

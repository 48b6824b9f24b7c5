#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "parse/scan.hpp"

namespace crawler {

/// Gathers the visible text of a page: runs of blanks become one blank, block boundaries one line
/// feed, and neither stands at the beginning or the end. Reuses its memory from page to page.
/// Threads: one thread at a time.
class TextBuilder {
 public:
  TextBuilder(const Scanner& scanner, std::size_t max_bytes)
      : scanner_(scanner), max_bytes_(max_bytes) {}

  /// Removes all text. Later text that lies in `document`, which must stay valid, is added faster.
  void Clear(std::string_view document = {});

  /// Adds text as the source has it. Text beyond the limit is cut, between characters.
  void Append(std::string_view text) {
#if defined(CRAWLER_SCAN_X86)
    // Below quick_begin_, 32 bytes of the document can be read; text from elsewhere is not below.
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(text.data()) - document_;
    if (text.size() - 1 < 32 && begin < quick_begin_ && size_ < quick_size_ && AppendShort(text)) {
      return;
    }
#endif
    AppendAny(text);
  }
  /// Separates the next text from the text before it. Of several separators the greatest counts.
  enum class Separator : std::uint8_t { kNone, kSpace, kBreak };
  void Separate(Separator separator) { pending_ = std::max(pending_, separator); }

  std::string_view view() const { return std::string_view(buffer_.get(), size_); }
  std::size_t size() const { return size_; }
  bool truncated() const { return truncated_; }

 private:
  void AppendAny(std::string_view text);
  void Reserve(std::size_t more);
  static char ByteOf(Separator separator) { return separator == Separator::kBreak ? '\n' : ' '; }

#if defined(CRAWLER_SCAN_X86)
  // Adds up to 32 bytes, of which 32 can be read. False, with nothing done, when it takes more than
  // a copy: runs of blanks inside, or the first text of all. Without branches on where the blanks
  // are: that is hard to predict.
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
      Separate(Separator::kSpace);
      return true;
    }
    if ((blanks & (blanks << 1)) != 0 || size_ == 0) return false;
    const unsigned leads = blanks & 1;
    const unsigned trails = (blanks >> (size - 1)) & 1;
    // A blank in front and a separator owed make one separator, which takes the blank's place.
    const unsigned separated = leads | static_cast<unsigned>(pending_ != Separator::kNone);
    char* const end = buffer_.get() + size_;
    auto* out = reinterpret_cast<__m128i*>(end + separated - leads);
    _mm_storeu_si128(out, first);
    _mm_storeu_si128(out + 1, second);
    *end = separated != 0 ? ByteOf(pending_) : *end;
    size_ += separated + size - leads - trails;
    pending_ = static_cast<Separator>(trails);
    return true;
  }
#endif

  const Scanner& scanner_;
  const std::size_t max_bytes_;
  std::uintptr_t document_ = 0;  // Where it begins.
  std::uintptr_t quick_begin_ = 0;
  std::size_t quick_size_ = 0;  // Up to here, a short text fits the buffer and the limit.
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  Separator pending_ = Separator::kNone;  // Owed before the next word.
  bool truncated_ = false;
};

}  // namespace crawler

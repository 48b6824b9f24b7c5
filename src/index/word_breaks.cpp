#include "index/word_breaks.hpp"

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include "url/utf8.hpp"

namespace crawler {
namespace {

// ICU reads regions of at least this size, if there is a place to end them; starting costs time.
constexpr std::ptrdiff_t kRegionBytes = 256;
// And of at most this size: its dictionaries need memory, and time, for a whole run of letters.
constexpr std::ptrdiff_t kMaxRegionBytes = 4096;

WordClass ClassOf(UChar32 c) {
  // ICU's rules take these out of the standard's and have dictionaries decide.
  if (u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT ||
      u_hasBinaryProperty(c, UCHAR_IDEOGRAPHIC) != 0) {
    return WordClass::kComplex;
  }
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(c, &error)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_HANGUL:
      return WordClass::kComplex;
    default:
      break;
  }
  switch (u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
    case U_WB_ALETTER:
      return WordClass::kLetter;
    case U_WB_NUMERIC:
      return WordClass::kNumeric;
    case U_WB_EXTENDNUMLET:
      return WordClass::kExtendNumLet;
    case U_WB_MIDLETTER:
      // Colons of other widths, which ICU takes for what it takes the plain one.
      return c == 0xFE55 || c == 0xFF1A ? WordClass::kOther : WordClass::kMidLetter;
    case U_WB_MIDNUM:
      return WordClass::kMidNum;
    case U_WB_MIDNUMLET:
    case U_WB_SINGLE_QUOTE:
      return WordClass::kMidNumLet;
    case U_WB_EXTEND:
    case U_WB_FORMAT:
      return WordClass::kExtend;
    case U_WB_HEBREW_LETTER:
    case U_WB_KATAKANA:
    case U_WB_ZWJ:
      return WordClass::kComplex;
    default:
      return WordClass::kOther;
  }
}

bool IsContent(WordClass kind) { return kind == WordClass::kLetter || kind == WordClass::kNumeric; }

}  // namespace

// ICU's iterator, over UTF-16: over UTF-8 it takes half as long again.
class WordBreaker::Icu {
 public:
  Icu() {
    UErrorCode error = U_ZERO_ERROR;
    breaks_.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), error));
    if (U_FAILURE(error) != 0) breaks_.reset();
    LoadDictionaries();
  }

  // Calls `segment(begin, end)` with all of `region`, piece by piece.
  template <typename Segment>
  void ForEachSegment(Span region, Segment segment) {
    if (breaks_ == nullptr) return segment(region.begin, region.end);
    Read(std::string_view(region.begin, static_cast<std::size_t>(region.end - region.begin)));
    breaks_->setText(text_);
    const char* begin = region.begin;
    while (breaks_->next() != icu::BreakIterator::DONE) {
      const char* const end = region.begin + offsets_[static_cast<std::size_t>(breaks_->current())];
      segment(begin, end);
      begin = end;
    }
  }

 private:
  // ICU loads the dictionary of a script when it meets it, and marks that several scripts share
  // (U+30FC) go to the dictionaries it has: what came before would decide where words end. So all
  // of them are met here first.
  void LoadDictionaries() {
    if (breaks_ == nullptr) return;
    text_ = icu::UnicodeString::fromUTF8(kDictionaryScripts);
    breaks_->setText(text_);
    while (breaks_->next() != icu::BreakIterator::DONE) continue;
  }

  void Read(std::string_view utf8) {
    text_.remove();
    offsets_.clear();
    for (std::size_t at = 0; at < utf8.size();) {
      const Utf8Char decoded = DecodeUtf8(utf8, at);
      text_.append(static_cast<UChar32>(decoded.code_point));
      offsets_.resize(static_cast<std::size_t>(text_.length()), static_cast<std::uint16_t>(at));
      at += decoded.length;
    }
    offsets_.push_back(static_cast<std::uint16_t>(utf8.size()));
  }

  static_assert(kMaxRegionBytes + 4 <= UINT16_MAX);
  std::unique_ptr<icu::BreakIterator> breaks_;
  icu::UnicodeString text_;             // The iterator refers to it.
  std::vector<std::uint16_t> offsets_;  // In UTF-8, of each unit of text_ and of its end.
};

WordBreaker::WordBreaker() : blocks_((UCHAR_MAX_VALUE + 1) / 256) {}
WordBreaker::~WordBreaker() = default;

WordBreaker::Step WordBreaker::NotAscii(const char* at, const char* end) {
  const Utf8Char decoded = DecodeUtf8(std::string_view(at, static_cast<std::size_t>(end - at)), 0);
  if (!decoded.valid) return {WordClass::kOther, decoded.length};
  const auto number = static_cast<std::uint32_t>(decoded.code_point) / 256;
  const Block& block = blocks_[number] != nullptr ? *blocks_[number] : MakeBlock(number);
  return {block[decoded.code_point % 256], decoded.length};
}

const WordBreaker::Block& WordBreaker::MakeBlock(std::uint32_t number) {
  auto block = std::make_unique<Block>();
  for (std::uint32_t i = 0; i < 256; ++i) {
    (*block)[i] = ClassOf(static_cast<UChar32>(number * 256 + i));
  }
  blocks_[number] = std::move(block);
  return *blocks_[number];
}

const char* WordBreaker::EndOfWord(const char* at, const char* end) {
  WordClass last = WordClass::kOther;  // Of the last character that is no kExtend.
  for (;;) {
    const char* const run = at;
    at = SkipAsciiWord(at, end);
    if (at != run) last = kAscii[static_cast<unsigned char>(at[-1])];
    if (at == end) return at;
    const Step step = At(at, end);
    switch (step.kind) {
      case WordClass::kOther:
        return at;
      case WordClass::kComplex:
        return nullptr;
      case WordClass::kLetter:
      case WordClass::kNumeric:
      case WordClass::kExtendNumLet:
        last = step.kind;
        at += step.size;
        break;
      case WordClass::kExtend:
        at += step.size;
        break;
      default: {
        const char* const after = EndAfterMid(at, end, &last);
        if (after == nullptr || after == at) return after;
        at = after;
      }
    }
  }
}

// The character at `mid` joins what is before it (`last`) with what is behind it, if those are two
// letters or two digits. Returns the place behind both, `mid` if they are not, null if ICU must
// say.
const char* WordBreaker::EndAfterMid(const char* mid, const char* end, WordClass* last) {
  const Step join = At(mid, end);
  const char* at = mid + join.size;
  Step next{WordClass::kExtend, 0};
  while (at != end && next.kind == WordClass::kExtend) {
    next = At(at, end);
    at += next.size;
  }
  if (next.kind == WordClass::kComplex) return nullptr;
  const bool joins =
      next.kind == *last && ((*last == WordClass::kLetter && join.kind != WordClass::kMidNum) ||
                             (*last == WordClass::kNumeric && join.kind != WordClass::kMidLetter));
  return joins ? at : mid;
}

const char* WordBreaker::EndOfRegion(const char* at, const char* end) {
  const char* const begin = at;
  while (at != end && at - begin < kMaxRegionBytes) {
    const Step step = At(at, end);
    // Hebrew abbreviations have a quotation mark inside. ICU is not shown an @.
    if (*at == '@') break;
    if (step.kind == WordClass::kOther && at - begin >= kRegionBytes && *at != '"') break;
    at += step.size;
  }
  return at;
}

const std::vector<WordBreaker::Span>& WordBreaker::WordsOfRegion(Span region) {
  if (icu_ == nullptr) icu_ = std::make_unique<Icu>();
  region_words_.clear();
  icu_->ForEachSegment(region, [this](const char* begin, const char* end) {
    if (HasContent(begin, end)) region_words_.push_back({begin, end});
  });
  return region_words_;
}

// Letters, digits, or signs of a script without blanks that are no mere punctuation.
bool WordBreaker::HasContent(const char* begin, const char* end) {
  while (begin != end) {
    const Step step = At(begin, end);
    if (IsContent(step.kind)) return true;
    if (step.kind == WordClass::kComplex) {
      const Utf8Char decoded =
          DecodeUtf8(std::string_view(begin, static_cast<std::size_t>(end - begin)), 0);
      if (u_isalnum(static_cast<UChar32>(decoded.code_point)) != 0) return true;
    }
    begin += step.size;
  }
  return false;
}

}  // namespace crawler

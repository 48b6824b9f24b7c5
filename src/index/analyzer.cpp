#include "index/analyzer.hpp"

#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "index/language.hpp"
#include "index/word_breaks.hpp"
#include "index/word_cache.hpp"
#include "index/word_forms.hpp"

namespace crawler {
namespace {

// The word, with the signs that are part of a name: c++, libstdc++, c#, f#.
const char* EndWithSigns(const char* begin, const char* word_end, const char* text_end) {
  if (!IsLetter(word_end[-1])) return word_end;
  const char* end = word_end;
  while (end != text_end && end - word_end < 3 && *end == *word_end) ++end;
  const std::ptrdiff_t signs = end - word_end;
  if (*word_end == '+') return signs == 2 ? end : word_end;
  // page#c is no name, and neither is page#: musicians and programmers have one letter.
  const bool name = *word_end == '#' && signs == 1 && word_end - begin == 1 &&
                    (end == text_end || !(IsLetter(*end) || (*end >= '0' && *end <= '9')));
  return name ? end : word_end;
}

bool IsNet(const char* word) {
  return (word[0] | 0x20) == 'n' && (word[1] | 0x20) == 'e' && (word[2] | 0x20) == 't';
}

}  // namespace

class Analyzer::Impl {
 public:
  void Run(std::string_view text, LanguageCode code, WordForms::Style style,
           std::vector<Token>* tokens) {
    tokens->clear();
    if (cache_.full()) cache_.Clear();
    cache_.ClearOverflow();
    text_ = text;
    language_ = &FindLanguage(code);
    style_ = style;
    tokens_ = tokens;
    position_ = 0;
    const auto rules = static_cast<std::uint8_t>(language_->number * 2 +
                                                 (style == WordForms::Style::kReadable ? 1 : 0));
    const char* const text_end = text.data() + text.size();
    std::size_t waiting = 0;
    breaker_.ForEachWord(text, [&](const char* begin, const char* end) {
      if (end != text_end && (*end == '+' || *end == '#')) end = EndWithSigns(begin, end, text_end);
      if (end - begin == 3 && begin != text_.data() && begin[-1] == '.' && IsNet(begin)) --begin;
      Word& word = batch_[waiting++];
      word.text = Cut(begin, end);
      word.key = cache_.MakeKey(word.text, rules, text_end);
      cache_.Prefetch(word.key);
      if (waiting == kBatch) AddTokens(std::exchange(waiting, 0));
    });
    AddTokens(waiting);
  }

 private:
  // Words are looked up some time after their places in the cache were asked for: memory is slow.
  static constexpr std::size_t kBatch = 32;
  struct Word {
    std::string_view text;
    WordCache::Key key;
  };

  void AddTokens(std::size_t words) {
    for (std::size_t i = 0; i < words; ++i) {
      const Word& word = batch_[i];
      const WordCache::Entry* entry = cache_.Find(word.text, word.key);
      if (entry == nullptr) {
        forms_.Of(word.text, *language_, style_, &found_);
        entry = cache_.Add(word.text, word.key, found_);
      }
      const auto offset = static_cast<std::uint32_t>(word.text.data() - text_.data());
      if (entry->plain) {
        tokens_->push_back({{entry->term, entry->term_size},
                            position_,
                            offset,
                            static_cast<std::uint32_t>(word.text.size()),
                            false,
                            entry->is_stop});
      } else {
        for (std::size_t form = 0; form < entry->count; ++form) {
          AddForm(entry->forms[form], offset);
        }
      }
      position_ += entry->steps;
    }
  }

  void AddForm(const WordCache::Form& form, std::uint32_t offset) {
    tokens_->push_back({{form.term, form.term_size},
                        position_ + form.step,
                        offset + form.offset,
                        form.size,
                        form.is_part,
                        form.is_stop});
  }

  // The part of a word that is read.
  static std::string_view Cut(const char* begin, const char* end) {
    if (end - begin > static_cast<std::ptrdiff_t>(WordForms::kMaxBytes)) {
      end = begin + WordForms::kMaxBytes;
      while (IsContinuation(*end)) --end;
    }
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  }

  WordBreaker breaker_;
  WordForms forms_;
  WordCache cache_;
  std::array<Word, kBatch> batch_;
  std::vector<WordForm> found_;
  // Of the text being read.
  std::string_view text_;
  const Language* language_ = nullptr;
  WordForms::Style style_{};
  std::vector<Token>* tokens_ = nullptr;
  std::uint32_t position_ = 0;
};

Analyzer::Analyzer() : impl_(std::make_unique<Impl>()) {}
Analyzer::~Analyzer() = default;

void Analyzer::Analyze(std::string_view text, LanguageCode language, std::vector<Token>* tokens) {
  impl_->Run(text, language, WordForms::Style::kTerms, tokens);
}

void Analyzer::Words(std::string_view text, LanguageCode language, std::vector<Token>* tokens) {
  impl_->Run(text, language, WordForms::Style::kReadable, tokens);
}

}  // namespace crawler

#include "index/analyzer.hpp"

#include "index/language.hpp"
#include "index/word_breaks.hpp"
#include "index/word_cache.hpp"
#include "index/word_forms.hpp"

namespace crawler {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
bool IsAsciiLetter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// The word, with the signs that are part of a name: c++, libstdc++, c#, f#.
const char* EndWithSigns(const char* begin, const char* word_end, const char* text_end) {
  if (!IsAsciiLetter(word_end[-1])) return word_end;
  const char* end = word_end;
  while (end != text_end && end - word_end < 3 && *end == *word_end) ++end;
  const std::ptrdiff_t signs = end - word_end;
  if (*word_end == '+') return signs == 2 ? end : word_end;
  // page#c is no name, and neither is page#: musicians and programmers have one letter.
  const bool name = *word_end == '#' && signs == 1 && word_end - begin == 1 &&
                    (end == text_end || !(IsAsciiLetter(*end) || (*end >= '0' && *end <= '9')));
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
    const Language& language = FindLanguage(code);
    const auto rules = static_cast<std::uint8_t>(language.number * 2 +
                                                 (style == WordForms::Style::kReadable ? 1 : 0));
    const char* const text_begin = text.data();
    const char* const text_end = text_begin + text.size();
    std::uint32_t position = 0;
    breaker_.ForEachWord(text, [&](const char* begin, const char* end) {
      if (end != text_end && (*end == '+' || *end == '#')) end = EndWithSigns(begin, end, text_end);
      if (end - begin == 3 && begin != text_begin && begin[-1] == '.' && IsNet(begin)) --begin;
      const std::string_view word = Cut(begin, end);
      const WordCache::Entry* entry = cache_.Find(word, rules, text_end);
      if (entry == nullptr) {
        forms_.Of(word, language, style, &found_);
        entry = cache_.Add(word, rules, found_);
      }
      const auto offset = static_cast<std::uint32_t>(begin - text_begin);
      for (std::uint32_t i = 0; i < entry->count; ++i) {
        const WordCache::Form& form = entry->forms[i];
        Token& token = tokens->emplace_back();
        token.term = std::string_view(form.term, form.term_size);
        token.position = position + form.step;
        token.offset = offset + form.offset;
        token.size = form.size;
        token.is_part = form.is_part;
        token.is_stop = form.is_stop;
      }
      position += entry->steps;
    });
  }

 private:
  // What is read of a word.
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
  std::vector<WordForm> found_;
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

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

/// A language as the index knows it: its ISO 639 code ("en", "de", "ja", "zh"), or "" if unknown.
/// Lives for ever.
using LanguageCode = std::string_view;

/// The language a text is written in: detected from its letters and words; `hint` (what the page
/// says of itself, e.g. "de-AT", may be empty or wrong) decides where the text alone does not.
/// Reads no more than a bounded part of the text. Any bytes will do.
LanguageCode DetectLanguage(std::string_view text, std::string_view hint);

/// A word of a text. The strings live as long as the text, or until the analyzer's next call.
struct Token {
  std::string_view term;       ///< In the form that is indexed: folded, without marks, stemmed.
  std::uint32_t position = 0;  ///< Number of the word in the text; stop words count, a part of a
                               ///< word has the position of the word.
  std::uint32_t offset = 0;    ///< Of the word in the text, in bytes.
  std::uint32_t size = 0;
  bool is_part = false;  ///< A part of a longer word that is a token too: "push" of "push_back".
  bool is_stop = false;  ///< A word too common in its language to tell pages apart.
};

/// Text to terms: the words by Unicode's rules (UAX 29; the scripts without blanks by ICU's
/// dictionaries), compatibility and case folded, diacritics removed, stemmed by language. The same
/// word gives the same term in a page and in a query. docs/search.md says exactly what a term is.
///
/// A word may give several tokens: parts of an identifier at its own position, marked; words joined
/// by full stops (os.path) at positions of their own. Whole words come before their parts.
///
/// Errors: none; any bytes give tokens, in time linear in them. Terms longer than kMaxTermBytes are
/// cut, and of a word 256 bytes are read.
/// Threads: one at a time; have one for each thread. It keeps a bounded memory of words it has
/// seen, which is what makes it fast.
class Analyzer {
 public:
  static constexpr std::size_t kMaxTermBytes = 64;

  Analyzer();
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// The tokens of `text` in order; `*tokens` is emptied first.
  void Analyze(std::string_view text, LanguageCode language, std::vector<Token>* tokens);
  /// The same words for people to read: not stemmed, in lower case, with their marks. The tokens
  /// are those of Analyze(), one by one, but for their terms.
  void Words(std::string_view text, LanguageCode language, std::vector<Token>* tokens);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace crawler

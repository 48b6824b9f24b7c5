// Analyzer and DetectLanguage() on any bytes: terms are bounded and in order, words lie in the
// text, and what was remembered changes nothing. The first byte chooses the language.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "index/analyzer.hpp"

namespace {

using crawler::Analyzer;
using crawler::Token;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string Written(const std::vector<Token>& tokens) {
  std::string out;
  for (const Token& token : tokens) {
    out.append(token.term).append(" ").append(std::to_string(token.position));
    out.append(" ").append(std::to_string(token.offset));
    out.append(token.is_part ? "~" : "").append(token.is_stop ? "!\n" : "\n");
  }
  return out;
}

void Check(std::string_view text, const std::vector<Token>& tokens) {
  std::uint32_t position = 0;
  for (const Token& token : tokens) {
    Require(!token.term.empty() && token.term.size() <= Analyzer::kMaxTermBytes);
    Require(token.size > 0 && std::size_t{token.offset} + token.size <= text.size());
    Require(token.position == position || token.position == position + 1);
    position = token.position;
    for (const char c : token.term) Require(static_cast<unsigned char>(c) > 0x20);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* kLanguages[] = {"en", "de", "fr", "ru", "ja", "ar", "hi", "tr", "", "th"};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char* language = kLanguages[data[0] % 10];
  static Analyzer known;
  Analyzer fresh;
  std::vector<Token> tokens;
  fresh.Analyze(text, language, &tokens);
  Check(text, tokens);
  const std::string first = Written(tokens);
  known.Analyze(text, language, &tokens);
  Require(Written(tokens) == first);
  std::vector<Token> words;
  fresh.Words(text, language, &words);
  Check(text, words);
  Require(words.size() == tokens.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    Require(words[i].position == tokens[i].position && words[i].offset == tokens[i].offset &&
            words[i].size == tokens[i].size && words[i].is_part == tokens[i].is_part &&
            words[i].is_stop == tokens[i].is_stop);
  }
  (void)crawler::DetectLanguage(text, text.substr(0, 8));
  return 0;
}

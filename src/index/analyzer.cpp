#include "index/analyzer.hpp"

#include <string>

namespace crawler {

// The plainest of analyzers: runs of ASCII letters and digits, in lower case.
class Analyzer::Impl {
 public:
  void Run(std::string_view text, std::vector<Token>* tokens) {
    tokens->clear();
    folded_.assign(text);
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= folded_.size(); ++i) {
      const char c = i < folded_.size() ? folded_[i] : ' ';
      if (c >= 'A' && c <= 'Z') folded_[i] = static_cast<char>(c | 0x20);
      const bool word = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (word) continue;
      if (begin < i) {
        Token token;
        token.term = std::string_view(folded_).substr(begin, std::min(i - begin, kMaxTermBytes));
        token.position = static_cast<std::uint32_t>(tokens->size());
        token.offset = static_cast<std::uint32_t>(begin);
        token.size = static_cast<std::uint32_t>(i - begin);
        tokens->push_back(token);
      }
      begin = i + 1;
    }
  }

 private:
  std::string folded_;
};

Analyzer::Analyzer() : impl_(std::make_unique<Impl>()) {}
Analyzer::~Analyzer() = default;

void Analyzer::Analyze(std::string_view text, LanguageCode /*language*/,
                       std::vector<Token>* tokens) {
  impl_->Run(text, tokens);
}
void Analyzer::Words(std::string_view text, LanguageCode /*language*/, std::vector<Token>* tokens) {
  impl_->Run(text, tokens);
}

LanguageCode DetectLanguage(std::string_view /*text*/, std::string_view hint) {
  return hint.starts_with("de") ? "de" : "en";
}

}  // namespace crawler

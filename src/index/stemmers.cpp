#include "index/stemmers.hpp"

#include <libstemmer.h>

#include <algorithm>
#include <string_view>

#include "base/ascii.hpp"
#include "index/fold.hpp"

namespace crawler {
namespace {

constexpr std::size_t kSyllableBytes = 3;  // Of Hangul in UTF-8.

// Longer ones first.
constexpr std::string_view kParticles[] = {
    "에서는", "에게서", "으로는", "으로서", "으로써", "이라는", "이라고", "에서", "에게", "에는",
    "으로",   "까지",   "부터",   "처럼",   "보다",   "라는",   "라고",   "이나", "이며", "이고",
    "들은",   "들이",   "들을",   "들의",   "은",     "는",     "이",     "가",   "을",   "를",
    "의",     "에",     "로",     "와",     "과",     "도",     "만"};

// Two syllables at least are the noun. A noun may end like a particle, with one behind it or not:
// only if all are taken off does it come to the same.
void DropParticles(std::string* word) {
  const auto drop_one = [&] {
    for (const std::string_view particle : kParticles) {
      if (word->ends_with(particle) && word->size() >= particle.size() + 2 * kSyllableBytes) {
        word->resize(word->size() - particle.size());
        return true;
      }
    }
    return false;
  };
  while (drop_one()) {
  }
}

// Without their marks these endings would not be known for what they are.
void RestoreMarks(LanguageCode code, std::string* word) {
  const auto restore = [&](std::string_view plain, std::string_view marked) {
    if (word->ends_with(plain)) word->replace(word->size() - plain.size(), plain.size(), marked);
  };
  if (code == "es") restore("ion", "ión");
  if (code == "pt") {
    restore("cao", "ção");
    restore("coes", "ções");
  }
}

bool IsName(std::string_view word) {
  return std::any_of(word.begin(), word.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '_' || c == '.'; });
}

}  // namespace

Stemmers::Stemmers() = default;
Stemmers::~Stemmers() = default;

void Stemmers::Delete::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

std::string Stemmers::Stem(std::string folded, const Language& language) {
  if (folded.size() > Analyzer::kMaxTermBytes || IsName(folded)) return folded;
  const bool foreign = !language.latin && IsAscii(folded);
  const Language& rules = foreign ? FindLanguage("en") : language;
  if (rules.code == "ko") DropParticles(&folded);
  if (rules.stemmer == nullptr) return folded;
  auto& stemmer = stemmers_[rules.number];
  if (stemmer == nullptr) stemmer.reset(sb_stemmer_new(rules.stemmer, "UTF_8"));
  if (stemmer == nullptr) throw std::bad_alloc();
  RestoreMarks(rules.code, &folded);
  const auto* stem = reinterpret_cast<const char*>(
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(folded.data()),
                      static_cast<int>(folded.size())));
  if (stem == nullptr) throw std::bad_alloc();
  const std::string_view view(stem, static_cast<std::size_t>(sb_stemmer_length(stemmer.get())));
  if (view.empty()) return folded;
  if (IsAscii(view)) return std::string(view);
  std::string term;
  Folder().Fold(view, Folder::Marks::kRemoved, &term);
  return term;
}

}  // namespace crawler

#include "search/spelling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "url/utf8.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMaxLetters = 64;  // Longer words are names nobody misspells alone.
constexpr std::size_t kMaxDistance = 2;
// A mistake is as unlikely as a word e^4 times rarer; one in the first letter more so.
constexpr double kMistake = 4;
constexpr double kFirstLetter = 2;

struct Letters {
  std::array<char32_t, kMaxLetters> letters;
  std::size_t size = 0;

  // False if there are too many.
  bool Read(std::string_view word) {
    size = 0;
    for (std::size_t at = 0; at < word.size();) {
      if (size == kMaxLetters) return false;
      const Utf8Char decoded = DecodeUtf8(word, at);
      letters[size++] = decoded.code_point;
      at += decoded.length;
    }
    return true;
  }
  std::u32string_view view() const { return {letters.data(), size}; }
};

// A rough set of a word's letters: words that differ in many of them are far apart.
std::uint64_t LetterSet(std::string_view word) {
  std::uint64_t set = 0;
  for (const char c : word) set |= std::uint64_t{1} << (static_cast<unsigned char>(c) & 63);
  return set;
}

std::size_t AllowedMistakes(std::size_t letters) {
  if (letters < 3) return 0;
  return letters < 5 ? 1 : kMaxDistance;
}

/// The nearest word of those considered so far.
class Nearest {
 public:
  Nearest(std::string_view word, std::size_t limit) : word_(word), limit_(limit) {
    if (wanted_.Read(word)) allowed_ = AllowedMistakes(wanted_.size);
    letter_set_ = LetterSet(word);
    // A character is up to four bytes; of letters that are not ASCII all may differ.
    is_ascii_ = wanted_.size == word.size();
  }

  void Consider(std::string_view shown, std::uint32_t document_freq) {
    if (allowed_ == 0 || limit_ == 0 || shown.size() + 4 * allowed_ < word_.size() ||
        word_.size() + 4 * allowed_ < shown.size()) {
      return;
    }
    // A changed letter makes two of the differences, a swap none.
    const auto differences =
        static_cast<std::size_t>(std::popcount(letter_set_ ^ LetterSet(shown)));
    if (differences > (is_ascii_ ? 5 : 8) * allowed_) return;
    Letters letters;
    if (!letters.Read(shown)) return;
    const std::size_t distance = SpellingDistance(wanted_.view(), letters.view(), allowed_);
    if (distance == 0 || distance > allowed_) return;
    const double score = std::log1p(document_freq) - kMistake * static_cast<double>(distance) -
                         (letters.letters[0] == wanted_.letters[0] ? 0 : kFirstLetter);
    if (best_.size() == limit_ && score <= best_.back().score) return;
    const auto place = std::find_if(best_.begin(), best_.end(),
                                    [&](const Candidate& other) { return score > other.score; });
    best_.insert(place, {{std::string(shown), document_freq, distance}, score});
    if (best_.size() > limit_) best_.pop_back();
  }

  std::vector<SpellingSuggestion> Take() {
    std::vector<SpellingSuggestion> suggestions;
    suggestions.reserve(best_.size());
    for (Candidate& candidate : best_) suggestions.push_back(std::move(candidate.suggestion));
    return suggestions;
  }

 private:
  struct Candidate {
    SpellingSuggestion suggestion;
    double score;
  };

  const std::string_view word_;
  const std::size_t limit_;
  Letters wanted_;
  std::size_t allowed_ = 0;
  std::uint64_t letter_set_ = 0;
  bool is_ascii_ = false;
  std::vector<Candidate> best_;
};

}  // namespace

std::size_t SpellingDistance(std::u32string_view a, std::u32string_view b, std::size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit || b.size() > kMaxLetters) return limit + 1;
  // Three rows of the table, of which only the cells near the diagonal can be within the limit.
  std::array<std::array<std::uint8_t, kMaxLetters + 1>, 3> rows;
  const auto far = static_cast<std::uint8_t>(limit + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    rows[0][j] = static_cast<std::uint8_t>(std::min(j, limit + 1));
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& twice = rows[(i + 1) % 3];
    const std::size_t begin = i > limit ? i - limit : 0;
    const std::size_t end = std::min(b.size(), i + limit);
    std::uint8_t least = far;
    if (begin > 0) row[begin - 1] = far;
    for (std::size_t j = begin; j <= end; ++j) {
      std::uint8_t best = far;
      if (j == 0) {
        best = static_cast<std::uint8_t>(std::min(i, limit + 1));
      } else {
        const bool same = a[i - 1] == b[j - 1];
        best = static_cast<std::uint8_t>(above[j - 1] + (same ? 0 : 1));
        best = std::min<std::uint8_t>(best, static_cast<std::uint8_t>(row[j - 1] + 1));
        if (j < i + limit)
          best = std::min<std::uint8_t>(best, static_cast<std::uint8_t>(above[j] + 1));
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
          best = std::min<std::uint8_t>(best, static_cast<std::uint8_t>(twice[j - 2] + 1));
        }
      }
      row[j] = std::min(best, far);
      least = std::min(least, row[j]);
    }
    if (least == far) return limit + 1;
  }
  return rows[a.size() % 3][b.size()];
}

std::vector<std::vector<SpellingSuggestion>> SuggestSpelling(
    const std::vector<std::string>& words,
    const std::function<void(const TermSink&)>& for_each_term, std::size_t limit) {
  std::vector<Nearest> searches;
  searches.reserve(words.size());
  for (const std::string& word : words) searches.emplace_back(word, limit);
  for_each_term([&](std::string_view shown, std::uint32_t document_freq) {
    for (Nearest& search : searches) search.Consider(shown, document_freq);
  });
  std::vector<std::vector<SpellingSuggestion>> suggestions;
  suggestions.reserve(words.size());
  for (Nearest& search : searches) suggestions.push_back(search.Take());
  return suggestions;
}

}  // namespace crawler

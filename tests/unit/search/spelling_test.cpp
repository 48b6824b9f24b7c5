#include "search/spelling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Term {
  const char* shown;
  std::uint32_t document_freq;
};

std::vector<std::string> Suggest(std::string_view word, const std::vector<Term>& terms) {
  const auto each_term = [&](const TermSink& sink) {
    for (const Term& term : terms) sink(term.shown, term.document_freq);
  };
  const auto suggestions = SuggestSpelling({std::string(word)}, each_term);
  std::vector<std::string> words;
  for (const SpellingSuggestion& suggestion : suggestions.front()) {
    words.push_back(suggestion.shown);
  }
  return words;
}

const std::vector<Term> kTerms = {{"vector", 100}, {"sector", 3}, {"vectors", 20},
                                  {"victor", 5},   {"cat", 50},   {"häuser", 9},
                                  {"книга", 7},    {"at", 90},    {"container", 9}};

TEST(Spelling, SuggestsWhatIsNearAndCommon) {
  EXPECT_EQ(Suggest("vectro", kTerms).front(), "vector");  // Swapped.
  EXPECT_EQ(Suggest("vecotr", kTerms).front(), "vector");
  EXPECT_EQ(Suggest("vctor", kTerms).front(), "vector");    // Missing.
  EXPECT_EQ(Suggest("vecctor", kTerms).front(), "vector");  // Too many.
  EXPECT_EQ(Suggest("vextor", kTerms).front(), "vector");   // Wrong.
  EXPECT_THAT(Suggest("conteiner", kTerms), ElementsAre("container"));
  EXPECT_THAT(Suggest("hauser", kTerms), ElementsAre("häuser"));
  EXPECT_THAT(Suggest("кнега", kTerms), ElementsAre("книга"));
}

TEST(Spelling, ShortWordsAllowFewMistakes) {
  EXPECT_THAT(Suggest("cat", kTerms), ElementsAre("at"));
  EXPECT_THAT(Suggest("xy", kTerms), IsEmpty());
  EXPECT_THAT(Suggest("cxx", kTerms), IsEmpty());
  EXPECT_THAT(Suggest("", kTerms), IsEmpty());
  EXPECT_THAT(Suggest("zzzzzzzz", kTerms), IsEmpty());
  EXPECT_THAT(Suggest(std::string(5000, 'a'), kTerms), IsEmpty());
  EXPECT_THAT(Suggest("\xFF\xFE\xFD\xFC\xFB", kTerms), IsEmpty());
}

// By the definition, cell by cell.
std::size_t SlowDistance(std::u32string_view a, std::u32string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(Spelling, DistanceIsThatOfTheDefinition) {
  std::mt19937 random(1);  // NOLINT: the same words each time.
  for (int round = 0; round < 100'000; ++round) {
    std::u32string a(random() % 9, U'a'), b(random() % 9, U'a');
    for (char32_t& c : a) c += random() % 3;
    for (char32_t& c : b) c += random() % 3;
    for (const std::size_t limit : {0, 1, 2, 3}) {
      ASSERT_EQ(SpellingDistance(a, b, limit), std::min(SlowDistance(a, b), limit + 1));
    }
  }
}

// Nothing near is missed, and nothing far is told, whatever shortcuts are taken.
TEST(Spelling, ShortcutsMissNothing) {
  std::mt19937 random(2);  // NOLINT: the same words each time.
  std::vector<std::string> terms;
  for (int i = 0; i < 3000; ++i) {
    std::string term(3 + random() % 5, 'a');
    for (char& c : term) c = static_cast<char>('a' + random() % 4);
    terms.push_back(term);
  }
  for (int round = 0; round < 50; ++round) {
    const std::string word = terms[random() % terms.size()] + (round % 2 == 0 ? "x" : "");
    const std::size_t allowed = word.size() < 5 ? 1 : 2;
    std::size_t expected = 0;
    for (const std::string& term : terms) {
      const std::size_t distance = SlowDistance(std::u32string(word.begin(), word.end()),
                                                std::u32string(term.begin(), term.end()));
      if (distance > 0 && distance <= allowed) ++expected;
    }
    const auto found = SuggestSpelling(
        {word},
        [&](const TermSink& sink) {
          for (const std::string& term : terms) sink(term, 1);
        },
        terms.size());
    EXPECT_EQ(found.front().size(), expected);
  }
}

TEST(Spelling, SeveralWordsInOneGo) {
  int passes = 0;
  const auto found = SuggestSpelling({"vectro", "zzzzzz", "contaimer"}, [&](const TermSink& sink) {
    ++passes;
    for (const Term& term : kTerms) sink(term.shown, term.document_freq);
  });
  EXPECT_EQ(passes, 1);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].front().shown, "vector");
  EXPECT_THAT(found[1], IsEmpty());
  EXPECT_EQ(found[2].front().shown, "container");
}

TEST(Spelling, AMillionTermsTakeNoTime) {
  std::mt19937 random(3);  // NOLINT: the same words each time.
  std::vector<std::string> terms(1'000'000);
  for (std::string& term : terms) {
    term.resize(3 + random() % 9);
    for (char& c : term) c = static_cast<char>('a' + random() % 26);
  }
  const auto begin = std::chrono::steady_clock::now();
  SuggestSpelling({"container"}, [&](const TermSink& sink) {
    for (const std::string& term : terms) sink(term, 1);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  RecordProperty("milliseconds", static_cast<int>(seconds.count() * 1000));
  EXPECT_LT(seconds.count(), 2);  // A tenth of that on a quiet machine.
}

}  // namespace
}  // namespace crawler

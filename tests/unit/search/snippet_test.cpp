#include "search/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "url/utf8.hpp"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

struct Shown {
  std::string text;  // With [ ] around what is highlighted.
  Snippet snippet;
};

// Each word of `query` is a word.
Shown Show(std::string_view text, std::string_view query, std::size_t characters = 60,
           LanguageCode language = "en") {
  Analyzer pages, queries;
  std::vector<Token> tokens, words;
  pages.Analyze(text, language, &tokens);
  queries.Analyze(query, language, &words);
  std::vector<SnippetTerm> terms;
  for (const Token& word : words) {
    if (word.is_part) continue;
    terms.push_back({word.term, word.position, word.is_stop ? 0.1 : 1.0});
  }
  Shown shown{"", MakeSnippet(text, tokens, terms, characters)};
  std::size_t at = 0;
  for (const Snippet::Range& range : shown.snippet.highlights) {
    shown.text += shown.snippet.text.substr(at, range.offset - at) + "[" +
                  shown.snippet.text.substr(range.offset, range.size) + "]";
    at = range.offset + range.size;
  }
  shown.text += shown.snippet.text.substr(at);
  return shown;
}

TEST(Snippet, ShowsWhereTheWordsAre) {
  EXPECT_EQ(Show("A short text with vectors.", "vector").text, "A short text with [vectors].");
  EXPECT_EQ(Show("one two\nthree four", "two three").text, "one [two] [three] four");
  const std::string filler = "This sentence has nothing of what anybody ever looked for. ";
  const Shown shown =
      Show(filler + filler + "The vector grows when full. " + filler + filler, "vector grows", 60);
  EXPECT_EQ(shown.text, "The [vector] [grows] when full. …");
  EXPECT_LT(shown.snippet.text.size(), 80u);
}

TEST(Snippet, BeginsWithTheTextIfNothingIsThere) {
  EXPECT_EQ(Show("Nothing of it here", "vector").text, "Nothing of it here");
  EXPECT_EQ(Show("one two three four five six", "vector", 12).text, "one two …");
  EXPECT_EQ(Show("", "vector").text, "");
  EXPECT_EQ(Show("... --- ...", "vector").text, "... --- ...");
}

TEST(Snippet, PrefersWordsTogether) {
  std::string text = "vector here. ";
  for (int i = 0; i < 20; ++i) text += "Some words to fill the space. ";
  text += "Use vector push_back to append.";
  EXPECT_THAT(Show(text, "vector push_back").text, HasSubstr("[vector] [push_back] to append."));
}

// A menu has the words as well, and oftener.
TEST(Snippet, PrefersSentences) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "vector push_back\nvector pop_back\n";
  text += "The function push_back of the vector appends a copy of the value to it.\n";
  for (int i = 0; i < 20; ++i) text += "vector push_back\n";
  EXPECT_THAT(Show(text, "vector push_back").text,
              HasSubstr("The function [push_back] of the [vector] appends"));
}

TEST(Snippet, ShowsWholeSentencesBestFirst) {
  const std::string filler = "Something else is said in so many words that nobody wants them. ";
  const std::string text = "A list is short. " + filler + "See e.g. Mr. J. Doe on lists. " +
                           filler + "Sort the list with std::sort. It is quick! " + filler;
  EXPECT_EQ(Show(text, "sort list", 60).text, "[Sort] the [list] with std::[sort]. It is quick! …");
  EXPECT_EQ(Show(text, "doe", 60).text, "See e.g. Mr. J. [Doe] on lists. …");
  // What one sentence does not have, another may.
  EXPECT_EQ(Show(text, "sort list short", 60).text,
            "[Sort] the [list] with std::[sort]. … A [list] is [short]. …");
  // A sentence that is too long is cut between words.
  std::string words;
  for (int i = 0; i < 40; ++i) words += "word" + std::to_string(i) + " ";
  EXPECT_THAT(Show("First. And " + words + "vector " + words + "end.", "vector", 40).text,
              MatchesRegex("…(word3[0-9] )+.vector.( word[0-9])+ …"));
}

TEST(Snippet, TwoPiecesIfOneHasNotAll) {
  std::string text = "Apples are sweet. ";
  for (int i = 0; i < 30; ++i) text += "Some words to fill the space. ";
  text += "Oranges are round.";
  const std::string shown = Show(text, "apples oranges", 80).text;
  EXPECT_THAT(shown, HasSubstr("[Apples] are sweet."));
  EXPECT_THAT(shown, HasSubstr(" … "));
  EXPECT_THAT(shown, HasSubstr("[Oranges] are round."));
}

TEST(Snippet, PrefixesPartsAndOtherScripts) {
  EXPECT_EQ(Show("call push_back now", "push").text, "call [push]_back now");
  EXPECT_EQ(Show("Das Café am Platz", "cafe", 60, "de").text, "Das [Café] am Platz");
  std::string text;
  for (int i = 0; i < 20; ++i) text += "吾輩は猫である。";
  text += "名前は東京です。";
  EXPECT_THAT(Show(text, "東京", 30, "ja").text, HasSubstr("[東京]"));
}

TEST(Snippet, IsWellFormedForAnyText) {
  std::mt19937 random(4);  // NOLINT: the same texts each time.
  const std::vector<std::string> pieces = {"vector ", "push_back", "é",   "東京", "\n", " ", ". ",
                                           "x",       "word ",     "C++", "ж",    "、", "(", ")"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const std::size_t size = random() % 80;
    for (std::size_t i = 0; i < size; ++i) text += pieces[random() % pieces.size()];
    const Shown shown = Show(text, "vector push 東京 back", 1 + random() % 60);
    const std::string& out = shown.snippet.text;
    for (std::size_t at = 0; at < out.size();) {
      const Utf8Char decoded = DecodeUtf8(out, at);
      ASSERT_TRUE(decoded.valid);
      ASSERT_NE(decoded.code_point, U'\n');
      at += decoded.length;
    }
    std::size_t end = 0;
    for (const Snippet::Range& range : shown.snippet.highlights) {
      ASSERT_GE(range.offset, end);
      ASSERT_GT(range.size, 0u);
      end = range.offset + range.size;
      ASSERT_LE(end, out.size());
    }
  }
}

TEST(Snippet, TakesLinearTime) {
  std::string text;
  while (text.size() < 4'000'000) text += "vector push_back ";
  const auto begin = std::chrono::steady_clock::now();
  Show(text, "vector push_back");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace crawler

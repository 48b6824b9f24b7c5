#include "search/query_engine.hpp"

#include <gtest/gtest.h>

#include <random>

#include "index/test_crawl.hpp"

namespace crawler {
namespace {

class QueryEngineTest : public ::testing::Test {
 protected:
  void Add(const std::string& url, const std::string& title, const std::string& text) {
    TestPage page;
    page.url = url;
    page.title = title;
    page.text = text;
    crawl_.Add(page);
  }
  void Open() {
    Result<std::unique_ptr<QueryEngine>> engine = QueryEngine::Open(crawl_.path());
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    engine_ = std::move(engine).value();
  }
  QueryAnswer Ask(const std::string& query) {
    const Result<QueryAnswer> answer = engine_->Search(query, {});
    EXPECT_TRUE(answer.ok()) << answer.status().ToString();
    return answer.ok() ? *answer : QueryAnswer();
  }

  TestCrawl crawl_;
  std::unique_ptr<QueryEngine> engine_;
};

TEST_F(QueryEngineTest, GivesTitlesUrlsAndSnippetsWithTheWordsMarked) {
  std::string text = "Something else stands at the beginning of this page. ";
  for (int i = 0; i < 100; ++i) text += "Nothing of interest is said here. ";
  text += "Vectors grow when push_back finds no room. ";
  Add("http://a.example/vector", "About vectors", text);
  Add("http://a.example/other", "Another page", "It says nothing about growing.");
  crawl_.Index();
  Open();
  const QueryAnswer answer = Ask("vector push_back");
  EXPECT_EQ(answer.total, 1u);
  ASSERT_EQ(answer.results.size(), 1u);
  EXPECT_EQ(answer.results[0].hit.url, "http://a.example/vector");
  EXPECT_EQ(answer.results[0].hit.title, "About vectors");
  EXPECT_EQ(answer.results[0].hit.language, "en");
  const Snippet& snippet = answer.results[0].snippet;
  std::vector<std::string> marked;
  for (const Snippet::Range& range : snippet.highlights) {
    marked.push_back(snippet.text.substr(range.offset, range.size));
  }
  EXPECT_EQ(marked, (std::vector<std::string>{"Vectors", "push_back"})) << snippet.text;
  EXPECT_TRUE(answer.suggestions.empty());
}

// Of a long page not all is analysed, but what is looked for is shown wherever it stands.
TEST_F(QueryEngineTest, SnippetsOfLongPages) {
  std::string filler;
  for (int i = 0; i < 2000; ++i) filler += "Nothing of interest is said here. ";
  Add("http://a.example/1", "One", "Vectors first. " + filler + "The vectors grow. " + filler);
  std::replace(filler.begin(), filler.end(), 'e', 'o');
  Add("http://a.example/2", "Two", filler + "Кошки и vectors grow, häuser too. " + filler);
  crawl_.Index();
  Open();
  const std::pair<const char*, std::size_t> queries[] = {
      {"vector growing", 2}, {"vector grow*", 2}, {"кошки", 1}, {"haus", 1}};
  for (const auto& [query, marked] : queries) {
    for (const QueryAnswer::Result& result : Ask(query).results) {
      EXPECT_EQ(result.snippet.highlights.size(), marked) << query << ": " << result.snippet.text;
    }
  }
  EXPECT_EQ(Ask("vector growing").results.size(), 2u);
}

// What pages made by scripts have in common does not make them alike.
TEST_F(QueryEngineTest, ShortTextsAreNotAlike) {
  Add("http://a.example/1", "Apples and pears", "Loading…");
  Add("http://a.example/2", "Bananas and apples", "Loading…");
  crawl_.Index();
  Open();
  EXPECT_EQ(Ask("apples").results.size(), 2u);
}

TEST_F(QueryEngineTest, SuggestsWordsThatPagesHave) {
  Add("http://a.example/1", "Vectors", "A vector of characters has a constructor.");
  crawl_.Flush();
  Open();
  for (const bool indexed : {false, true}) {  // While the crawl goes on, and after.
    if (indexed) crawl_.Index();
    const QueryAnswer answer = Ask("constructer vectro -boost");
    EXPECT_TRUE(answer.corrected);
    EXPECT_EQ(answer.total, 1u);
    ASSERT_EQ(answer.suggestions.size(), 2u);
    EXPECT_EQ(answer.suggestions[0].word, "constructer");
    EXPECT_EQ(answer.suggestions[0].instead.front().shown, "constructor");
    EXPECT_EQ(answer.suggestions[1].instead.front().shown, "vector");
    EXPECT_EQ(answer.did_you_mean, "constructor vector -boost");
    EXPECT_EQ(Ask(answer.did_you_mean).total, 1u);
  }
}

// Not what stems stand for, but words as people write them.
TEST_F(QueryEngineTest, SpellingAndCompletionKnowWordsAsTheyAreWritten) {
  Add("http://a.example/1", "One", "The iterator of iter.");
  Add("http://a.example/2", "Two", "An iterator goes on.");
  Add("http://a.example/3", "Three", "Another iterator stops.");
  crawl_.Index();
  Open();
  const QueryAnswer answer = Ask("itertor");
  EXPECT_EQ(answer.did_you_mean, "iterator");
  EXPECT_TRUE(answer.corrected);
  EXPECT_EQ(answer.total, 3u);
  const Result<std::vector<SpellingSuggestion>> words = engine_->Complete("Ite", 5);
  ASSERT_TRUE(words.ok());
  ASSERT_FALSE(words->empty());
  EXPECT_TRUE(std::any_of(words->begin(), words->end(),
                          [](const SpellingSuggestion& word) { return word.shown == "iterator"; }));
  EXPECT_TRUE(engine_->Complete("", 5)->empty());
}

// docs/search.md: pages may do without some of the words, and results say without which.
TEST_F(QueryEngineTest, MostWordsAreEnough) {
  Add("http://a.example/both", "Sorting", "How to sort a vector.");
  Add("http://a.example/sort", "Sort", "How to sort anything.");
  Add("http://a.example/other", "Other", "Nothing of the kind.");
  crawl_.Index();
  Open();
  const QueryAnswer answer = Ask("sort a vector");
  ASSERT_EQ(answer.results.size(), 2u);
  EXPECT_EQ(answer.results[0].hit.url, "http://a.example/both");
  EXPECT_TRUE(answer.results[0].hit.missing.empty());
  EXPECT_EQ(answer.results[1].hit.missing, std::vector<std::string>{"vector"});
  EXPECT_EQ(Ask("sort +vector").results.size(), 1u);
  EXPECT_EQ(Ask("sort AND vector").results.size(), 1u);
}

// include/crawler/search.hpp: did_you_mean finds something.
TEST_F(QueryEngineTest, WhatIsMeantFindsSomething) {
  Add("http://a.example/1", "Vectors", "A vector of characters has a vest, says the author.");
  Add("http://a.example/2", "Lions", "The lion sleeps.");
  crawl_.Index();
  Open();
  // Nothing is found, so that the correction is searched at once.
  const QueryAnswer answer = Ask("vectro unpronounceable");
  EXPECT_EQ(answer.suggestions.size(), 1u);
  EXPECT_EQ(answer.did_you_mean, "vector unpronounceable");
  EXPECT_TRUE(answer.corrected);
  ASSERT_EQ(answer.results.size(), 1u);
  EXPECT_EQ(answer.results[0].hit.missing, std::vector<std::string>{"unpronounceable"});
  // One wrong word among right ones.
  const QueryAnswer among = Ask("vectro lion");
  EXPECT_EQ(among.did_you_mean, "vector lion");
  EXPECT_FALSE(among.corrected);
  EXPECT_EQ(among.results[0].hit.url, "http://a.example/2");
  // Where a word is a part of another one, it is not meant.
  EXPECT_EQ(Ask("vect vectors").did_you_mean, "vest vectors");
  EXPECT_EQ(Ask("\"vectors of charakters\"").did_you_mean, "\"vectors of characters\"");
}

TEST_F(QueryEngineTest, MistakesInAQueryAreExplained) {
  Open();
  const Result<QueryAnswer> answer = engine_->Search("vector (push", {});
  EXPECT_EQ(answer.status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(answer.status().message().empty());
  EXPECT_EQ(Ask("anything").total, 0u);  // An empty crawl.
}

// docs/search.md: at most 64 words, those of phrases among them: each is a list to be read.
TEST_F(QueryEngineTest, TheWordsOfPhrasesAreCounted) {
  Add("http://a.example/1", "Vectors", "A vector of characters.");
  crawl_.Index();
  Open();
  const auto joined = [](std::size_t words, const char* between) {
    std::string text = "vector";
    for (std::size_t i = 1; i < words; ++i) text.append(between).append("vector");
    return text;
  };
  for (const char* const between : {" ", "-", "::"}) {
    EXPECT_EQ(Ask('"' + joined(kMaxQueryTerms, between) + '"').total, 0u);
    for (const std::string& query : {'"' + joined(kMaxQueryTerms + 1, between) + '"',
                                     "characters \"" + joined(kMaxQueryTerms, between) + '"'}) {
      const Result<QueryAnswer> answer = engine_->Search(query, {});
      ASSERT_EQ(answer.status().code(), StatusCode::kInvalidArgument) << query;
      EXPECT_NE(answer.status().message().find("too many words"), std::string::npos);
    }
  }
}

// docs/search.md: what is wrong with a query is said in its own words; no bytes reach SQL.
TEST_F(QueryEngineTest, AnyBytesAreAnsweredOrExplained) {
  Add("http://a.example/1", "Vectors", "A vector of characters has a constructor, and a=b; 'c'.");
  crawl_.Index();
  Open();
  const std::vector<std::string> pieces = {"vector",      "title:",    "site:",
                                           "inurl:",      "lang:",     "after:",
                                           "OR",          "AND",       "NOT",
                                           "\"",          "'",         ";",
                                           "--",          "%",         "_",
                                           "(",           ")",         "*",
                                           "-",           ":",         " ",
                                           "\xff",        "\xc3",      "\xe2\x80",
                                           "ß",           "東京",      std::string(1, '\0'),
                                           "' OR 1=1 --", "a.example", "2024-01",
                                           "NEAR",        "\\"};
  std::mt19937 random(20240131);
  int answered = 0, explained = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string query;
    for (auto left = random() % 12 + 1; left > 0; --left) {
      if (random() % 4 == 0) {
        query.push_back(static_cast<char>(random()));
      } else {
        query += pieces[random() % pieces.size()];
      }
    }
    const Result<QueryAnswer> answer = engine_->Search(query, {});
    ++(answer.ok() ? answered : explained);
    if (answer.ok()) continue;
    ASSERT_EQ(answer.status().code(), StatusCode::kInvalidArgument) << query;
    const std::string& message = answer.status().message();
    ASSERT_FALSE(message.empty()) << query;
    for (const char* word : {"SQL", "syntax error", "SELECT", "no such", "unrecognized token"}) {
      ASSERT_EQ(message.find(word), std::string::npos) << query << ": " << message;
    }
  }
  EXPECT_GT(answered, 1000);
  EXPECT_GT(explained, 1000);
  EXPECT_EQ(Ask("vector").total, 1u);
}

// Of long texts only the beginning is looked at; it does not end within a character.
TEST_F(QueryEngineTest, SnippetsOfLongTextsAreWholeCharacters) {
  std::string text = "a";
  while (text.size() < (std::size_t{256} << 10) - 16) text += " größe";
  const std::size_t until = (std::size_t{256} << 10) - 10;
  text.resize(until - 8);
  text += " zebra ";
  while (text.size() < until + 100) text += "€";
  Add("http://a.example/1", "Long", text);
  crawl_.Index();
  Open();
  const QueryAnswer answer = Ask("zebra");
  ASSERT_EQ(answer.results.size(), 1u);
  const std::string& snippet = answer.results[0].snippet.text;
  ASSERT_NE(snippet.find("zebra"), std::string::npos);
  std::size_t at = snippet.find("€");
  ASSERT_NE(at, std::string::npos) << snippet;
  while (snippet.substr(at, 3) == "€") at += 3;
  const std::string rest = snippet.substr(at);
  EXPECT_TRUE(rest.empty() || rest == " …") << rest;
}

// A stop word beside others is no reason for an order of its own, though few pages have it where
// it is indexed.
TEST_F(QueryEngineTest, StopWordsCountLittleBesideOtherWords) {
  Add("http://a.example/1", "Here and there", "Something about strings and operators.");
  Add("http://a.example/2", "String operators", "All the operators that strings have.");
  for (int i = 3; i < 30; ++i) {
    Add("http://a.example/" + std::to_string(i), "Another page", "Nothing of that is said here.");
  }
  crawl_.Index();
  Open();
  const QueryAnswer answer = Ask("string and operators");
  ASSERT_FALSE(answer.results.empty());
  EXPECT_EQ(answer.results[0].hit.url, "http://a.example/2");
  EXPECT_EQ(Ask("and").total, 1u);  // Alone it is what is looked for.
}

// docs/search.md: a tenth of its score beside other words; alone it is what is looked for.
TEST_F(QueryEngineTest, AStopWordAloneCountsWhole) {
  Add("http://a.example/1", "While", "Repeats a statement.");
  Add("http://a.example/2", "For", "Repeats a statement, too.");
  Add("http://a.example/3", "Zebra", "An animal of the savanna.");
  Add("http://a.example/4", "Lion", "An animal of the same.");
  crawl_.Index();
  Open();
  const auto score = [this](const std::string& query, const std::string& word) {
    QueryOptions options;
    options.why = true;
    const Result<QueryAnswer> answer = engine_->Search(query, options);
    EXPECT_TRUE(answer.ok()) << answer.status().ToString();
    for (const QueryAnswer::Result& result : answer->results) {
      double sum = 0;
      for (const ScorePart& part : result.hit.parts) sum += part.score;
      EXPECT_NEAR(sum, result.hit.text_score, 1e-9) << query;
      for (const ScorePart& part : result.hit.parts) {
        if (part.word == word) return part.score;
      }
    }
    return 0.0;
  };
  const double alone = score("while", "while");
  EXPECT_NEAR(alone, score("zebra", "zebra"), 1e-9);  // Each is in one title.
  EXPECT_NEAR(score("while for", "while"), 0, 1e-9);  // Both are asked for.
  EXPECT_NEAR(score("while OR for", "while"), alone, 1e-9);
  EXPECT_NEAR(score("while statement", "while"), alone / 10, 1e-9);
  EXPECT_NEAR(score("while OR zebra", "while"), alone / 10, 1e-9);
  EXPECT_NEAR(score("statement (while OR for)", "while"), alone / 10, 1e-9);
  EXPECT_EQ(Ask("statement (while OR into)").total, 2u);  // Nor need they be there.
}

// A segment may have a term from a URL alone; its stem is no word that others would be shown as.
TEST_F(QueryEngineTest, ATermIsShownAsAWordWhateverTheSegments) {
  Add("http://a.example/newtype", "Some page", "It says nothing about that.");
  crawl_.Flush();
  Add("http://a.example/2", "Typing", "A newtype is distinct.");
  crawl_.Index();
  Open();
  EXPECT_EQ(Ask("newtype*").total, 2u);
  EXPECT_EQ(Ask("newtipe").did_you_mean, "newtype");
}

}  // namespace
}  // namespace crawler

#include "index/analyzer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "term@position", with a ~ before a part and a ! before a stop word.
std::vector<std::string> Tokens(std::string_view text, LanguageCode language = "en") {
  Analyzer analyzer;
  std::vector<Token> tokens;
  analyzer.Analyze(text, language, &tokens);
  std::vector<std::string> out;
  for (const Token& token : tokens) {
    out.push_back(std::string(token.is_part ? "~" : "") + (token.is_stop ? "!" : "") +
                  std::string(token.term) + "@" + std::to_string(token.position));
  }
  return out;
}

// Terms of whole words that are no stop words: what a query looks for.
std::vector<std::string> Terms(std::string_view text, LanguageCode language = "en") {
  Analyzer analyzer;
  std::vector<Token> tokens;
  analyzer.Analyze(text, language, &tokens);
  std::vector<std::string> out;
  for (const Token& token : tokens) {
    if (!token.is_part && !token.is_stop) out.emplace_back(token.term);
  }
  return out;
}

TEST(Analyzer, StemsByLanguage) {
  EXPECT_THAT(Tokens("Connected connections"), ElementsAre("connect@0", "connect@1"));
  EXPECT_EQ(Terms("Häuser", "de"), Terms("Haus", "de"));
  EXPECT_EQ(Terms("chevaux", "fr"), Terms("cheval", "fr"));
  EXPECT_EQ(Terms("canciones", "es"), Terms("canción", "es"));
  EXPECT_EQ(Terms("informações", "pt"), Terms("informação", "pt"));
  EXPECT_EQ(Terms("книгами", "ru"), Terms("книга", "ru"));
  EXPECT_EQ(Terms("άνθρωποι", "el"), Terms("άνθρωπος", "el"));
  EXPECT_EQ(Terms("taloissa", "fi"), Terms("talossa", "fi"));
  EXPECT_EQ(Terms("kitaplar", "tr"), Terms("kitap", "tr"));
  // Without a stemmer, or without a language, words stay.
  EXPECT_THAT(Terms("connections", ""), ElementsAre("connections"));
  EXPECT_THAT(Terms("connections", "xx"), ElementsAre("connections"));
}

TEST(Analyzer, EnglishWordsAmongOtherScriptsAreStemmedAsEnglish) {
  EXPECT_THAT(Terms("контейнер vectors", "ru"), testing::Contains("vector"));
  EXPECT_THAT(Terms("connections を使う", "ja"), testing::Contains("connect"));
}

TEST(Analyzer, FoldsCaseAndMarks) {
  EXPECT_EQ(Terms("Café CAFÉ cafe\u0301", "en"), Terms("cafe cafe cafe", "en"));
  EXPECT_EQ(Terms("Café", "fr"), Terms("cafe", "fr"));
  EXPECT_EQ(Terms("Straße STRASSE", "de"), Terms("strasse strasse", "de"));
  EXPECT_EQ(Terms("Ångström Łódź Ørsted Æsir", ""), Terms("angstrom lodz orsted aesir", ""));
  EXPECT_EQ(Terms("Việt Nam", "vi"), Terms("viet nam", "vi"));
  EXPECT_EQ(Terms("ΆΝΘΡΩΠΟΣ άνθρωπος", "el"), Terms("ανθρωποσ ανθρωπος", "el"));
  EXPECT_EQ(Terms("ещё ёлка", ""), Terms("еще елка", ""));
  EXPECT_NE(Terms("май", ""), Terms("маи", ""));  // й is a letter of its own.
  EXPECT_EQ(Terms("שָׁלוֹם", "he"), Terms("שלום", "he"));
  EXPECT_EQ(Terms("كِتَابٌ", "ar"), Terms("كتاب", "ar"));
  EXPECT_NE(Terms("がく", "ja"), Terms("かく", "ja"));
  EXPECT_THAT(Terms("हिन्दी", "mr"), ElementsAre("हिन्दी"));
}

// However the letter was written in capitals, in Turkish or not.
TEST(Analyzer, TurkishIsAreOneLetter) {
  for (const char* word :
       {"istanbul", "Istanbul", "İstanbul", "ISTANBUL", "İSTANBUL", "ıstanbul"}) {
    EXPECT_EQ(Terms(word, "tr"), Terms("istanbul", "tr")) << word;
    EXPECT_EQ(Terms(word, "en"), Terms("istanbul", "en")) << word;
  }
}

TEST(Analyzer, FoldsCompatibilityForms) {
  EXPECT_THAT(Terms("ＡＢＣ１２３", ""), ElementsAre("abc123"));
  EXPECT_THAT(Terms("ﬁnd", ""), ElementsAre("find"));
  EXPECT_EQ(Terms("ｶﾀｶﾅ", "ja"), Terms("カタカナ", "ja"));
  EXPECT_THAT(Terms("co\u00ADoperate", ""), ElementsAre("cooperate"));
}

TEST(Analyzer, IdentifiersHaveParts) {
  EXPECT_THAT(Tokens("push_back"), ElementsAre("push_back@0", "~push@0", "~back@0"));
  EXPECT_THAT(Tokens("ThreadPoolExecutor", ""),
              ElementsAre("threadpoolexecutor@0", "~thread@0", "~pool@0", "~executor@0"));
  EXPECT_EQ(Terms("ThreadPoolExecutor"), Terms("threadpoolexecutor"));
  EXPECT_THAT(Tokens("parseHTTPServer", ""),
              ElementsAre("parsehttpserver@0", "~parse@0", "~http@0", "~server@0"));
  EXPECT_THAT(Tokens("URLs IPv6 iOS", ""),
              ElementsAre("urls@0", "ipv6@1", "~ipv@1", "ios@2", "~os@2"));
  EXPECT_THAT(Tokens("x86_64", ""), ElementsAre("x86_64@0", "~x86@0", "~64@0"));
  EXPECT_THAT(Tokens("libcurl4 python3.11", ""),
              ElementsAre("libcurl4@0", "~libcurl@0", "python3.11@1", "~python@1", "~3.11@1"));
  EXPECT_THAT(Tokens("__init__", ""), ElementsAre("__init__@0", "~init@0"));
  EXPECT_THAT(Tokens("size_t to_string"),
              ElementsAre("size_t@0", "~size@0", "to_string@1", "~string@1"));
}

TEST(Analyzer, NamesFallIntoWords) {
  EXPECT_THAT(Tokens("std::vector", ""), ElementsAre("std@0", "vector@1"));
  EXPECT_THAT(Tokens("os.path.join", ""), ElementsAre("os@0", "path@1", "join@2"));
  EXPECT_THAT(Tokens("http://www.example.org/a-b.html", ""),
              ElementsAre("http@0", "www@1", "example@2", "org@3", "a@4", "b@5", "html@6"));
  EXPECT_THAT(Tokens("obj.push_back(x)", ""),
              ElementsAre("obj@0", "push_back@1", "~push@1", "~back@1", "x@2"));
}

TEST(Analyzer, NamesWithSigns) {
  EXPECT_THAT(Tokens("C++", ""), ElementsAre("c++@0"));
  EXPECT_THAT(Tokens("C++17, g++ and libstdc++", ""),
              ElementsAre("c++@0", "17@1", "g++@2", "and@3", "libstdc++@4", "~libstdc@4"));
  EXPECT_THAT(Tokens("C# F# page#top page# c#x", ""),
              ElementsAre("c#@0", "f#@1", "page@2", "top@3", "page@4", "c@5", "x@6"));
  EXPECT_THAT(Tokens(".NET ASP.NET", ""),
              ElementsAre(".net@0", "~net@0", "asp@1", ".net@2", "~net@2"));
  EXPECT_THAT(Tokens("a+++b a+b", ""), ElementsAre("a@0", "b@1", "a@2", "b@3"));
}

TEST(Analyzer, Numbers) {
  EXPECT_THAT(Tokens("3.14 192.168.0.1"), ElementsAre("3.14@0", "192.168.0.1@1"));
  EXPECT_THAT(Tokens("2024-01-31"), ElementsAre("2024@0", "01@1", "31@2"));
  EXPECT_THAT(Tokens("1,000,000 1,234.5"), ElementsAre("1000000@0", "1234.5@1"));
  EXPECT_THAT(Tokens("1,2,3"), ElementsAre("1@0", "2@1", "3@2"));
  EXPECT_THAT(Tokens("v1.2.3", ""), ElementsAre("v1.2.3@0"));
}

TEST(Analyzer, ApostrophesAndAcronyms) {
  EXPECT_EQ(Terms("vector's"), Terms("vector"));
  EXPECT_EQ(Terms("vector’s"), Terms("vector"));
  EXPECT_EQ(Terms("O'Reilly"), Terms("oreilly"));
  EXPECT_EQ(Terms("O\u2019Reilly"), Terms("O'Reilly"));
  EXPECT_EQ(Terms("l'homme", "fr"), Terms("homme", "fr"));
  EXPECT_EQ(Terms("L’été", "fr"), Terms("été", "fr"));
  EXPECT_EQ(Terms("dell'arte", "it"), Terms("arte", "it"));
  EXPECT_THAT(Terms("aujourd'hui", ""), ElementsAre("aujourdhui"));
  EXPECT_THAT(Tokens("b'bytes O'Reilly", ""),
              ElementsAre("bbytes@0", "~bytes@0", "oreilly@1", "~reilly@1"));
  EXPECT_EQ(Terms("U.S.A. U.S.A", ""), Terms("usa usa", ""));
}

TEST(Analyzer, StopWordsAreMarkedAndCounted) {
  EXPECT_THAT(Tokens("the cat and the dog"),
              ElementsAre("!the@0", "cat@1", "!and@2", "!the@3", "dog@4"));
  EXPECT_THAT(Terms("für die Katze", "de"), ElementsAre("katz"));
  EXPECT_THAT(Terms("это кошка", "ru"), ElementsAre("кошк"));
  EXPECT_THAT(Terms("don't e.g. doesn’t"), IsEmpty());
  EXPECT_THAT(Tokens("die", "en"), ElementsAre("die@0"));  // Only where it is one.
}

TEST(Analyzer, ScriptsWithoutBlanks) {
  EXPECT_THAT(Terms("東京都に行きました", "ja"), testing::Contains("東京"));
  EXPECT_THAT(Terms("人人生而自由", "zh"), testing::Contains("自由"));
  EXPECT_THAT(Terms("한국어 위키피디아", "ko"), ElementsAre("한국어", "위키피디아"));
  EXPECT_GT(Terms("ภาษาไทยเป็นภาษาที่มีระดับเสียง", "th").size(), 4u);
  EXPECT_GT(Terms("មនុស្សទាំងអស់កើតមក", "km").size(), 1u);
  EXPECT_GT(Terms("ມະນຸດທຸກຄົນເກີດມາ", "lo").size(), 1u);
  EXPECT_GT(Terms("လူတိုင်းသည်တူညီလွတ်လပ်သော", "my").size(), 1u);
  EXPECT_THAT(Terms("STLのvector", "ja"), testing::Contains("vector"));
}

// A dictionary's word holds words that people look for.
TEST(Analyzer, IdeographicWordsHaveParts) {
  EXPECT_THAT(Tokens("東京タワー", "ja"), testing::Contains("~東京@0"));
  EXPECT_THAT(Tokens("民主主義", "ja"), ElementsAre("民主主義@0", "~民主@0", "~主主@0", "~主義@0"));
  EXPECT_THAT(Tokens("自由", "ja"), ElementsAre("自由@0"));
  EXPECT_THAT(Tokens("カタカナ", "ja"), ElementsAre("カタカナ@0"));
}

TEST(Analyzer, KoreanNounsLoseTheirParticles) {
  EXPECT_EQ(Terms("한국어는", "ko"), Terms("한국어", "ko"));
  EXPECT_EQ(Terms("데이터베이스에서", "ko"), Terms("데이터베이스를", "ko"));
  EXPECT_EQ(Terms("위키백과는", "ko"), Terms("위키백과", "ko"));       // Ends like a particle.
  EXPECT_THAT(Terms("나는 나이", "ko"), ElementsAre("나는", "나이"));  // Too short to tell.
}

TEST(Analyzer, OffsetsSayWhereTheWordIs) {
  const std::string text = "Das «Äpfel» push_back C++ l'été";
  Analyzer analyzer;
  std::vector<Token> tokens;
  analyzer.Analyze(text, "fr", &tokens);
  std::vector<std::string> words;
  for (const Token& token : tokens) words.push_back(text.substr(token.offset, token.size));
  EXPECT_THAT(words, ElementsAre("Das", "Äpfel", "push_back", "push", "back", "C++", "l'été"));
}

TEST(Analyzer, WordsAreForPeople) {
  Analyzer analyzer;
  std::vector<Token> tokens;
  analyzer.Words("Die schönen Häuser", "de", &tokens);
  std::vector<std::string> words;
  for (const Token& token : tokens) {
    if (!token.is_stop) words.emplace_back(token.term);
  }
  EXPECT_THAT(words, ElementsAre("schönen", "häuser"));
  // The tokens are the same, even where nothing is left without the marks.
  std::vector<Token> terms;
  const char* text = "\uFE76 ThreadPool l'\u00E9t\u00E9 \u0640 x.y.z 1,2";
  analyzer.Words(text, "fr", &tokens);
  analyzer.Analyze(text, "fr", &terms);
  ASSERT_EQ(tokens.size(), terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) EXPECT_EQ(tokens[i].offset, terms[i].offset);
}

// Long words are cut between characters, and nothing else suffers.
TEST(Analyzer, LongWordsAreCut) {
  for (const std::string unit : {"a", "é", "ж", "a_", "xY", "\U00010400"}) {
    std::string text = "before ";
    for (int i = 0; i < 5000; ++i) text += unit;
    text += " after";
    Analyzer analyzer;
    std::vector<Token> tokens;
    analyzer.Analyze(text, "", &tokens);
    ASSERT_GE(tokens.size(), 3u);
    EXPECT_EQ(tokens.front().term, "before");
    EXPECT_EQ(tokens.back().term, "after");
    EXPECT_EQ(tokens.back().position, 2u);
    EXPECT_LT(tokens.size(), 40u);
    for (const Token& token : tokens) {
      EXPECT_LE(token.term.size(), Analyzer::kMaxTermBytes);
      EXPECT_LE(token.offset + token.size, text.size());
    }
  }
}

// What is no UTF-8 separates words; the rest is found. (A page in Latin-1 that claims UTF-8.)
TEST(Analyzer, WrongEncodingsAreHarmless) {
  EXPECT_THAT(Terms("caf\xE9 cr\xE8me good", ""), ElementsAre("caf", "cr", "me", "good"));
  std::mt19937 random(3);  // NOLINT: the same bytes each time.
  Analyzer analyzer;
  std::vector<Token> tokens;
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() : 'a' + random() % 26);
    analyzer.Analyze(text, round % 2 == 0 ? "en" : "ja", &tokens);
    std::uint32_t position = 0;
    for (const Token& token : tokens) {
      ASSERT_FALSE(token.term.empty());
      ASSERT_LE(token.term.size(), Analyzer::kMaxTermBytes);
      ASSERT_LE(token.offset + token.size, text.size());
      ASSERT_GE(token.position, position);
      position = token.position;
    }
  }
}

// More different words than it remembers, in one text and over many: the terms are still right.
TEST(Analyzer, RemembersWithinBounds) {
  Analyzer analyzer;
  std::vector<Token> tokens;
  for (int round = 0; round < 3; ++round) {
    std::string text;
    for (int i = 0; i < 120'000; ++i) text += "Word" + std::to_string(i) + " connections ";
    analyzer.Analyze(text, "en", &tokens);
    std::size_t number = 0;
    for (const Token& token : tokens) {
      if (token.is_part) continue;
      const std::string expected =
          number % 2 == 0 ? "word" + std::to_string(number / 2) : "connect";
      ASSERT_EQ(token.term, expected);
      ASSERT_EQ(token.position, number);
      ++number;
    }
    ASSERT_EQ(number, 240'000u);
  }
}

TEST(Analyzer, KeepsLanguagesApart) {
  Analyzer analyzer;
  std::vector<Token> tokens;
  for (int round = 0; round < 2; ++round) {
    analyzer.Analyze("die connections", "en", &tokens);
    EXPECT_FALSE(tokens[0].is_stop);
    EXPECT_EQ(tokens[1].term, "connect");
    analyzer.Analyze("die connections", "de", &tokens);
    EXPECT_TRUE(tokens[0].is_stop);
    EXPECT_EQ(tokens[1].term, "connection");
    analyzer.Words("die connections", "en", &tokens);
    EXPECT_EQ(tokens[1].term, "connections");
  }
}

}  // namespace
}  // namespace crawler

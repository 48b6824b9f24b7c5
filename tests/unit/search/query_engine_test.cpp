#include "search/query_engine.hpp"

#include <gtest/gtest.h>

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

TEST_F(QueryEngineTest, SuggestsWordsThatPagesHave) {
  Add("http://a.example/1", "Vectors", "A vector of characters has a constructor.");
  crawl_.Flush();
  Open();
  for (const bool indexed : {false, true}) {  // While the crawl goes on, and after.
    if (indexed) crawl_.Index();
    const QueryAnswer answer = Ask("constructer vectro -boost");
    EXPECT_EQ(answer.total, 0u);
    ASSERT_EQ(answer.suggestions.size(), 2u);
    EXPECT_EQ(answer.suggestions[0].word, "constructer");
    EXPECT_EQ(answer.suggestions[0].instead.front().shown, "constructor");
    EXPECT_EQ(answer.suggestions[1].instead.front().shown, "vector");
    EXPECT_EQ(answer.did_you_mean, "constructor vector -boost");
    EXPECT_EQ(Ask(answer.did_you_mean).total, 1u);
  }
}

TEST_F(QueryEngineTest, MistakesInAQueryAreExplained) {
  Open();
  const Result<QueryAnswer> answer = engine_->Search("vector (push", {});
  EXPECT_EQ(answer.status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(answer.status().message().empty());
  EXPECT_EQ(Ask("anything").total, 0u);  // An empty crawl.
}

}  // namespace
}  // namespace crawler

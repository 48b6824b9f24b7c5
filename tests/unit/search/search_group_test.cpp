#include "search/search_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "index/test_crawl.hpp"

namespace crawler {
namespace {

/// PageRank and the weight of titles are those of each crawl.
RankingWeights OfTextAlone() {
  RankingWeights weights;
  weights.static_share = weights.exact_title = weights.title_forgives = 0;
  return weights;
}

std::unique_ptr<QueryEngine> Open(const TestCrawl& crawl) {
  Result<std::unique_ptr<QueryEngine>> engine = QueryEngine::Open(crawl.path(), OfTextAlone());
  EXPECT_TRUE(engine.ok()) << engine.status().ToString();
  return std::move(engine).value();
}

std::map<std::string, double> ScoresOf(const Result<QueryAnswer>& answer) {
  EXPECT_TRUE(answer.ok()) << answer.status().ToString();
  std::map<std::string, double> scores;
  for (const QueryAnswer::Result& result : answer->results) {
    scores[result.hit.url] = result.hit.score;
  }
  EXPECT_EQ(answer->total, scores.size());
  return scores;
}

TEST(SearchGroup, SeveralCrawlsScoreAsOneDoes) {
  TestCrawl whole;
  std::vector<std::unique_ptr<TestCrawl>> parts;
  for (int i = 0; i < 3; ++i) parts.push_back(std::make_unique<TestCrawl>());
  WordSource words(3, 60);
  for (int i = 1; i <= 120; ++i) {  // No more than are put in order anew by nearness.
    const TestPage page = words.Page(i);
    whole.Add(page);
    // Very different sizes and lengths.
    parts[i % 17 == 0 ? 0 : page.text.size() > 150 ? 1 : 2]->Add(page);
  }
  whole.Index();
  for (const auto& part : parts) part->Index();
  const std::unique_ptr<QueryEngine> one = Open(whole);
  std::vector<std::unique_ptr<QueryEngine>> engines;
  std::vector<QueryEngine*> group;
  for (const auto& part : parts) group.push_back(engines.emplace_back(Open(*part)).get());
  SearchGroup together(group);
  QueryOptions options;
  options.limit = 1000;
  options.fold = false;
  options.snippet_characters = 0;
  for (int round = 0; round < 200; ++round) {
    std::string query = words.Word();
    if (round % 2 == 0) query += " " + words.Word();
    if (round % 5 == 0) query += " \"" + words.Word() + "\"";
    if (round % 7 == 0) query += " OR +" + words.Word();
    const std::map<std::string, double> expected = ScoresOf(one->Search(query, options));
    const std::map<std::string, double> found = ScoresOf(together.Search(query, options));
    ASSERT_EQ(found.size(), expected.size()) << query;
    for (const auto& [url, score] : expected) {
      ASSERT_TRUE(found.contains(url)) << query;
      ASSERT_NEAR(found.at(url), score, 1e-4 * score) << query << " " << url;
    }
    // A crawl that is searched alone scores as before.
    const std::map<std::string, double> alone = ScoresOf(Open(*parts[1])->Search(query, options));
    for (const auto& [url, score] : ScoresOf(group[1]->Search(query, options))) {
      ASSERT_NEAR(score, alone.at(url), 1e-5 * score) << query << " " << url;
    }
  }
}

class TwoCrawls : public ::testing::Test {
 protected:
  void SetUp() override {
    Add(&first_, "http://a.example/both", "kbox kdox on both");
    Add(&first_, "http://a.example/first", "kbox is here");
    Add(&second_, "http://a.example/both", "kbox kdox on both");
    Add(&second_, "http://b.example/second", "kdox and kiterator are here");
    first_.Index();
    second_.Index();
    engines_.push_back(Open(first_));
    engines_.push_back(Open(second_));
    group_ = std::make_unique<SearchGroup>(
        std::vector<QueryEngine*>{engines_[0].get(), engines_[1].get()});
  }
  static void Add(TestCrawl* crawl, const std::string& url, const std::string& text) {
    TestPage page;
    page.url = url;
    page.text = text;
    crawl->Add(page);
  }

  TestCrawl first_, second_;
  std::vector<std::unique_ptr<QueryEngine>> engines_;
  std::unique_ptr<SearchGroup> group_;
};

TEST_F(TwoCrawls, PagesThatBothHaveAreFoundOnce) {
  QueryOptions options;
  Result<QueryAnswer> answer = group_->Search("kbox kdox", options);
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  ASSERT_EQ(answer->results.size(), 3u);
  EXPECT_EQ(answer->results[0].hit.url, "http://a.example/both");
  EXPECT_EQ(answer->results[0].hit.folded, 1u);
  options.offset = 1;
  options.limit = 1;
  const Result<QueryAnswer> second = group_->Search("kbox kdox", options);
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->results.size(), 1u);
  EXPECT_EQ(second->results[0].hit.url, answer->results[1].hit.url);
  options = {};
  options.fold = false;
  EXPECT_EQ(group_->Search("kbox kdox", options)->results.size(), 4u);
}

TEST_F(TwoCrawls, AWordOfOneCrawlIsKnownToAll) {
  const Result<QueryAnswer> known = group_->Search("kiterator kbox", {});
  ASSERT_TRUE(known.ok());
  EXPECT_TRUE(known->suggestions.empty());
  const Result<QueryAnswer> mistyped = group_->Search("kitertor", {});
  ASSERT_TRUE(mistyped.ok());
  EXPECT_TRUE(mistyped->corrected);
  EXPECT_EQ(mistyped->did_you_mean, "kiterator");
  ASSERT_EQ(mistyped->results.size(), 1u);
  EXPECT_EQ(mistyped->results[0].crawl, 1u);
  QueryOptions cosine;
  cosine.ranking = Ranking::kCosine;
  EXPECT_EQ(group_->Search("kbox", cosine).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(group_->Search("(", {}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace crawler

#include "search/searcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "index/test_crawl.hpp"

namespace crawler {
namespace {

std::unique_ptr<Searcher> OpenSearcher(const TestCrawl& crawl) {
  Result<std::unique_ptr<Searcher>> searcher = Searcher::Open(crawl.path());
  EXPECT_TRUE(searcher.ok()) << searcher.status().ToString();
  return searcher.ok() ? std::move(searcher).value() : nullptr;
}

SearchRequest Request(const std::string& query) {
  SearchRequest request;
  const Result<QueryNode> parsed = ParseQuery(query);
  EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
  if (parsed.ok()) request.query = *parsed;
  return request;
}

std::vector<std::int64_t> Find(Searcher& searcher, const std::string& query) {
  SearchRequest request = Request(query);
  request.limit = 100;
  request.fold = false;
  const Result<QueryResults> results = searcher.Search(request);
  EXPECT_TRUE(results.ok()) << results.status().ToString();
  std::vector<std::int64_t> pages;
  if (!results.ok()) return pages;
  for (const SearchHit& hit : results->hits) pages.push_back(hit.page);
  std::sort(pages.begin(), pages.end());
  return pages;
}

using Pages = std::vector<std::int64_t>;

TestPage MakePage(const std::string& url, const std::string& title, const std::string& text) {
  TestPage page;
  page.url = url;
  page.title = title;
  page.text = text;
  return page;
}

TEST(Searcher, FindsWordsPhrasesAndNames) {
  TestCrawl crawl;
  crawl.Add(MakePage("http://en.example/w/vector/push_back", "std::vector::push_back",
                     "Appends the given element value to the end of the container."));
  crawl.Add(MakePage("http://en.example/w/vector", "std::vector",
                     "A sequence container that encapsulates dynamic arrays. Elements are stored "
                     "contiguously. See push_back and the move constructors of vectors."));
  crawl.Add(MakePage("http://sub.en.example:8080/w/while", "while loop",
                     "Executes a statement repeatedly, until the condition is false."));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(Find(*searcher, "push_back"), (Pages{1, 2}));
  EXPECT_EQ(Find(*searcher, "containers"), (Pages{1, 2}));  // Stemmed.
  EXPECT_EQ(Find(*searcher, "std::vector"), (Pages{1, 2}));
  EXPECT_EQ(Find(*searcher, "title:push_back"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "\"move constructor\""), (Pages{2}));
  EXPECT_EQ(Find(*searcher, "\"constructor move\""), (Pages{}));
  EXPECT_EQ(Find(*searcher, "vector -push_back"), (Pages{}));
  EXPECT_EQ(Find(*searcher, "statement OR dynamic"), (Pages{2, 3}));
  EXPECT_EQ(Find(*searcher, "encapsul*"), (Pages{2}));
  // A prefix longer than the stem, because what is shown of a term is a word.
  EXPECT_EQ(Find(*searcher, "repeatedl*"), (Pages{3}));
  EXPECT_EQ(Find(*searcher, "site:en.example"), (Pages{1, 2, 3}));
  EXPECT_EQ(Find(*searcher, "site:sub.en.example"), (Pages{3}));
  EXPECT_EQ(Find(*searcher, "site:n.example"), (Pages{}));
  EXPECT_EQ(Find(*searcher, "site:en.example/w/vector"), (Pages{1, 2}));
  EXPECT_EQ(Find(*searcher, "site:sub.en.example:8080/w"), (Pages{3}));
  EXPECT_EQ(Find(*searcher, "site:sub.en.example/w/while"), (Pages{3}));
  EXPECT_EQ(Find(*searcher, "inurl:PUSH"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "nothinglikethis"), (Pages{}));
  // A stop word is asked for only if there is nothing else.
  EXPECT_EQ(Find(*searcher, "while the statement"), (Pages{3}));
  EXPECT_EQ(Find(*searcher, "while"), (Pages{3}));
}

/// Makes the next page that is added one with this id.
void GoToPage(TestCrawl& crawl, std::int64_t page) {
  Check(crawl.db().Execute(
      "INSERT INTO pages(id, url_id, visit_id, url, domain, content_hash, status_code, crawled_at,"
      " depth, priority, size, noindex, nofollow) VALUES(" +
      std::to_string(page - 1) + ",0,0,'','','',200,0,0,0,0,1,0)"));
}

// Queries are answered a window of pages at a time: none is lost, or met twice, where they meet.
TEST(Searcher, FindsPagesOfAllWindows) {
  TestCrawl crawl;
  std::vector<std::int64_t> all;
  for (const std::int64_t near :
       {std::int64_t{1}, std::int64_t{kWindowPages} - 6, std::int64_t{kWindowPages} * 4 - 6}) {
    if (near > 1) GoToPage(crawl, near);
    for (std::int64_t id = near; id < near + 14; ++id) {
      all.push_back(id);
      crawl.Add(MakePage("http://a.example/" + std::to_string(id), "Page",
                         std::string(id % 2 == 0 ? "zebra " : "") + (id % 3 == 0 ? "yacht " : "") +
                             (id % 5 == 0 ? "red apple" : "apple red") + " of page " +
                             std::to_string(id)));
    }
    crawl.Flush();
  }
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  const auto where = [&](const std::function<bool(std::int64_t)>& holds) {
    Pages pages;
    std::copy_if(all.begin(), all.end(), std::back_inserter(pages), holds);
    return pages;
  };
  EXPECT_EQ(Find(*searcher, "apple"), all);
  EXPECT_EQ(Find(*searcher, "zebra"), where([](std::int64_t id) { return id % 2 == 0; }));
  for (const char* both : {"zebra AND yacht", "+zebra +yacht"}) {
    EXPECT_EQ(Find(*searcher, both), where([](std::int64_t id) { return id % 6 == 0; }));
  }
  EXPECT_EQ(Find(*searcher, "zebra yacht"),
            where([](std::int64_t id) { return id % 2 == 0 || id % 3 == 0; }));
  EXPECT_EQ(Find(*searcher, "zebra OR yacht"),
            where([](std::int64_t id) { return id % 2 == 0 || id % 3 == 0; }));
  EXPECT_EQ(Find(*searcher, "apple -yacht"), where([](std::int64_t id) { return id % 3 != 0; }));
  EXPECT_EQ(Find(*searcher, "\"red apple\""), where([](std::int64_t id) { return id % 5 == 0; }));
  EXPECT_EQ(Find(*searcher, "\"red apple\" +zebra"),
            where([](std::int64_t id) { return id % 10 == 0; }));
  EXPECT_EQ(Find(*searcher, "inurl:/" + std::to_string(kWindowPages)), (Pages{kWindowPages}));
}

TEST(Searcher, FindsPhrasesFarBackInAPage) {
  TestCrawl crawl;
  std::string far = "apple red ";
  for (int i = 0; i < 70'000; ++i) far += "w ";
  crawl.Add(MakePage("http://a.example/1", "Far", far + "red apple"));
  crawl.Add(MakePage("http://a.example/2", "Not", far + "apple red"));
  crawl.Add(MakePage("http://a.example/3", "Near", "red apple " + far));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(Find(*searcher, "\"red apple\""), (Pages{1, 3}));
  EXPECT_EQ(Find(*searcher, "\"w red apple\""), (Pages{1}));
}

// In German "die" is a stop word, so there the phrase is "hard" alone.
TEST(Searcher, APhraseIsThatOfThePagesLanguage) {
  const auto page = [](std::string path, std::string language, std::string text) {
    TestPage made = MakePage("http://a.example/" + path, "Title", std::move(text));
    made.language = std::move(language);
    return made;
  };
  TestCrawl crawl;
  crawl.Add(page("1", "en", "they die hard and without regret, connected rooms"));
  crawl.Add(page("2", "en", "hard work makes nobody die, rooms connected"));
  crawl.Add(page("3", "de", "die hard ist ein Film mit verbundenen Zimmern"));
  crawl.Add(page("4", "de", "das ist nicht hard genug"));
  crawl.Add(
      page("5", "fr", "les pages de la maison sont dans le jardin avec connected rooms pour nous"));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(Find(*searcher, "\"die hard\""), (Pages{1, 3, 4}));
  EXPECT_EQ(Find(*searcher, "\"connecting room\""), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "\"connected rooms\""), (Pages{1, 5}));
  EXPECT_EQ(Find(*searcher, "page -\"connected rooms\""), (Pages{}));
}

// The word of a page is found however many languages there are.
TEST(Searcher, EveryLanguageIsLookedFor) {
  TestCrawl crawl;
  int id = 0;
  const char* const codes[] = {"ar", "hy", "eu", "ca", "da", "nl", "en", "fi", "fr", "de",
                               "el", "hi", "id", "ga", "it", "lt", "ne", "no", "pt", "ro"};
  for (const char* const code : codes) {
    for (int i = 0; i < 2; ++i) {
      TestPage page = MakePage("http://a.example/" + std::to_string(++id), "", "12 34 56");
      page.language = code;
      crawl.Add(page);
    }
  }
  TestPage page = MakePage("http://a.example/hu", "", "gyerekek könyveket");
  page.language = "hu";
  const std::int64_t hungarian = ++id;
  crawl.Add(page);
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(Find(*searcher, "könyveket"), (Pages{hungarian}));
  EXPECT_EQ(Find(*searcher, "\"gyerekek könyveket\""), (Pages{hungarian}));
}

// Marks do not count in prefixes either.
TEST(Searcher, PrefixesInAnyScript) {
  TestCrawl crawl;
  const char* const words[] = {"häuser", "crêpes", "λόγος", "ёлка", "Łódź", "niños", "C++17"};
  for (const char* const word : words) {
    crawl.Add(MakePage("http://a.example/" + std::string(word), "", word));
  }
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  const std::pair<const char*, std::int64_t> prefixes[] = {
      {"häu*", 1}, {"hau*", 1}, {"HÄUSE*", 1}, {"hause*", 1}, {"crê*", 2}, {"λόγ*", 3},
      {"λογ*", 3}, {"ёл*", 4},  {"ел*", 4},    {"Łód*", 5},   {"lod*", 5}, {"niñ*", 6}};
  for (const auto& [prefix, page] : prefixes) {
    EXPECT_EQ(Find(*searcher, prefix), (Pages{page})) << prefix;
  }
}

TEST(Searcher, CountsWithoutShowing) {
  TestCrawl crawl;
  crawl.Add(MakePage("http://a.example/1", "One", "zebra"));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  SearchRequest request = Request("zebra");
  request.limit = 0;
  for (const bool fold : {false, true}) {
    request.fold = fold;
    const Result<QueryResults> results = searcher->Search(request);
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    EXPECT_EQ(results->total, 1u);
    EXPECT_TRUE(results->hits.empty());
  }
}

TEST(Searcher, TheTitleCountsMoreAndLimitAndOffsetCut) {
  TestCrawl crawl;
  WordSource words(2, 300);
  for (int i = 1; i <= 30; ++i) {
    TestPage page = words.Page(i);
    page.text += " zebra";
    page.language = "en";
    if (i == 17) page.title = "zebra";
    crawl.Add(page);
  }
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  SearchRequest request = Request("zebra");
  request.fold = false;
  const Result<QueryResults> first = searcher->Search(request);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->total, 30u);
  ASSERT_EQ(first->hits.size(), 10u);
  EXPECT_EQ(first->hits[0].page, 17);
  request.offset = 5;
  const Result<QueryResults> second = searcher->Search(request);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(second->hits[i].page, first->hits[i + 5].page);
  request.offset = 28;
  EXPECT_EQ(searcher->Search(request)->hits.size(), 2u);
  request.offset = kMaxResults;
  EXPECT_EQ(searcher->Search(request).status().code(), StatusCode::kInvalidArgument);
}

TEST(Searcher, PagesAlikeAreOneResult) {
  TestCrawl crawl;
  WordSource words(4, 2000);
  const std::string text = words.Words(400) + " zebra";
  TestPage page = MakePage("http://a.example/1", "one", text);
  crawl.Add(page);
  for (int i = 2; i <= 40; ++i) {  // Near-duplicates.
    page.url = "http://a.example/" + std::to_string(i);
    page.text = text + " " + std::to_string(i);
    crawl.Add(page);
  }
  page.url = "http://b.example/copy";
  page.text = text;
  page.duplicate_of = 1;  // Same content, says the crawl.
  crawl.Add(page);
  page.duplicate_of = 0;
  page.url = "http://c.example/";
  page.text = words.Words(400) + " zebra";
  crawl.Add(page);
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  SearchRequest request = Request("zebra");
  request.limit = 5;
  const Result<QueryResults> results = searcher->Search(request);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ(results->total, 42u);
  ASSERT_EQ(results->hits.size(), 2u);
  EXPECT_EQ(results->hits[0].folded + results->hits[1].folded, 40u);
}

TEST(Searcher, SimilarPagesAndKeywords) {
  TestCrawl crawl;
  WordSource words(6, 3000);
  for (int i = 1; i <= 50; ++i) {
    TestPage page = words.Page(i);
    page.language = "en";
    page.text +=
        words.Words(50) + (i % 10 == 3 ? " zebra stripes savanna zebra stripes zebra" : "");
    crawl.Add(page);
  }
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  const Result<std::vector<Keyword>> keywords = searcher->Keywords(3, 5);
  ASSERT_TRUE(keywords.ok());
  ASSERT_EQ(keywords->size(), 5u);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_GE((*keywords)[i - 1].tf_idf, (*keywords)[i].tf_idf);
  const Result<QueryResults> similar = searcher->Similar(3, 4);
  ASSERT_TRUE(similar.ok()) << similar.status().ToString();
  ASSERT_EQ(similar->hits.size(), 4u);
  std::set<std::int64_t> pages;
  for (const SearchHit& hit : similar->hits) {
    pages.insert(hit.page);
    EXPECT_GT(hit.score, 0);
    EXPECT_LE(hit.score, 1);
  }
  EXPECT_EQ(pages, (std::set<std::int64_t>{13, 23, 33, 43}));
  EXPECT_EQ(searcher->Similar(999, 3).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(searcher->FindPage("http://nowhere.example/").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(searcher->Keywords(999, 3).status().code(), StatusCode::kNotFound);
  const Result<QueryResults> rest = searcher->Similar(3, 2, 2);
  ASSERT_TRUE(rest.ok()) << rest.status().ToString();
  ASSERT_EQ(rest->hits.size(), 2u);
  EXPECT_EQ(rest->hits[0].page, similar->hits[2].page);
  EXPECT_EQ(rest->hits[1].page, similar->hits[3].page);
  EXPECT_EQ(searcher->Similar(3, kMaxResults, 1).status().code(), StatusCode::kInvalidArgument);
  PageText text;
  EXPECT_TRUE(*searcher->Text(3, &text));
  EXPECT_NE(text.text.find("zebra"), std::string::npos);
  EXPECT_FALSE(*searcher->Text(999, &text));
}

// URLs are stored with escapes; people type letters.
TEST(Searcher, InUrlFindsEscapedLetters) {
  TestCrawl crawl;
  crawl.Add(MakePage("http://a.example/stadt/M%C3%BCnchen", "one", "zebra"));
  crawl.Add(MakePage("http://a.example/stadt/Ulm?q=a%20b", "two", "zebra"));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(Find(*searcher, "inurl:münchen"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "inurl:M%c3%bcnchen"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "inurl:\"a b\""), (Pages{2}));
  EXPECT_EQ(Find(*searcher, "inurl:köln"), (Pages{}));
}

// docs/search.md: --why shows what scores are made of, whatever the ranking.
TEST(Searcher, ThePartsOfACosineAddUp) {
  TestCrawl crawl;
  crawl.Add(MakePage("http://a.example/1", "Zebras", "A zebra and a lion."));
  crawl.Add(MakePage("http://a.example/2", "Lions", "The lion sleeps, the zebra eats grass."));
  crawl.Add(MakePage("http://a.example/3", "Grass", "Nothing but grass."));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  SearchRequest request = Request("zebra (lion OR grass)");
  request.ranking = Ranking::kCosine;
  request.why = true;
  const Result<QueryResults> results = searcher->Search(request);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  ASSERT_EQ(results->hits.size(), 2u);
  for (const SearchHit& hit : results->hits) {
    double sum = 0;
    for (const ScorePart& part : hit.parts) sum += part.score;
    EXPECT_GT(sum, 0);
    EXPECT_NEAR(sum, hit.score, 1e-9);
  }
}

// Terms that all pages have weigh nothing; that is not the same as not having been weighed.
TEST(Searcher, ACrawlOfOnePageIsWeighedToo) {
  TestCrawl crawl;
  crawl.Add(MakePage("http://a.example/1", "one", "zebra"));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  SearchRequest request = Request("zebra");
  request.ranking = Ranking::kCosine;
  const Result<QueryResults> results = searcher->Search(request);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ(results->total, 1u);
  const Result<QueryResults> similar = searcher->Similar(1, 3);
  ASSERT_TRUE(similar.ok()) << similar.status().ToString();
  EXPECT_TRUE(similar->hits.empty());
}

// docs/search.md: words in quotation marks must be there, whatever they are.
TEST(Searcher, AQuotedPhraseIsAlwaysRequired) {
  TestCrawl crawl;
  crawl.Add(MakePage("http://a.example/1", "To be or not to be", "A zebra asks."));
  crawl.Add(MakePage("http://a.example/2", "Questions", "A zebra asks."));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(Find(*searcher, "zebra to be"), (Pages{1, 2}));
  EXPECT_EQ(Find(*searcher, "zebra \"to be\""), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "zebra \"not\""), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "zebra -\"to be\""), (Pages{2}));
}

// docs/search.md: a query must say something that pages have.
TEST(Searcher, WhatNothingIsIndexedByIsNoReasonForAllPages) {
  TestCrawl crawl;
  const auto none = OpenSearcher(crawl);
  EXPECT_EQ(Find(*none, "zebra"), (Pages{}));
  crawl.Add(MakePage("http://a.example/1", "one", "zebra"));
  crawl.Add(MakePage("http://a.example/2", "two", "vector"));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  for (const char* query :
       {"🎉 -vector", "🎉", "\"🎉 🎊\" NOT zebra", "zebra OR (🎉 -vector)", "🎉* -vector", "title:🎉"}) {
    const Result<QueryResults> results = searcher->Search(Request(query));
    EXPECT_EQ(results.status().code(), StatusCode::kInvalidArgument) << query;
    EXPECT_NE(results.status().message().find("🎉"), std::string::npos) << query;
  }
  EXPECT_EQ(Find(*searcher, "zebra 🎉"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "zebra OR 🎉"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "zebra -🎉"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "zebra -(🎉 -vector)"), (Pages{}));
  EXPECT_EQ(Find(*searcher, "zebra (-vector OR -one)"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "site:a.example 🎉 -vector"), (Pages{1}));
}

// docs/search.md: a port that is given is meant, also if it is the scheme's own.
TEST(Searcher, SiteComparesPorts) {
  TestCrawl crawl;
  crawl.Add(MakePage("http://a.example/1", "one", "zebra"));
  crawl.Add(MakePage("http://a.example:8080/2", "two", "zebra"));
  crawl.Add(MakePage("https://a.example/3", "three", "zebra"));
  crawl.Add(MakePage("https://sub.a.example:80/4", "four", "zebra"));
  crawl.Add(MakePage("http://[::1]:8080/5", "five", "zebra"));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(Find(*searcher, "site:a.example"), (Pages{1, 2, 3, 4}));
  EXPECT_EQ(Find(*searcher, "site:a.example:80"), (Pages{1, 4}));
  EXPECT_EQ(Find(*searcher, "site:a.example:443"), (Pages{3}));
  EXPECT_EQ(Find(*searcher, "site:a.example:8080"), (Pages{2}));
  EXPECT_EQ(Find(*searcher, "site:a.example:808"), (Pages{}));
  EXPECT_EQ(Find(*searcher, "site:a.example:80/4"), (Pages{4}));
  EXPECT_EQ(Find(*searcher, "site:a.example/2"), (Pages{2}));
  EXPECT_EQ(Find(*searcher, "site:https://a.example:443/3"), (Pages{3}));
  EXPECT_EQ(Find(*searcher, "site:[::1]:8080"), (Pages{5}));
  EXPECT_EQ(Find(*searcher, "site:[::1]:80"), (Pages{}));
}

// docs/search.md: where a total is not exact, it says so.
TEST(Searcher, SaysWhetherATotalIsExact) {
  TestCrawl crawl;
  crawl.Add(MakePage("http://a.example/1", "one", "move the constructor"));
  crawl.Add(MakePage("http://a.example/2", "two", "move a constructor"));
  crawl.Index();
  const auto searcher = OpenSearcher(crawl);
  const auto exact = [&](const std::string& query) {
    const Result<QueryResults> results = searcher->Search(Request(query));
    EXPECT_TRUE(results.ok()) << results.status().ToString();
    return results.ok() && results->total_is_exact;
  };
  EXPECT_TRUE(exact("move"));
  EXPECT_TRUE(exact("move the constructor"));
  EXPECT_TRUE(exact("\"one two\""));
  EXPECT_TRUE(exact("con*"));
  // Bodies are not indexed by stop words: any word may stand in their place.
  EXPECT_FALSE(exact("\"move the constructor\""));
  EXPECT_FALSE(exact("\"the constructor\""));
  EXPECT_FALSE(exact("one \"to the\""));
  EXPECT_FALSE(exact("one -\"the constructor\""));
  for (int i = 0; i < 70; ++i) {
    const std::string word = "q" + std::string(1, static_cast<char>('a' + i / 10)) +
                             std::string(1, static_cast<char>('a' + i % 10)) + "x";
    crawl.Add(MakePage("http://a.example/q" + std::to_string(i), "more", word));
  }
  crawl.Index();
  EXPECT_FALSE(exact("q*"));  // Of more words than are looked for.
  EXPECT_TRUE(exact("qa*"));
}

TEST(Searcher, SeesACrawlThatGoesOn) {
  TestCrawl crawl;
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(Find(*searcher, "zebra"), (Pages{}));
  crawl.Add(MakePage("http://a.example/1", "one", "zebra"));
  EXPECT_EQ(Find(*searcher, "zebra"), (Pages{}));  // Still in the writer's memory.
  crawl.Flush();
  EXPECT_EQ(Find(*searcher, "zebra"), (Pages{1}));
  EXPECT_EQ(Find(*searcher, "zeb*"), (Pages{1}));
  SearchRequest request = Request("zebra");
  request.ranking = Ranking::kCosine;
  EXPECT_EQ(searcher->Search(request).status().code(), StatusCode::kNotReady);
  EXPECT_EQ(searcher->Similar(1, 3).status().code(), StatusCode::kNotReady);
  EXPECT_EQ(searcher->Keywords(1, 3).status().code(), StatusCode::kNotReady);
  for (int i = 2; i <= 6; ++i) {
    crawl.Add(MakePage("http://a.example/" + std::to_string(i), "more", "zebra and others"));
    crawl.Flush();
  }
  EXPECT_EQ(Find(*searcher, "zebra"), (Pages{1, 2, 3, 4, 5, 6}));
  crawl.Index();  // Segments are merged and removed under its feet.
  EXPECT_EQ(Find(*searcher, "zebra"), (Pages{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(searcher->pages(), 6u);
}

TEST(Searcher, WhatIsNoIndexIsAnError) {
  EXPECT_EQ(Searcher::Open("/nonexistent/crawl.db").status().code(), StatusCode::kNotFound);
  TestCrawl crawl;
  crawl.Add(MakePage("http://a.example/1", "one", "zebra"));
  crawl.Flush();
  Check(crawl.db().Execute("UPDATE postings SET docs = x'ffffffff', document_freq = 200"));
  const auto searcher = OpenSearcher(crawl);
  EXPECT_EQ(searcher->Search(Request("zebra")).status().code(), StatusCode::kCorruption);
  // However large a segment says that it is, nobody makes room for it.
  for (const char* const last : {"-1", "300000000", "4294967294"}) {
    Check(crawl.db().Execute(std::string("UPDATE index_segments SET last_page = ") + last));
    EXPECT_EQ(Searcher::Open(crawl.path()).status().code(), StatusCode::kCorruption) << last;
  }
  Check(crawl.db().Execute("PRAGMA user_version = 1"));
  EXPECT_EQ(Searcher::Open(crawl.path()).status().code(), StatusCode::kNotReady);
}

}  // namespace
}  // namespace crawler

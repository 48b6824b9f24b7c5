// Crawls whose pages come and go, and all that can be seen of their indexes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "index/merge.hpp"
#include "index/test_crawl.hpp"
#include "search/query_engine.hpp"

namespace crawler {

/// Words in several forms, pages with the same content, links of all kinds.
class PageSource {
 public:
  explicit PageSource(unsigned seed) : words_(seed, 60) {}

  int Below(int end) { return words_.Below(end); }

  TestPage Page(std::int64_t url, std::int64_t urls) {
    TestPage page;
    page.url = "http://" + WordSource::Name(static_cast<int>(url % 3)) + ".example/" +
               WordSource::Name(static_cast<int>(url * 7 % 50)) + "/" + std::to_string(url);
    // Some contents are those of many pages.
    const int content = Below(3) == 0 ? Below(4) : 100 + Below(1'000'000);
    PageSource texts(static_cast<unsigned>(content), content);
    page.content_hash = "content " + std::to_string(content);
    page.title = texts.Words(1 + texts.Below(3));
    const std::string heading = texts.Words(2);
    page.text = heading + "\n" + texts.Words(texts.Below(40));
    page.headings = {{0, static_cast<std::uint32_t>(heading.size())}};
    page.language = texts.Below(4) == 0 ? "de" : "en";
    page.noindex = content % 9 == 0;
    page.date = 1'600'000'000'000 + std::int64_t{Below(1000)} * 86'400'000;
    page.links = "[" + std::to_string(1 + Below(static_cast<int>(urls)));
    for (int n = Below(4); n > 0; --n) {
      page.links += ",[" + std::to_string(1 + Below(static_cast<int>(urls))) + "," +
                    std::to_string(Below(6) / 5) + ",\"" + Words(1 + Below(2)) + "\"]";
    }
    page.links += "]";
    return page;
  }

 private:
  PageSource(unsigned seed, int content) : words_(seed * 31 + 1, content < 100 ? 30 : 60) {}

  std::string Words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      static constexpr const char* kEndings[] = {"", "s", "ing", "ed", ""};
      text.append(i == 0 ? "" : " ").append(words_.Word()).append(kEndings[Below(5)]);
    }
    return text;
  }

  WordSource words_;
};

/// A crawl whose pages come and go, and what should be left of it.
class ChangingCrawl {
 public:
  explicit ChangingCrawl(unsigned seed) : source_(seed) {}

  TestCrawl& crawl() { return crawl_; }
  PageSource& source() { return source_; }
  const std::map<std::int64_t, TestPage>& pages() const { return pages_; }

  void Add() { AddTo(++last_url_); }
  void AddRedirect() {
    const std::int64_t to = 1 + source_.Below(static_cast<int>(last_url_));
    ++last_url_;
    redirects_[last_url_] = to;
    ASSERT_EQ(crawl_.AddRedirect("http://moved.example/" + std::to_string(last_url_), to),
              last_url_);
  }
  void Remove() {
    if (pages_.empty()) return;
    const std::int64_t page = Some();
    crawl_.Remove(page);
    removed_.insert(page);
    pages_.erase(page);
  }
  /// The page of a URL has changed.
  void Replace() {
    if (pages_.empty()) return;
    const std::int64_t page = Some(), url = url_of_[page];
    crawl_.Remove(page);
    removed_.insert(page);
    pages_.erase(page);
    AddTo(url);
  }
  const std::set<std::int64_t>& removed() const { return removed_; }

  /// The pages have been numbered anew.
  void Renumber() {
    std::map<std::int64_t, TestPage> pages;
    std::map<std::int64_t, std::int64_t> url_of;
    last_page_ = 0;
    for (const auto& [page, stored] : pages_) {
      pages[++last_page_] = stored;
      url_of[last_page_] = url_of_[page];
    }
    pages_ = std::move(pages);
    url_of_ = std::move(url_of);
    removed_.clear();
  }

  /// Writes what is left into a crawl that never had anything else.
  void WriteWhatIsLeft(TestCrawl* fresh) const {
    std::map<std::string, std::int64_t> first;
    for (const auto& [page_id, stored] : pages_) {
      TestPage page = stored;
      const std::int64_t url = url_of_.at(page_id);
      const auto [known, added] = first.try_emplace(page.content_hash, url);
      page.duplicate_of = added ? 0 : known->second;
      fresh->AddAs(page, url, page_id);
    }
    for (const auto& [url, to] : redirects_) fresh->AddRedirectAs(url, to);
    fresh->AddUrl(last_url_);
  }

 private:
  std::int64_t Some() {
    auto page = pages_.begin();
    std::advance(page, source_.Below(static_cast<int>(pages_.size())));
    return page->first;
  }
  void AddTo(std::int64_t url) {
    TestPage page = source_.Page(url, last_url_ + 3);
    for (const auto& [id, other] : pages_) {
      if (page.duplicate_of == 0 && other.content_hash == page.content_hash) {
        page.duplicate_of = url_of_[id];
      }
    }
    crawl_.AddAs(page, url, ++last_page_);
    pages_[last_page_] = page;
    url_of_[last_page_] = url;
  }

  PageSource source_;
  TestCrawl crawl_;
  std::map<std::int64_t, TestPage> pages_;
  std::map<std::int64_t, std::int64_t> url_of_, redirects_;
  std::set<std::int64_t> removed_;
  std::int64_t last_url_ = 0, last_page_ = 0;
};

/// The tables that any SQLite client may read, and the index below them.
inline std::string DumpTables(TestCrawl& crawl) {
  return crawl.Dump("SELECT * FROM index_terms ORDER BY id", 5) +
         crawl.Dump("SELECT * FROM page_terms ORDER BY page_id, term_id", 4) +
         crawl.Dump("SELECT * FROM page_weights ORDER BY page_id", 4) +
         crawl.Dump("SELECT id, url_id, duplicate_of, relevance_score FROM pages ORDER BY id", 4) +
         crawl.Dump(
             "SELECT s.kind, p.term, p.document_freq, p.shown, p.docs, p.positions, p.words"
             " FROM postings p JOIN index_segments s ON s.id = p.segment ORDER BY s.kind, p.term",
             7) +
         crawl.Dump(
             "SELECT kind, state, first_page, last_page, pages, bytes, page_data, largest"
             " FROM index_segments ORDER BY kind",
             8) +
         crawl.Dump("SELECT * FROM removed_pages", 1);
}

inline void AppendAnswer(const QueryAnswer& answer, std::string* dump) {
  dump->append(std::to_string(answer.total)).append(":");
  for (const QueryAnswer::Result& result : answer.results) {
    dump->append(" ").append(std::to_string(result.hit.page)).append(" ");
    dump->append(std::to_string(result.hit.score)).append("+");
    dump->append(std::to_string(result.hit.folded)).append(result.snippet.text);
  }
  for (const QueryAnswer::Suggestion& suggestion : answer.suggestions) {
    dump->append(" ").append(suggestion.word);
    for (const SpellingSuggestion& instead : suggestion.instead) {
      dump->append(" ").append(instead.shown).append(std::to_string(instead.document_freq));
    }
  }
  dump->append(answer.did_you_mean).append("\n");
}

/// What people see.
inline std::string DumpAnswers(TestCrawl& crawl, const std::map<std::int64_t, TestPage>& pages) {
  Result<std::unique_ptr<QueryEngine>> engine = QueryEngine::Open(crawl.path());
  EXPECT_TRUE(engine.ok()) << engine.status().ToString();
  if (!engine.ok()) return {};
  std::string dump;
  QueryOptions options;
  options.limit = 50;
  std::vector<std::string> queries = {"kb*", "lang:de", "title:kbox OR kdox", "kbax",
                                      "NOT kbox lang:en"};
  for (int i = 0; i < 40; ++i) {
    queries.push_back(WordSource::Name(i));
    queries.push_back(WordSource::Name(i) + " OR " + WordSource::Name(i * 7 % 60));
    queries.push_back("\"" + WordSource::Name(i) + " " + WordSource::Name(i / 9) + "\"");
    queries.push_back(WordSource::Name(i) + "inn");
  }
  for (const std::string& query : queries) {
    for (const Ranking ranking : {Ranking::kBm25, Ranking::kCosine}) {
      options.ranking = ranking;
      const Result<QueryAnswer> answer = (*engine)->Search(query, options);
      dump.append(query).append(" ");
      if (answer.ok()) AppendAnswer(*answer, &dump);
    }
  }
  for (const auto& [page, ignored] : pages) {
    const Result<QueryAnswer> similar = (*engine)->Similar(page, options);
    if (similar.ok()) AppendAnswer(*similar, &dump);
    const Result<std::vector<Keyword>> keywords = (*engine)->searcher().Keywords(page, 20);
    if (!keywords.ok()) continue;
    for (const Keyword& keyword : *keywords) {
      dump.append(" ").append(keyword.shown).append(std::to_string(keyword.tf_idf));
    }
  }
  return dump;
}

/// Says which line is the first to differ.
inline void ExpectSame(const std::string& found, const std::string& expected) {
  if (found == expected) return;
  std::size_t at = 0;
  while (at < found.size() && at < expected.size() && found[at] == expected[at]) ++at;
  const std::size_t line = at == 0 ? 0 : found.rfind('\n', at - 1) + 1;
  ADD_FAILURE() << "at " << at - line << " of\nfound    "
                << found.substr(line, std::min(found.find('\n', at) - line, std::size_t{500}))
                << "\nexpected "
                << expected.substr(line,
                                   std::min(expected.find('\n', at) - line, std::size_t{500}));
}

inline void ExpectNoneIsFound(TestCrawl& crawl, const std::set<std::int64_t>& removed) {
  Result<std::unique_ptr<QueryEngine>> engine = QueryEngine::Open(crawl.path());
  ASSERT_TRUE(engine.ok()) << engine.status().ToString();
  QueryOptions options;
  options.limit = 1000;
  options.fold = false;
  std::vector<std::string> queries = {"k*", "lang:en OR lang:de", "after:2001"};
  for (int i = 0; i < 30; ++i) queries.push_back(WordSource::Name(i));
  for (const std::string& query : queries) {
    const Result<QueryAnswer> answer = (*engine)->Search(query, options);
    ASSERT_TRUE(answer.ok()) << answer.status().ToString();
    for (const QueryAnswer::Result& result : answer->results) {
      EXPECT_FALSE(removed.contains(result.hit.page)) << query << " " << result.hit.page;
    }
  }
}

/// The crawl, which has been indexed with `topic`, is as if it had always been what it is now.
inline void ExpectLikeFresh(ChangingCrawl& changing, const std::string& topic) {
  TestCrawl& crawl = changing.crawl();
  TestCrawl fresh;
  changing.WriteWhatIsLeft(&fresh);
  fresh.Index(topic);
  const std::string answers = DumpAnswers(fresh, changing.pages());
  EXPECT_GT(answers.size(), 10'000u);
  ExpectSame(DumpAnswers(crawl, changing.pages()), answers);
  // And byte by byte, when all is one segment.
  Check(MergeTextSegments(crawl.db(), {}, {.segments = 1}));
  Check(MergeTextSegments(fresh.db(), {}, {.segments = 1}));
  ExpectSame(DumpTables(crawl), DumpTables(fresh));
}

}  // namespace crawler

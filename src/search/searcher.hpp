#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/page_text.hpp"
#include "search/compiler.hpp"
#include "search/matcher.hpp"
#include "search/page_table.hpp"
#include "search/query.hpp"
#include "search/ranking.hpp"
#include "search/word_places.hpp"

namespace crawler {

struct SearchRequest {
  QueryNode query;
  std::size_t limit = 10;  ///< At most kMaxResults with the offset.
  std::size_t offset = 0;
  Ranking ranking = Ranking::kBm25;
  bool fold = true;  ///< Pages (nearly) alike count as one result, the best of them.
  bool why = false;  ///< Say what the scores are made of.
  /// Of all crawls that are searched together; null for this one alone.
  const IndexStatistics* shared = nullptr;
};

inline constexpr std::size_t kMaxResults = 10'000;

struct SearchHit {
  std::int64_t page = 0;
  std::string url;
  std::string title;      ///< May be empty.
  std::string language;   ///< Its code, or empty.
  std::int64_t date = 0;  ///< When it changed, or else was crawled; ms since 1970.
  double score = 0;
  std::string sketch;                ///< Of its text; empty for a short one.
  std::uint64_t folded = 0;          ///< Results that were left out because they are like this one.
  std::vector<std::string> missing;  ///< Plain words of the query that the page does not have.
  // With SearchRequest::why:
  std::vector<ScorePart> parts;
  double text_score = 0;     ///< The sum of the parts; 1 for a query of filters alone.
  double static_factor = 1;  ///< score = text_score * static_factor.
};

struct QueryResults {
  std::vector<SearchHit> hits;
  std::uint64_t total = 0;     ///< Pages that match, folded ones too.
  bool total_is_exact = true;  ///< See QueryCompiler::is_exact().
  /// The words of the query, and whether the index has them; see spelling if it does not.
  std::vector<QueryCompiler::Word> words;
};

struct Keyword {
  std::string term;
  std::string shown;  ///< A word that it stands for.
  std::uint64_t term_freq = 0;
  std::uint64_t document_freq = 0;
  double tf_idf = 0;
};

/// Answers queries over one crawl.db, which is only read, also while the crawl goes on: what has
/// become a segment is found.
/// Errors: those of the database; kInvalidArgument for queries that make no sense; kNotReady for
/// what needs more of the index than there is (a cosine before the indexing phase, anything in a
/// catalogue of an older version); kNotFound for pages that are not there.
/// Threads: one at a time; have one for each thread.
class Searcher {
 public:
  static Result<std::unique_ptr<Searcher>> Open(const std::string& path,
                                                const RankingWeights& weights = {});

  Result<QueryResults> Search(const SearchRequest& request);
  /// Adds the pages of this crawl, their words, and the frequencies of the terms of `query`.
  Status AddStatistics(const QueryNode& query, IndexStatistics* statistics);
  /// Pages whose vectors are nearest to that of `page`, the page itself and its like left out.
  Result<QueryResults> Similar(std::int64_t page, std::size_t limit, std::size_t offset = 0);
  /// The terms of a page with the highest TF-IDF.
  Result<std::vector<Keyword>> Keywords(std::int64_t page, std::size_t limit);
  /// A page by its URL, as it is stored.
  Result<std::int64_t> FindPage(std::string_view url);
  /// False if the page is not indexed. For snippets; within one ReadTransaction with the query.
  Result<bool> Text(std::int64_t page, PageText* text) { return texts_->Read(page, text); }

  /// From <meta name=description>; may be empty.
  Result<std::string> Description(std::int64_t page);

  /// Whether the index has the words that people write, beside those that stand for terms.
  Result<bool> HasWordTable();
  /// kNotReady if no page can be found, as of the last query.
  Status CheckIndexed() const;
  /// How many pages can be found, as of the last query.
  std::uint64_t pages() const { return pages_.pages(); }
  const std::vector<PageTable::Language>& languages() const { return pages_.languages(); }
  Database& database() { return db_; }

 private:
  /// The best so far, the worst of them first.
  class Best;
  struct Scored {
    double score;
    std::uint32_t page;
  };

  Searcher(Database db, const RankingWeights& weights) : db_(std::move(db)), weights_(weights) {}
  Status Prepare();
  Status UnreadablePostings() const;
  static Status CheckRange(std::size_t limit, std::size_t offset);
  Status Refresh();
  /// Whether `page` is indexed and its terms are weighed.
  Status CheckWeighed(std::int64_t page) const;
  Result<std::vector<Keyword>> ReadKeywords(std::int64_t page, std::size_t limit);
  Status Evaluate(const SearchRequest& request, std::size_t wanted, std::vector<Scored>* best,
                  QueryResults* results);
  double TextScore(const SearchRequest& request, const Matches& matches, std::uint32_t place,
                   std::uint32_t page) const;
  double Finish(const SearchRequest& request, std::uint32_t page, double text_score,
                double query_norm, double* text_part, double* factor) const;
  /// False if there may be more to fold than `best` holds.
  Result<bool> Collect(const SearchRequest& request, const std::vector<Scored>& best,
                       std::int64_t like, QueryResults* results);
  Status Explain(const SearchRequest& request, QueryResults* results);
  void ExplainHit(const SearchRequest& request, Matches& matches, std::uint32_t place,
                  SearchHit* hit) const;
  /// Puts the best pages in order anew, by how near to each other they have the query's words. The
  /// first `wanted` are right then.
  Status AddProximity(const SearchRequest& request, std::size_t wanted, std::vector<Scored>* best);
  /// Fills in SearchHit::missing.
  Status FindMissing(QueryResults* results);

  Database db_;
  const RankingWeights weights_;
  PageTable pages_;
  std::string generation_, removals_;  // Of the index as `pages_` holds it.
  bool filters_alone_ = false;         // The query under way has no words.
  std::unique_ptr<QueryCompiler> compiler_;
  std::unique_ptr<PageTextReader> texts_;
  std::unique_ptr<WordPlaces> places_;  // Of the query under way.
  Statement state_select_, row_, keywords_, find_, description_;
};

}  // namespace crawler

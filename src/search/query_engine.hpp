#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "index/analyzer.hpp"
#include "search/searcher.hpp"
#include "search/snippet.hpp"
#include "search/spelling.hpp"

namespace crawler {

struct QueryOptions {
  std::size_t limit = 10;
  std::size_t offset = 0;
  Ranking ranking = Ranking::kBm25;
  bool fold = true;                      ///< See SearchRequest.
  bool why = false;                      ///< Say what the scores are made of.
  std::size_t snippet_characters = 200;  ///< About; 0 for no snippets.
};

struct QueryAnswer {
  struct Result {
    SearchHit hit;
    Snippet snippet;
    std::size_t crawl = 0;  ///< Its number in a SearchGroup.
  };
  /// Words near to one that no page has.
  struct Suggestion {
    std::string word;
    std::vector<SpellingSuggestion> instead;
  };
  std::vector<Result> results;
  std::uint64_t total = 0;  ///< Pages that match, folded ones too.
  bool total_is_exact = true;
  // When no page has one of the words:
  std::vector<Suggestion> suggestions;
  /// The query with the best of them, if that finds something; else empty.
  std::string did_you_mean;
  bool corrected = false;  ///< Nothing was found; the results are those of did_you_mean.
};

/// From the line that somebody typed to what they see: queries parsed, pages found, snippets cut,
/// spelling suggested.
/// Errors: those of ParseQuery() and Searcher.
/// Threads: one at a time; have one for each thread.
class QueryEngine {
 public:
  static Result<std::unique_ptr<QueryEngine>> Open(const std::string& path,
                                                   const RankingWeights& weights = {});

  Result<QueryAnswer> Search(std::string_view query, const QueryOptions& options);
  /// The same for a query that is parsed, with statistics of several crawls, without corrections.
  /// Replaces `*words` by the words that were looked for.
  Result<QueryAnswer> Find(const QueryNode& query, const QueryOptions& options,
                           const IndexStatistics* shared, std::vector<QueryCompiler::Word>* words);
  /// Adds suggestions for those of `words` that no page has.
  Status Suggest(const std::vector<QueryCompiler::Word>& words, QueryAnswer* answer);
  /// Pages like `page`, with the beginnings of their texts.
  Result<QueryAnswer> Similar(std::int64_t page, const QueryOptions& options);

  /// Words of pages that begin with `prefix`, those of most pages first, at most `limit`. None for
  /// an empty prefix, and none before the crawl's terms are weighed.
  Result<std::vector<SpellingSuggestion>> Complete(std::string_view prefix, std::size_t limit);

  Searcher& searcher() { return *searcher_; }

 private:
  explicit QueryEngine(std::unique_ptr<Searcher> searcher) : searcher_(std::move(searcher)) {}
  Status CutSnippets(const std::vector<QueryCompiler::Word>& words, const QueryOptions& options,
                     QueryResults* results, QueryAnswer* answer);
  Status UseDescription(const std::vector<SnippetTerm>& terms, const QueryOptions& options,
                        QueryAnswer::Result* result);
  void AnalyzeAround(std::string_view text, const std::vector<SnippetTerm>& terms);
  Status ChooseByContext(const QueryNode& query, QueryAnswer* answer);
  Status Correct(SearchRequest request, const QueryOptions& options,
                 const std::vector<QueryCompiler::Word>& words, QueryAnswer* answer);
  Status ReadTerms(const TermSink& sink);

  std::unique_ptr<Searcher> searcher_;
  Analyzer analyzer_;
  std::vector<Token> tokens_;
  std::string small_letters_;
  PageText text_;
};

/// Replaces words of a query by what was suggested first for them.
void ReplaceWords(const std::vector<QueryAnswer::Suggestion>& suggestions, QueryNode* query);

}  // namespace crawler

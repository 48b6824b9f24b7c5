#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "search/query_engine.hpp"
#include "search/statistics.hpp"

namespace crawler {

/// Searches several crawls as one: idf and lengths are those of all pages together, so that scores
/// can be compared; results that are (nearly) alike are folded across crawls. PageRank and the
/// weight of titles stay those of each crawl, a prefix stands for words of the crawl, and nearness
/// counts for the 128 best pages of each.
/// Ownership: borrows the engines. Errors: those of QueryEngine; one crawl that fails, fails all.
/// Threads: one at a time.
class SearchGroup {
 public:
  explicit SearchGroup(std::vector<QueryEngine*> engines) : engines_(std::move(engines)) {}

  /// QueryAnswer::Result::crawl says which engine found a page. Ranks by BM25 only: the vectors of
  /// different crawls cannot be compared, which is kInvalidArgument.
  Result<QueryAnswer> Search(std::string_view query, const QueryOptions& options);

 private:
  Result<QueryAnswer> SearchAll(const QueryNode& query, const QueryOptions& options,
                                std::vector<QueryCompiler::Word>* words);
  Status Suggest(const std::vector<QueryCompiler::Word>& words, QueryAnswer* answer);

  std::vector<QueryEngine*> engines_;
};

}  // namespace crawler

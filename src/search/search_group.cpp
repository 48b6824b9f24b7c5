#include "search/search_group.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "search/fold_table.hpp"

namespace crawler {
namespace {

/// The pages of `results`, best first, that are asked for; of those alike the best one.
void KeepBest(const QueryOptions& options, std::vector<QueryAnswer::Result>* results) {
  std::stable_sort(results->begin(), results->end(),
                   [](const QueryAnswer::Result& a, const QueryAnswer::Result& b) {
                     return a.hit.score > b.hit.score;
                   });
  std::vector<QueryAnswer::Result> kept;
  FoldTable seen;
  for (QueryAnswer::Result& result : *results) {
    // Crawls number their pages on their own; what they have in common is the URL.
    const auto url = static_cast<std::int64_t>(std::hash<std::string>()(result.hit.url));
    const auto same = options.fold ? seen.Find(url, result.hit.sketch) : std::nullopt;
    if (same) {
      kept[*same].hit.folded += 1 + result.hit.folded;
      continue;
    }
    seen.Add(url, result.hit.sketch);
    kept.push_back(std::move(result));
  }
  const auto begin =
      kept.begin() + static_cast<std::ptrdiff_t>(std::min(options.offset, kept.size()));
  const auto left = static_cast<std::size_t>(kept.end() - begin);
  const auto end = begin + static_cast<std::ptrdiff_t>(std::min(options.limit, left));
  results->assign(std::make_move_iterator(begin), std::make_move_iterator(end));
}

}  // namespace

Result<QueryAnswer> SearchGroup::Search(std::string_view query, const QueryOptions& options) {
  if (options.ranking != Ranking::kBm25) {
    return Status(StatusCode::kInvalidArgument,
                  "several crawls can be ranked by bm25 only: the cosine compares pages of one");
  }
  Result<QueryNode> parsed = ParseQuery(query);
  if (!parsed.ok()) return parsed.status();
  std::vector<QueryCompiler::Word> words;
  Result<QueryAnswer> answer = SearchAll(*parsed, options, &words);
  if (!answer.ok()) return answer;
  if (Status status = Suggest(words, &*answer); !status.ok()) return status;
  if (answer->suggestions.empty()) return answer;
  ReplaceWords(answer->suggestions, &*parsed);
  Result<QueryAnswer> corrected = SearchAll(*parsed, options, &words);
  if (!corrected.ok()) return corrected;
  if (corrected->total == 0) return answer;
  answer->did_you_mean = FormatQuery(*parsed);
  if (answer->total > 0) return answer;
  corrected->corrected = true;
  corrected->did_you_mean = std::move(answer->did_you_mean);
  corrected->suggestions = std::move(answer->suggestions);
  return corrected;
}

Result<QueryAnswer> SearchGroup::SearchAll(const QueryNode& query, const QueryOptions& options,
                                           std::vector<QueryCompiler::Word>* words) {
  IndexStatistics statistics;
  for (QueryEngine* const engine : engines_) {
    if (Status status = engine->searcher().AddStatistics(query, &statistics); !status.ok()) {
      return status;
    }
  }
  // Any of the best may be of one crawl alone.
  QueryOptions each = options;
  each.offset = 0;
  each.limit = options.offset + options.limit;
  QueryAnswer answer;
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    Result<QueryAnswer> found = engines_[i]->Find(query, each, &statistics, words);
    if (!found.ok()) return found;
    answer.total += found->total;
    answer.total_is_exact = answer.total_is_exact && found->total_is_exact;
    for (QueryAnswer::Result& result : found->results) {
      result.crawl = i;
      answer.results.push_back(std::move(result));
    }
  }
  KeepBest(options, &answer.results);
  return answer;
}

// Words like one that no crawl has, from all of them.
Status SearchGroup::Suggest(const std::vector<QueryCompiler::Word>& words, QueryAnswer* answer) {
  std::map<std::string, std::map<std::string, SpellingSuggestion>> by_word;
  for (QueryEngine* const engine : engines_) {
    QueryAnswer one;
    if (Status status = engine->Suggest(words, &one); !status.ok()) return status;
    for (QueryAnswer::Suggestion& suggestion : one.suggestions) {
      for (SpellingSuggestion& instead : suggestion.instead) {
        const auto [known, is_new] =
            by_word[suggestion.word].try_emplace(instead.shown, std::move(instead));
        if (!is_new) known->second.document_freq += instead.document_freq;
      }
    }
  }
  for (auto& [word, instead] : by_word) {
    QueryAnswer::Suggestion& suggestion = answer->suggestions.emplace_back();
    suggestion.word = word;
    for (auto& [shown, one] : instead) suggestion.instead.push_back(std::move(one));
    std::stable_sort(suggestion.instead.begin(), suggestion.instead.end(),
                     [](const SpellingSuggestion& a, const SpellingSuggestion& b) {
                       return a.distance != b.distance ? a.distance < b.distance
                                                       : a.document_freq > b.document_freq;
                     });
  }
  return Status::Ok();
}

}  // namespace crawler

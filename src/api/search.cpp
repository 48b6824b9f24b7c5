// Search: options in, search/, answers out. No logic.
#include "crawler/search.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "engine/crawl_folder.hpp"
#include "inspect/inspect.hpp"
#include "search/query_engine.hpp"
#include "search/read_transaction.hpp"

namespace crawler {
namespace {

template <typename Answer>
Answer Failed(const Status& status) {
  Answer answer;
  answer.error = status.message();
  answer.not_ready = status.code() == StatusCode::kNotReady;
  return answer;
}

SearchResult::Why ToWhy(const SearchHit& hit) {
  const auto count = [](const ScorePart& part, Field field) {
    return part.counts[static_cast<std::size_t>(field)];
  };
  SearchResult::Why why;
  why.text_score = hit.text_score;
  why.static_factor = hit.static_factor;
  for (const ScorePart& part : hit.parts) {
    why.words.push_back({part.word, count(part, Field::kBody), count(part, Field::kHeading),
                         count(part, Field::kTitle), count(part, Field::kUrl),
                         count(part, Field::kAnchor), part.idf, part.score});
  }
  return why;
}

SearchResult ToResult(QueryAnswer::Result found) {
  SearchResult result;
  SearchHit& hit = found.hit;
  result.why = ToWhy(hit);
  result.url = std::move(hit.url);
  result.title = std::move(hit.title);
  result.language = std::move(hit.language);
  result.date = std::chrono::system_clock::time_point(std::chrono::milliseconds(hit.date));
  result.score = hit.score;
  result.folded = hit.folded;
  result.missing = std::move(hit.missing);
  result.snippet = std::move(found.snippet.text);
  for (const Snippet::Range& range : found.snippet.highlights) {
    result.highlights.emplace_back(range.offset, range.size);
  }
  return result;
}

SearchAnswer ToAnswer(Result<QueryAnswer> found, std::chrono::steady_clock::time_point began) {
  SearchAnswer answer;
  if (!found.ok()) {
    answer = Failed<SearchAnswer>(found.status());
    answer.bad_query = found.status().code() == StatusCode::kInvalidArgument;
  } else {
    answer.total = found->total;
    answer.total_is_exact = found->total_is_exact;
    answer.did_you_mean = std::move(found->did_you_mean);
    answer.corrected = found->corrected;
    for (QueryAnswer::Result& result : found->results) {
      answer.results.push_back(ToResult(std::move(result)));
    }
    for (QueryAnswer::Suggestion& suggestion : found->suggestions) {
      auto& [word, instead] = answer.suggestions.emplace_back();
      word = std::move(suggestion.word);
      for (SpellingSuggestion& one : suggestion.instead) instead.push_back(std::move(one.shown));
    }
  }
  answer.took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - began);
  return answer;
}

QueryOptions ToQueryOptions(const SearchOptions& from) {
  QueryOptions to;
  to.limit = static_cast<std::size_t>(std::max(from.limit, 0));
  to.offset = static_cast<std::size_t>(std::max(from.offset, 0));
  to.ranking = from.cosine ? Ranking::kCosine : Ranking::kBm25;
  to.fold = from.fold;
  to.why = from.why;
  to.snippet_characters = static_cast<std::size_t>(std::max(from.snippet_characters, 0));
  return to;
}

}  // namespace

class Search::Impl {
 public:
  explicit Impl(const std::string& path) : folder(path) {
    // The message of a folder that is none is better than that of a file that is not there.
    const Result<Database> there = OpenForReading(path);
    if (!there.ok()) {
      status = there.status();
      return;
    }
    Result<std::unique_ptr<QueryEngine>> opened =
        QueryEngine::Open(CrawlFolder::CataloguePath(path));
    if (opened.ok()) {
      engine = std::move(opened).value();
    } else {
      status = opened.status();
    }
  }

  Result<std::int64_t> FindPage(std::string_view url) {
    Result<std::string> normal = NormalFormIn(folder, url);
    if (!normal.ok()) return normal.status();
    return engine->searcher().FindPage(*normal);
  }

  const std::string folder;
  std::unique_ptr<QueryEngine> engine;
  Status status;
};

Search::Search(const std::string& folder) : impl_(std::make_unique<Impl>(folder)) {}
Search::~Search() = default;

const std::string& Search::error() const { return impl_->status.message(); }

std::uint64_t Search::pages() const {
  return impl_->engine == nullptr ? 0 : impl_->engine->searcher().pages();
}

SearchAnswer Search::Find(std::string_view query, const SearchOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  if (impl_->engine == nullptr) return Failed<SearchAnswer>(impl_->status);
  Result<QueryAnswer> found = impl_->engine->Search(query, ToQueryOptions(options));
  const Status indexed = impl_->engine->searcher().CheckIndexed();
  if (found.ok() && !indexed.ok()) found = indexed;
  return ToAnswer(std::move(found), began);
}

SearchAnswer Search::Similar(std::string_view url, const SearchOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  if (impl_->engine == nullptr) return Failed<SearchAnswer>(impl_->status);
  const ReadTransaction transaction(impl_->engine->searcher().database());
  if (!transaction.status().ok()) return Failed<SearchAnswer>(transaction.status());
  const Result<std::int64_t> page = impl_->FindPage(url);
  if (!page.ok()) return Failed<SearchAnswer>(page.status());
  return ToAnswer(impl_->engine->Similar(*page, ToQueryOptions(options)), began);
}

std::vector<std::pair<std::string, std::uint64_t>> Search::Suggest(std::string_view prefix,
                                                                   int limit) {
  std::vector<std::pair<std::string, std::uint64_t>> words;
  if (impl_->engine == nullptr) return words;
  const Result<std::vector<SpellingSuggestion>> found =
      impl_->engine->Complete(prefix, static_cast<std::size_t>(std::max(limit, 0)));
  if (!found.ok()) return words;
  for (const SpellingSuggestion& word : *found) words.emplace_back(word.shown, word.document_freq);
  return words;
}

PageKeywords Search::Keywords(std::string_view url, int limit) {
  if (impl_->engine == nullptr) return Failed<PageKeywords>(impl_->status);
  const ReadTransaction transaction(impl_->engine->searcher().database());
  if (!transaction.status().ok()) return Failed<PageKeywords>(transaction.status());
  const Result<std::int64_t> page = impl_->FindPage(url);
  if (!page.ok()) return Failed<PageKeywords>(page.status());
  Result<std::vector<Keyword>> found =
      impl_->engine->searcher().Keywords(*page, static_cast<std::size_t>(std::max(limit, 0)));
  if (!found.ok()) return Failed<PageKeywords>(found.status());
  PageKeywords answer;
  for (Keyword& keyword : *found) {
    answer.keywords.push_back({std::move(keyword.term), std::move(keyword.shown), keyword.term_freq,
                               keyword.document_freq, keyword.tf_idf});
  }
  return answer;
}

IndexOutcome IndexCrawl(const std::string& folder) { return IndexFolder(folder, {}, {}); }

IndexOutcome IndexCrawl(const std::string& folder, const IndexSettings& settings,
                        const IndexCallbacks& callbacks) {
  return IndexFolder(folder, settings, callbacks);
}

}  // namespace crawler

// Search: converts options and answers of search/. No logic.
#include "crawler/search.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "engine/crawl_folder.hpp"
#include "inspect/inspect.hpp"
#include "inspect/read_folder.hpp"
#include "inspect/read_snapshot.hpp"
#include "search/query_engine.hpp"
#include "search/read_transaction.hpp"
#include "search/search_group.hpp"

namespace crawler {
namespace {

template <typename Answer>
Answer Failed(const Status& status) {
  Answer answer;
  answer.error = status.message();
  answer.outcome = KindOfFailure(status);
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
                         count(part, Field::kAnchor), count(part, Field::kNavigation), part.idf,
                         part.score});
  }
  return why;
}

SearchResult ToResult(QueryAnswer::Result found, const std::vector<std::string>& folders) {
  SearchResult result;
  result.folder = folders[found.crawl];
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

SearchAnswer ToAnswer(Result<QueryAnswer> found, const std::vector<std::string>& folders,
                      std::chrono::steady_clock::time_point began) {
  SearchAnswer answer;
  if (!found.ok()) {
    answer = Failed<SearchAnswer>(found.status());
  } else {
    answer.total = found->total;
    answer.total_is_exact = found->total_is_exact;
    answer.did_you_mean = std::move(found->did_you_mean);
    answer.corrected = found->corrected;
    for (QueryAnswer::Result& result : found->results) {
      answer.results.push_back(ToResult(std::move(result), folders));
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
  explicit Impl(std::vector<std::string> paths) : folders(std::move(paths)) {
    if (folders.empty())
      status = Status(StatusCode::kInvalidArgument, "there is no crawl to search");
    for (const std::string& folder : folders) {
      if (status.ok()) status = Open(folder);
    }
  }

  /// Where a page is: the number of its crawl, and its id there.
  struct Place {
    std::size_t crawl = 0;
    std::int64_t page = 0;
  };
  Result<Place> FindPage(std::string_view url) {
    Result<Place> place = Status(StatusCode::kNotFound, "");
    for (std::size_t i = 0; i < engines.size(); ++i) {
      Result<std::string> normal = NormalFormIn(folders[i], url);
      if (!normal.ok()) return normal.status();
      const Result<std::int64_t> page = engines[i]->searcher().FindPage(*normal);
      if (page.ok()) return Place{i, *page};
      place = page.status();
      if (page.status().code() != StatusCode::kNotFound) break;
    }
    return place;
  }

  /// An id is that of the same page as long as these live.
  std::vector<std::unique_ptr<ReadTransaction>> BeginReading(Status* begun) {
    *begun = status;
    std::vector<std::unique_ptr<ReadTransaction>> transactions;
    for (const auto& engine : engines) {
      transactions.push_back(std::make_unique<ReadTransaction>(engine->searcher().database()));
      if (begun->ok()) *begun = transactions.back()->status();
    }
    return transactions;
  }

  Result<QueryAnswer> Find(std::string_view query, const QueryOptions& options) {
    Result<QueryAnswer> found = engines.size() == 1 ? engines.front()->Search(query, options)
                                                    : Together().Search(query, options);
    Status indexed;
    for (const auto& engine : engines) {
      indexed = engine->searcher().CheckIndexed();
      if (indexed.ok()) return found;
    }
    return found.ok() ? Result<QueryAnswer>(indexed) : found;
  }

  const std::vector<std::string> folders;
  std::vector<std::unique_ptr<QueryEngine>> engines;
  Status status;  ///< Of the first folder that cannot be searched.

 private:
  Status Open(const std::string& folder) {
    // A missing crawl has a better message than a missing file.
    const Result<Database> there = OpenForReading(folder);
    if (!there.ok()) return there.status();
    Result<std::unique_ptr<QueryEngine>> opened =
        QueryEngine::Open(CrawlFolder::CataloguePath(folder));
    if (!opened.ok()) return opened.status();
    engines.push_back(std::move(opened).value());
    return Status::Ok();
  }

  SearchGroup Together() const {
    std::vector<QueryEngine*> all;
    for (const auto& engine : engines) all.push_back(engine.get());
    return SearchGroup(std::move(all));
  }
};

Search::Search(const std::string& folder) : Search(std::vector<std::string>{folder}) {}
Search::Search(const std::vector<std::string>& folders) : impl_(std::make_unique<Impl>(folders)) {}
Search::~Search() = default;

const std::string& Search::error() const { return impl_->status.message(); }

ReadOutcome::Kind Search::outcome() const { return KindOfFailure(impl_->status); }

std::uint64_t Search::pages() const {
  std::uint64_t pages = 0;
  for (const auto& engine : impl_->engines) pages += engine->searcher().pages();
  return pages;
}

SearchAnswer Search::Find(std::string_view query, const SearchOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  if (!impl_->status.ok()) return Failed<SearchAnswer>(impl_->status);
  return ToAnswer(impl_->Find(query, ToQueryOptions(options)), impl_->folders, began);
}

SearchAnswer Search::Similar(std::string_view url, const SearchOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  Status status;
  const auto transactions = impl_->BeginReading(&status);
  if (!status.ok()) return Failed<SearchAnswer>(status);
  const Result<Impl::Place> place = impl_->FindPage(url);
  if (!place.ok()) return Failed<SearchAnswer>(place.status());
  Result<QueryAnswer> found =
      impl_->engines[place->crawl]->Similar(place->page, ToQueryOptions(options));
  if (found.ok()) {
    for (QueryAnswer::Result& result : found->results) result.crawl = place->crawl;
  }
  return ToAnswer(std::move(found), impl_->folders, began);
}

std::vector<std::pair<std::string, std::uint64_t>> Search::Suggest(std::string_view prefix,
                                                                   int limit) {
  std::map<std::string, std::uint64_t> pages;
  for (const auto& engine : impl_->engines) {
    const Result<std::vector<SpellingSuggestion>> found =
        engine->Complete(prefix, static_cast<std::size_t>(std::max(limit, 0)));
    if (!found.ok()) return {};
    for (const SpellingSuggestion& word : *found) pages[word.shown] += word.document_freq;
  }
  std::vector<std::pair<std::string, std::uint64_t>> words(pages.begin(), pages.end());
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  words.resize(std::min(words.size(), static_cast<std::size_t>(std::max(limit, 0))));
  return words;
}

PageKeywords Search::Keywords(std::string_view url, int limit) {
  Status status;
  const auto transactions = impl_->BeginReading(&status);
  if (!status.ok()) return Failed<PageKeywords>(status);
  const Result<Impl::Place> place = impl_->FindPage(url);
  if (!place.ok()) return Failed<PageKeywords>(place.status());
  Searcher& searcher = impl_->engines[place->crawl]->searcher();
  Result<std::vector<Keyword>> found =
      searcher.Keywords(place->page, static_cast<std::size_t>(std::max(limit, 0)));
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

#include "search/searcher.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "index/segments.hpp"
#include "search/fold_table.hpp"
#include "search/read_transaction.hpp"

namespace crawler {
namespace {

/// The schema that brought the index.
constexpr std::int64_t kIndexSchema = 2;
/// Candidates for a result, because some will be folded.
constexpr std::size_t kCandidatesPerResult = 3;
/// Results that are put in order anew by how near to each other the words are.
constexpr std::size_t kReranked = 128;
/// Terms of a page that pages like it are looked for with.
constexpr std::size_t kSimilarTerms = 32;

struct PageRow {
  std::string url, title, sketch;
  std::int64_t original = 0;  // The URL of the first page with its content.
};

}  // namespace

class Searcher::Best {
 public:
  explicit Best(std::size_t wanted) : wanted_(wanted) {
    heap_.reserve(std::min<std::size_t>(wanted, 1024));
  }

  /// Whether a page behind all that were offered could be among them with this score.
  bool Wants(double score) const {
    return heap_.size() < wanted_ || (wanted_ > 0 && score > heap_.front().score);
  }
  bool full() const { return heap_.size() == wanted_ && wanted_ > 0; }
  /// Of those that are wanted the lowest score. Requires: full().
  double least() const { return heap_.front().score; }
  void Offer(double score, std::uint32_t page) {
    const Scored offered{score, page};
    if (heap_.size() < wanted_) {
      heap_.push_back(offered);
      std::push_heap(heap_.begin(), heap_.end(), Before);
    } else if (wanted_ > 0 && Before(offered, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), Before);
      heap_.back() = offered;
      std::push_heap(heap_.begin(), heap_.end(), Before);
    }
  }
  std::vector<Scored> Take() {
    std::sort_heap(heap_.begin(), heap_.end(), Before);
    return std::move(heap_);
  }

  // Of equal scores the page that was found first.
  static bool Before(const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.page < b.page;
  }

 private:
  const std::size_t wanted_;
  std::vector<Scored> heap_;
};

Result<std::unique_ptr<Searcher>> Searcher::Open(const std::string& path,
                                                 const RankingWeights& weights) {
  Result<Database> db = Database::Open(path, Database::Mode::kReadOnly);
  if (!db.ok()) return db.status();
  const Result<std::int64_t> version = db->QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version < kIndexSchema) {
    return Status(
        StatusCode::kNotReady,
        path +
            " has no index, as it was written by an older version of this program; `crawler "
            "index` makes one");
  }
  // Posting lists are read where the system keeps them, without a copy in between.
  Status status = db->Execute("PRAGMA mmap_size = 17179869184; PRAGMA cache_size = -16000");
  if (!status.ok()) return status;
  auto searcher = std::unique_ptr<Searcher>(new Searcher(std::move(db).value(), weights));
  status = searcher->Prepare();
  if (!status.ok()) return status;
  const ReadTransaction transaction(searcher->db_);
  status = transaction.status();
  if (status.ok()) status = searcher->Refresh();
  if (!status.ok()) return status;
  return searcher;
}

Status Searcher::Prepare() {
  Result<std::unique_ptr<QueryCompiler>> compiler = QueryCompiler::Open(db_, weights_);
  if (!compiler.ok()) return compiler.status();
  compiler_ = std::move(compiler).value();
  Result<PageTextReader> texts = PageTextReader::Open(db_);
  if (!texts.ok()) return texts.status();
  texts_ = std::make_unique<PageTextReader>(std::move(texts).value());
  return PrepareAll(
      db_, {{&state_select_,
             "SELECT (SELECT value FROM crawl_state WHERE key = 'index.generation'),"
             " (SELECT value FROM crawl_state WHERE key = 'index.removals')"},
            {&row_,
             "SELECT p.url, p.title, coalesce(p.duplicate_of, p.url_id),"
             " CASE WHEN t.words >= ?2 THEN t.sketch END"
             " FROM pages p LEFT JOIN page_text t ON t.page_id = p.id WHERE p.id = ?1"},
            {&keywords_,
             "SELECT t.term, t.shown, e.value, t.document_freq, e.value * t.idf / p.words, t.idf"
             " FROM page_text p, json_each(p.terms) e JOIN index_terms t ON t.term = e.key"
             " WHERE p.page_id = ? ORDER BY e.value * t.idf DESC, t.term LIMIT ?"},
            {&description_, "SELECT description FROM pages WHERE id = ?"},
            {&find_, "SELECT id FROM pages WHERE url = ? ORDER BY id DESC LIMIT 1"}});
}

// The tables in memory are read again when the index has changed.
Status Searcher::Refresh() {
  const Result<bool> row = state_select_.Step();
  if (!row.ok()) return row.status();
  // Without an index the state is empty, and so is what is held.
  const std::string generation(state_select_.Text(0)), removals(state_select_.Text(1));
  state_select_.Reset();
  Status status;
  if (generation != generation_) {
    status = pages_.Load(db_, weights_);
  } else if (removals != removals_) {
    status = pages_.LeaveOutRemoved(db_);
  }
  if (!status.ok()) return status;
  generation_ = generation;
  removals_ = removals;
  return Status::Ok();
}

double Searcher::Finish(const SearchRequest& request, std::uint32_t page, double text_score,
                        double query_norm, double* text_part, double* factor) const {
  const PageTable::Entry& entry = pages_[page];
  *factor = 1;
  *text_part = text_score;
  if (request.ranking == Ranking::kCosine) {
    const double lengths = query_norm * double{entry.norm};
    *text_part = lengths > 0 ? std::min(1.0, text_score / lengths) : 0;
  } else {
    *factor = weights_.StaticFactor(entry.static_rank);
    // A query of filters alone has no words to score; the static rank decides.
    if (filters_alone_) *text_part = 1;
  }
  return *text_part * *factor;
}

// Of the words, and of a title that is made of them.
double Searcher::TextScore(const SearchRequest& request, const Matches& matches,
                           std::uint32_t place, std::uint32_t page) const {
  if (request.ranking != Ranking::kBm25) return matches.scores[place];
  return matches.scores[place] + weights_.Title(matches.titles[place], pages_[page].title_weight);
}

Status Searcher::Evaluate(const SearchRequest& request, std::size_t wanted,
                          std::vector<Scored>* best, QueryResults* results) {
  Result<MatcherPtr> matcher =
      compiler_->Compile(request.query, &pages_, request.ranking, false, request.shared);
  if (!matcher.ok()) return matcher.status();
  const double query_norm = compiler_->query_norm();
  results->words = compiler_->words();
  results->total_is_exact = compiler_->is_exact();
  filters_alone_ = results->words.empty();
  results->total = 0;
  // A page that no static rank can lift into the results is not looked at.
  const bool is_bound = request.ranking == Ranking::kBm25 && !filters_alone_;
  const double highest_factor = weights_.StaticFactor(pages_.highest_static_rank());
  Best top(wanted > 0 ? std::max(wanted, kReranked) : 0);
  Matches matches;
  double text_part = 0, factor = 1;
  for (std::uint32_t first = 0; first < pages_.size(); first += kWindowPages) {
    (*matcher)->Visit(first, pages_.indexed(first), &matches);
    results->total += matches.pages.count();
    matches.pages.ForEach([&](std::uint32_t place) {
      const double score = TextScore(request, matches, place, first + place);
      if (is_bound && !top.Wants(score * highest_factor)) return;
      const std::uint32_t page = first + place;
      top.Offer(Finish(request, page, score, query_norm, &text_part, &factor), page);
    });
    if (is_bound && top.full()) (*matcher)->SetBar(top.least() / highest_factor);
  }
  if ((*matcher)->pruned()) {
    results->total_is_exact = false;
    for (const QueryCompiler::Word& word : results->words) {
      results->total = std::max(results->total, word.document_freq);
    }
  }
  if (!compiler_->status().ok()) return compiler_->status();
  if (!(*matcher)->ok()) return UnreadablePostings();
  *best = top.Take();
  Status status = AddProximity(request, wanted, best);
  if (best->size() > wanted) best->resize(wanted);
  return status;
}

Status Searcher::AddProximity(const SearchRequest& request, std::size_t wanted,
                              std::vector<Scored>* best) {
  Result<std::unique_ptr<WordPlaces>> places =
      WordPlaces::Open(compiler_->loader(), pages_, compiler_->words());
  if (!places.ok()) return places.status();
  places_ = std::move(places).value();
  const double highest = weights_.proximity * places_->HighestNearness();
  if (request.ranking != Ranking::kBm25 || highest <= 0 || best->empty()) return Status::Ok();
  // The same pages whatever is shown of them, so that one page of results goes on where another
  // ended; but for those that cannot be among the wanted ones.
  std::span<Scored> first(best->data(), std::min(best->size(), kReranked));
  const double least = first[std::min(wanted, first.size()) - 1].score;
  const auto hopeless =
      std::stable_partition(first.begin(), first.end(), [&](const Scored& scored) {
        return scored.score + highest * weights_.StaticFactor(pages_[scored.page].static_rank) >=
               least;
      });
  first = first.first(static_cast<std::size_t>(hopeless - first.begin()));
  std::sort(first.begin(), first.end(),
            [](const Scored& a, const Scored& b) { return a.page < b.page; });
  for (Scored& scored : first) {
    const double bonus = weights_.proximity * places_->Nearness(scored.page);
    scored.score += bonus * weights_.StaticFactor(pages_[scored.page].static_rank);
  }
  if (!places_->ok()) return UnreadablePostings();
  std::sort(first.begin(), first.end(), Best::Before);
  return Status::Ok();
}

Status Searcher::FindMissing(QueryResults* results) {
  if (places_ == nullptr || !places_->has_several_words()) return Status::Ok();
  std::vector<SearchHit*> hits;
  for (SearchHit& hit : results->hits) hits.push_back(&hit);
  std::sort(hits.begin(), hits.end(),
            [](const SearchHit* a, const SearchHit* b) { return a->page < b->page; });
  if (Status status = places_->Rewind(); !status.ok()) return status;
  for (SearchHit* const hit : hits) {
    hit->missing = places_->MissingIn(static_cast<std::uint32_t>(hit->page));
  }
  return places_->ok() ? Status::Ok() : UnreadablePostings();
}

Result<bool> Searcher::Collect(const SearchRequest& request, const std::vector<Scored>& best,
                               std::int64_t like, QueryResults* results) {
  FoldTable kept;
  std::vector<std::optional<std::size_t>> hits;  // Of those that are kept.
  const auto read = [this](std::int64_t page, PageRow* row) -> Status {
    const Result<bool> found = row_.Bind(1, page).Bind(2, kFoldedWords).Step();
    if (!found.ok()) return found.status();
    if (*found) {
      *row = {std::string(row_.Text(0)), std::string(row_.Text(1)), std::string(row_.Blob(3)),
              row_.Int(2)};
    }
    row_.Reset();
    return Status::Ok();
  };
  results->hits.clear();
  const std::size_t wanted = request.offset + request.limit;
  std::size_t skipped = 0;
  PageRow row;
  if (like != 0) {
    if (Status status = read(like, &row); !status.ok()) return status;
    kept.Add(row.original, row.sketch);
    hits.emplace_back();
  }
  for (const Scored& scored : best) {
    if (scored.page == like) continue;
    if (Status status = read(scored.page, &row); !status.ok()) return status;
    const auto same = request.fold ? kept.Find(row.original, row.sketch) : std::nullopt;
    if (same) {
      if (hits[*same]) ++results->hits[*hits[*same]].folded;
      continue;
    }
    // All places are taken; what follows can only be folded into them, which is not worth a look.
    if (skipped + results->hits.size() == wanted) return true;
    if (request.fold) kept.Add(row.original, row.sketch);
    hits.emplace_back();
    if (skipped < request.offset) {
      ++skipped;
    } else {
      hits.back() = results->hits.size();
      SearchHit& hit = results->hits.emplace_back();
      const PageTable::Entry& entry = pages_[scored.page];
      hit.page = scored.page;
      hit.url = std::move(row.url);
      hit.title = std::move(row.title);
      hit.language = pages_.languages()[entry.language].code;
      hit.date = std::int64_t{entry.date} * 1000;
      hit.score = scored.score;
      hit.sketch = std::move(row.sketch);
    }
  }
  return skipped + results->hits.size() == wanted;
}

void Searcher::ExplainHit(const SearchRequest& request, Matches& matches, std::uint32_t place,
                          SearchHit* hit) const {
  const auto page = static_cast<std::uint32_t>(hit->page);
  hit->parts = std::move(matches.parts[place]);
  const auto add_part = [hit](const char* name, double score) {
    ScorePart& part = hit->parts.emplace_back();
    part.word = name;
    part.score = score;
  };
  const double total = hit->score;  // With the part of nearness.
  const double score = TextScore(request, matches, place, page);
  hit->score =
      Finish(request, page, score, compiler_->query_norm(), &hit->text_score, &hit->static_factor);
  // A cosine is divided by the lengths of the vectors, and so are its parts.
  if (request.ranking == Ranking::kCosine && score > 0) {
    for (ScorePart& part : hit->parts) part.score *= hit->text_score / score;
  }
  if (const double title = score - matches.scores[place]; title > 0) add_part(kTitlePart, title);
  if (const double more = total - hit->score; more > 1e-9 * total) {
    add_part(kNearnessPart, more / hit->static_factor);
    hit->text_score += hit->parts.back().score;
    hit->score = total;
  }
}

Status Searcher::Explain(const SearchRequest& request, QueryResults* results) {
  Result<MatcherPtr> matcher =
      compiler_->Compile(request.query, &pages_, request.ranking, true, request.shared);
  if (!matcher.ok()) return matcher.status();
  std::map<std::uint32_t, std::vector<SearchHit*>> windows;  // Matchers only go forward.
  for (SearchHit& hit : results->hits) {
    const auto page = static_cast<std::uint32_t>(hit.page);
    windows[page - page % kWindowPages].push_back(&hit);
  }
  Matches matches;
  for (const auto& [first, hits] : windows) {
    PageSet among;
    for (const SearchHit* hit : hits) among.Set(static_cast<std::uint32_t>(hit->page) - first);
    (*matcher)->Visit(first, among, &matches);
    for (SearchHit* const hit : hits) {
      const auto page = static_cast<std::uint32_t>(hit->page);
      if (!matches.pages.Has(page - first)) continue;
      ExplainHit(request, matches, page - first, hit);
    }
  }
  return Status::Ok();
}

Status Searcher::UnreadablePostings() const {
  return Status(StatusCode::kCorruption,
                db_.path() +
                    ": postings of the index cannot be read; `crawler index --rebuild` makes them "
                    "again");
}

Status Searcher::CheckRange(std::size_t limit, std::size_t offset) {
  if (limit <= kMaxResults && offset <= kMaxResults - limit) return Status::Ok();
  return Status(StatusCode::kInvalidArgument,
                "at most " + std::to_string(kMaxResults) + " results can be looked at");
}

Result<QueryResults> Searcher::Search(const SearchRequest& request) {
  if (Status status = CheckRange(request.limit, request.offset); !status.ok()) return status;
  const ReadTransaction transaction(db_);
  if (!transaction.status().ok()) return transaction.status();
  if (Status status = Refresh(); !status.ok()) return status;
  if (request.ranking == Ranking::kCosine && !pages_.is_weighed() && pages_.pages() > 0) {
    return Status(StatusCode::kNotReady,
                  "the cosine needs weights, which are written when a crawl ends; `crawler index` "
                  "writes those of one that was stopped");
  }
  if (request.shared != nullptr) {
    pages_.UseAverages(request.shared->Averages(), weights_);
  } else {
    pages_.UseOwnAverages(weights_);
  }
  QueryResults results;
  std::vector<Scored> best;
  const std::size_t results_wanted = request.offset + request.limit;
  std::size_t wanted = request.fold ? results_wanted * kCandidatesPerResult + 16 : results_wanted;
  for (;;) {
    if (Status status = Evaluate(request, wanted, &best, &results); !status.ok()) return status;
    const Result<bool> complete = Collect(request, best, 0, &results);
    if (!complete.ok()) return complete.status();
    if (*complete || best.size() < wanted) break;
    wanted *= 8;  // Many are alike.
  }
  if (Status status = FindMissing(&results); !status.ok()) return status;
  if (request.why) {
    if (Status status = Explain(request, &results); !status.ok()) return status;
  }
  return results;
}

Status Searcher::AddStatistics(const QueryNode& query, IndexStatistics* statistics) {
  const ReadTransaction transaction(db_);
  if (!transaction.status().ok()) return transaction.status();
  if (Status status = Refresh(); !status.ok()) return status;
  const Result<MatcherPtr> matcher = compiler_->Compile(query, &pages_, Ranking::kBm25, false);
  if (!matcher.ok()) return matcher.status();
  pages_.AddTo(statistics);
  for (const auto& [term, pages] : compiler_->terms()) statistics->terms[term] += pages;
  return Status::Ok();
}

Result<bool> Searcher::HasWordTable() {
  const Result<std::int64_t> tables =
      db_.QueryInt("SELECT count(*) FROM sqlite_master WHERE name = 'index_words'");
  if (!tables.ok()) return tables.status();
  return *tables > 0;
}

Status Searcher::CheckIndexed() const {
  if (pages_.pages() > 0) return Status::Ok();
  return Status(
      StatusCode::kNotReady,
      "no page of the crawl is indexed yet; one that goes on finds more as it gathers, of "
      "one that has ended `crawler index` makes the index");
}

Status Searcher::CheckWeighed(std::int64_t page) const {
  if (Status status = CheckIndexed(); !status.ok()) return status;
  if (page <= 0 || page >= pages_.size() || !pages_.is_indexed(static_cast<std::uint32_t>(page))) {
    return Status(StatusCode::kNotFound, "the page is not in the index");
  }
  if (pages_.is_weighed()) return Status::Ok();
  return Status(StatusCode::kNotReady,
                "the terms of pages are weighed when a crawl ends; `crawler index` weighs those of "
                "one that was stopped");
}

Result<std::vector<Keyword>> Searcher::Keywords(std::int64_t page, std::size_t limit) {
  const ReadTransaction transaction(db_);
  if (!transaction.status().ok()) return transaction.status();
  Status status = Refresh();
  if (status.ok()) status = CheckWeighed(page);
  if (!status.ok()) return status;
  return ReadKeywords(page, limit);
}

Result<std::vector<Keyword>> Searcher::ReadKeywords(std::int64_t page, std::size_t limit) {
  std::vector<Keyword> keywords;
  keywords_.Bind(1, page).Bind(2, static_cast<std::int64_t>(std::min(limit, kMaxResults)));
  Status status = ForEachRow(keywords_, [&keywords](Statement& row) {
    Keyword& keyword = keywords.emplace_back();
    keyword.term = row.Text(0);
    keyword.shown = row.Text(1);
    keyword.term_freq = static_cast<std::uint64_t>(row.Int(2));
    keyword.document_freq = static_cast<std::uint64_t>(row.Int(3));
    keyword.tf_idf = row.Real(4);
  });
  if (!status.ok()) return status;
  return keywords;
}

Result<std::string> Searcher::Description(std::int64_t page) {
  const Result<bool> row = description_.Bind(1, page).Step();
  if (!row.ok()) return row.status();
  std::string description(*row ? description_.Text(0) : std::string_view());
  description_.Reset();
  return description;
}

Result<std::int64_t> Searcher::FindPage(std::string_view url) {
  const Result<bool> row = find_.Bind(1, url).Step();
  if (!row.ok()) return row.status();
  if (!*row) {
    return Status(StatusCode::kNotFound, "the crawl has no page " + std::string(url));
  }
  const std::int64_t page = find_.Int(0);
  find_.Reset();
  return page;
}

Result<QueryResults> Searcher::Similar(std::int64_t page, std::size_t limit, std::size_t offset) {
  if (Status status = CheckRange(limit, offset); !status.ok()) return status;
  const ReadTransaction transaction(db_);
  if (!transaction.status().ok()) return transaction.status();
  if (Status status = Refresh(); !status.ok()) return status;
  if (Status status = CheckWeighed(page); !status.ok()) return status;
  const Result<std::vector<Keyword>> keywords = ReadKeywords(page, kSimilarTerms);
  if (!keywords.ok()) return keywords.status();
  Result<TermLoader> loader = TermLoader::Open(db_);
  if (!loader.ok()) return loader.status();

  std::vector<float> scores(pages_.size(), 0.0f);
  const double pages = static_cast<double>(pages_.pages());
  for (const Keyword& keyword : *keywords) {
    const double idf = std::log(pages / static_cast<double>(keyword.document_freq));
    if (idf <= 0) continue;
    TermCursor cursor;
    if (Status status = loader->Load(pages_.text_segments(), keyword.term, &cursor); !status.ok()) {
      return status;
    }
    const double weight = static_cast<double>(keyword.term_freq) * idf * idf;
    for (std::uint32_t at = cursor.Advance(0); at < scores.size(); at = cursor.Advance(at + 1)) {
      if (!pages_.is_indexed(at)) continue;
      scores[at] += static_cast<float>(weight * TermFrequency(cursor.counts()));
    }
    if (!cursor.ok()) return UnreadablePostings();
  }
  QueryResults results;
  SearchRequest request;
  request.limit = limit;
  request.offset = offset;
  const double norm = pages_[static_cast<std::uint32_t>(page)].norm;
  for (std::size_t wanted = (limit + offset) * kCandidatesPerResult + 16;; wanted *= 8) {
    Best top(wanted);
    results.total = 0;
    for (std::uint32_t at = 0; at < scores.size(); ++at) {
      if (scores[at] <= 0 || at == page) continue;
      ++results.total;
      const double lengths = norm * double{pages_[at].norm};
      top.Offer(lengths > 0 ? std::min(1.0, scores[at] / lengths) : 0, at);
    }
    const std::vector<Scored> best = top.Take();
    const Result<bool> complete = Collect(request, best, page, &results);
    if (!complete.ok()) return complete.status();
    if (*complete || best.size() < wanted) return results;
  }
}

}  // namespace crawler

/// Search in the pages of a crawl. docs/search.md describes queries and ranking.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/crawler.h"
#include "crawler/read_outcome.hpp"

namespace crawler {

struct SearchOptions {
  int limit = 10;  ///< Results wanted.
  int offset = 0;  ///< Results to skip; offset + limit is at most 10,000.
  /// Rank by the cosine of TF-IDF vectors instead of BM25 and the links to a page.
  bool cosine = false;
  bool fold = true;              ///< Show only the best of (nearly) equal pages.
  bool why = false;              ///< Fill in SearchResult::why.
  int snippet_characters = 200;  ///< Approximate length; 0 for no snippets.
};

/// A page that answers a query.
struct SearchResult {
  std::string url;
  std::string folder;   ///< The crawl it is of.
  std::string title;    ///< May be empty.
  std::string snippet;  ///< A part of its text in one line; "…" where text is left out.
  /// The matched words: offsets and sizes in the snippet, in bytes.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> highlights;
  std::string language;                        ///< E.g. "en"; empty if unknown.
  std::chrono::system_clock::time_point date;  ///< Date of the last change, or else of the crawl.
  double score = 0;
  std::vector<std::string> missing;  ///< Words of the query that the page does not have.
  std::uint64_t folded = 0;          ///< Results left out because they are nearly equal.

  /// The parts of the score: the sum of the scores of the words, times the static factor, which
  /// comes from the links to the page.
  struct Why {
    struct Word {
      std::string word;
      /// Occurrences in the body, in headings, in the title, in the URL, in links to the page.
      std::uint32_t body = 0, headings = 0, title = 0, url = 0, anchors = 0;
      std::uint32_t navigation = 0;  ///< Occurrences in blocks of links.
      double idf = 0;
      double score = 0;
    };
    std::vector<Word> words;
    double text_score = 0;
    double static_factor = 1;
  };
  Why why;
};

struct SearchAnswer {
  /// Why there is no answer, for people; empty if there is one.
  std::string error;
  /// The kind of the error. kBadRequest: the query is invalid, and `error` says where. kNotReady:
  /// it needs a part of the index that is missing, because the crawl is running, was stopped, or
  /// has no index; IndexCrawl() makes it.
  ReadOutcome::Kind outcome = ReadOutcome::Kind::kDone;
  std::vector<SearchResult> results;
  std::uint64_t total = 0;     ///< Pages that match, folded ones included.
  bool total_is_exact = true;  ///< False: `total` is an estimate; see docs/search.md.
  /// If a word is on no page: a query with similar words that has results, or empty.
  std::string did_you_mean;
  bool corrected = false;  ///< The query had no results; these are those of did_you_mean.
  /// Each word that is on no page, and similar words that are.
  std::vector<std::pair<std::string, std::vector<std::string>>> suggestions;
  std::chrono::microseconds took{0};
};

struct PageKeywords {
  std::string error;  ///< Why there are no keywords; empty if there are.
  ReadOutcome::Kind outcome = ReadOutcome::Kind::kDone;  ///< As SearchAnswer::outcome.
  struct Keyword {
    std::string term;                 ///< The term in the index, e.g. stemmed.
    std::string shown;                ///< A word of the term.
    std::uint64_t term_freq = 0;      ///< Occurrences in the page.
    std::uint64_t document_freq = 0;  ///< Pages with the term.
    double tf_idf = 0;
  };
  std::vector<Keyword> keywords;  ///< The heaviest first.
};

/// Searches the folder of one crawl, or those of several as one, with scores as if they were one
/// crawl. It only reads, also while a crawl runs in a folder, and finds the pages indexed so far.
/// Threads: one at a time; each thread needs its own.
class CRAWLER_EXPORT Search {
 public:
  explicit Search(const std::string& folder);
  /// Of pages that several crawls have, only the best is found, unless SearchOptions::fold is off.
  explicit Search(const std::vector<std::string>& folders);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Why a folder cannot be searched; empty if all can.
  const std::string& error() const;
  ReadOutcome::Kind outcome() const;  ///< The kind of the error.
  std::uint64_t pages() const;        ///< Number of indexed pages.

  SearchAnswer Find(std::string_view query, const SearchOptions& options = {});
  /// Pages similar to that of `url`, of the first crawl that has it. Uses the options limit, offset
  /// and snippet_characters.
  SearchAnswer Similar(std::string_view url, const SearchOptions& options = {});
  /// Completions: words that begin with `prefix`, those on most pages first, each with the number
  /// of pages. Empty if there are none, or the crawl has no term weights yet.
  std::vector<std::pair<std::string, std::uint64_t>> Suggest(std::string_view prefix,
                                                             int limit = 10);
  /// The terms of the page of `url` with the highest TF-IDF, in the first crawl that has it.
  PageKeywords Keywords(std::string_view url, int limit = 20);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

struct IndexSettings {
  /// Approximate memory for making the index, in bytes; 0: as the crawl.
  std::uint64_t max_ram = 0;
  /// Rebuild the whole index: postings and weights from the stored texts, unreadable texts from the
  /// WARC. For a damaged index.
  bool rebuild = false;
};

/// Progress of IndexCrawl().
struct IndexProgress {
  std::string_view step;            ///< The current step, for people. Valid during the call.
  std::uint64_t done = 0, all = 0;  ///< Pages, if the step counts pages; else both are 0.
};

/// Callbacks of IndexCrawl(), on the calling thread.
struct IndexCallbacks {
  std::function<void(const IndexProgress& progress)> on_progress;
  /// Gets a sentence for each of the first hundred pages that cannot be indexed.
  std::function<void(std::string_view sentence)> on_warning;
};

/// The result of IndexCrawl().
struct IndexOutcome {
  std::string error;                                     ///< Empty on success.
  ReadOutcome::Kind outcome = ReadOutcome::Kind::kDone;  ///< The kind of the error.
  std::uint64_t pages = 0;                               ///< Indexed pages.
  std::uint64_t unindexed = 0;     ///< Pages not indexed: noindex pages and the next two.
  std::uint64_t from_archive = 0;  ///< Indexed pages that were read from the WARC.
  std::uint64_t unreadable = 0;    ///< Pages without text whose WARC records are damaged or gone.
  std::uint64_t unarchived = 0;    ///< Pages without text that were crawled without a WARC.
  std::uint64_t terms = 0;
  std::uint64_t links = 0;  ///< Links between pages; 0 if nothing had changed.
  int rank_iterations = 0;  ///< Iterations of PageRank; 0 if nothing had changed.
  double rank_change = 0;   ///< Change of all ranks in the last iteration.
  /// False if rank_change was still too large at the last iteration.
  bool rank_converged = true;
};

/// Makes or completes the index of a crawl, e.g. of a stopped one. Pages without a stored text are
/// read from the WARC. Can be called again after a kill and goes on.
CRAWLER_EXPORT IndexOutcome IndexCrawl(const std::string& folder);
CRAWLER_EXPORT IndexOutcome IndexCrawl(const std::string& folder, const IndexSettings& settings,
                                       const IndexCallbacks& callbacks = {});

}  // namespace crawler

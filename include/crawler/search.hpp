/// Searching what a crawl has stored. docs/search.md says what queries may hold and how pages are
/// put in order.
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

namespace crawler {

struct SearchOptions {
  int limit = 10;  ///< Results wanted.
  int offset = 0;  ///< Results to leave out before them; at most 10,000 with the limit.
  /// Rank by the cosine of TF-IDF vectors instead of BM25 and the links to a page.
  bool cosine = false;
  bool fold = true;              ///< Of pages (nearly) alike show only the best.
  bool why = false;              ///< Fill in SearchResult::why.
  int snippet_characters = 200;  ///< About; 0 for no snippets.
};

/// A page that answers a query.
struct SearchResult {
  std::string url;
  std::string title;    ///< May be empty.
  std::string snippet;  ///< A piece of its text in one line; "…" where the text goes on.
  /// The words that were looked for: offsets and sizes in the snippet, in bytes.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> highlights;
  std::string language;                        ///< E.g. "en"; empty if unknown.
  std::chrono::system_clock::time_point date;  ///< When it changed, or else was crawled.
  double score = 0;
  std::vector<std::string> missing;  ///< Words of the query that the page does not have.
  std::uint64_t folded = 0;          ///< Results left out because they are like this one.

  /// What the score is made of: (the sum of the words' scores) times the static factor, which
  /// comes from the links to the page.
  struct Why {
    struct Word {
      std::string word;
      /// How often it is in the body, in headings, in the title, in the URL, in links to the page.
      std::uint32_t body = 0, headings = 0, title = 0, url = 0, anchors = 0;
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
  /// Why there is no answer, for the person who asked; empty if there is one.
  std::string error;
  bool bad_query = false;  ///< The query is wrong, not the crawl; `error` says where.
  /// It takes more of the index than there is: the crawl is still going on, or was stopped, or has
  /// no index. IndexCrawl() makes it.
  bool not_ready = false;
  std::vector<SearchResult> results;
  std::uint64_t total = 0;     ///< Pages that match, folded ones included.
  bool total_is_exact = true;  ///< Else it is about so many; docs/search.md says when.
  /// When no page has one of the words: a query with words like it that finds something, or empty.
  std::string did_you_mean;
  bool corrected = false;  ///< Nothing was found; the results are those of did_you_mean.
  /// Each word no page has, and words like it that pages have.
  std::vector<std::pair<std::string, std::vector<std::string>>> suggestions;
  std::chrono::microseconds took{0};
};

struct PageKeywords {
  std::string error;       ///< Why there are none; empty if there are.
  bool not_ready = false;  ///< As SearchAnswer::not_ready.
  struct Keyword {
    std::string term;                 ///< As the index has it, e.g. stemmed.
    std::string shown;                ///< A word that it stands for.
    std::uint64_t term_freq = 0;      ///< In the page.
    std::uint64_t document_freq = 0;  ///< Pages with it.
    double tf_idf = 0;
  };
  std::vector<Keyword> keywords;  ///< The heaviest first.
};

/// The search engine over one crawl's folder. It only reads, also while a crawl goes on there, and
/// finds what has been indexed so far.
/// Threads: one at a time; have one for each thread.
class CRAWLER_EXPORT Search {
 public:
  explicit Search(const std::string& folder);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Why nothing can be searched; empty if it can.
  const std::string& error() const;
  std::uint64_t pages() const;  ///< That can be found.

  SearchAnswer Find(std::string_view query, const SearchOptions& options = {});
  /// Pages like that of `url`. Of the options, limit, offset and snippet_characters count.
  SearchAnswer Similar(std::string_view url, const SearchOptions& options = {});
  /// Words that begin with `prefix`, for whoever is typing a query: those of most pages first, each
  /// with the number of pages. Empty if there are none, or the crawl's terms are not weighed yet.
  std::vector<std::pair<std::string, std::uint64_t>> Suggest(std::string_view prefix,
                                                             int limit = 10);
  /// What the page of `url` is about: its terms with the highest TF-IDF.
  PageKeywords Keywords(std::string_view url, int limit = 20);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

struct IndexSettings {
  /// About how much memory the index may take while it is made, in bytes; 0: what the crawl was
  /// given.
  std::uint64_t max_ram = 0;
  /// Makes all of it again: postings and weights from the texts that are stored, texts that cannot
  /// be read from the WARC. For an index that is damaged.
  bool rebuild = false;
};

/// How far IndexCrawl() is.
struct IndexProgress {
  std::string_view step;            ///< What it does, for people. Valid during the call.
  std::uint64_t done = 0, all = 0;  ///< Pages, if it goes through them; else both are 0.
};

/// What IndexCrawl() tells while it works, in its own thread.
struct IndexCallbacks {
  std::function<void(const IndexProgress& progress)> on_progress;
  /// A page that cannot be indexed, and why; of the first hundred.
  std::function<void(std::string_view sentence)> on_warning;
};

/// What IndexCrawl() did.
struct IndexOutcome {
  std::string error;               ///< Empty if all went well.
  bool busy = false;               ///< Another process works on the folder.
  std::uint64_t pages = 0;         ///< Indexed.
  std::uint64_t unindexed = 0;     ///< That ask not to be, and those of the next two.
  std::uint64_t from_archive = 0;  ///< Of the indexed ones, those read from their WARC records now.
  std::uint64_t unreadable = 0;  ///< Without text here, and their WARC records are damaged or gone.
  std::uint64_t unarchived = 0;  ///< Without text here, and crawled without a WARC.
  std::uint64_t terms = 0;
  std::uint64_t links = 0;  ///< Between pages; 0 if nothing had changed.
  int rank_iterations = 0;  ///< Of PageRank; 0 if nothing had changed.
  double rank_change = 0;   ///< Of all ranks in the last of them.
  /// False if that was still too much when the iterations were given up.
  bool rank_converged = true;
};

/// Makes, or finishes, the index of a crawl, e.g. of one that was stopped. Pages whose text the
/// crawl did not store are read from its WARC. Does what is not done; after a kill it goes on.
CRAWLER_EXPORT IndexOutcome IndexCrawl(const std::string& folder);
CRAWLER_EXPORT IndexOutcome IndexCrawl(const std::string& folder, const IndexSettings& settings,
                                       const IndexCallbacks& callbacks = {});

}  // namespace crawler

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/analyzer.hpp"
#include "index/fold.hpp"
#include "index/heading_names.hpp"
#include "search/matcher.hpp"
#include "search/query.hpp"
#include "search/statistics.hpp"

namespace crawler {

/// Makes matchers of queries: words become terms in every language of the crawl, prefixes the
/// terms that begin so, filters predicates.
/// Lifetime: a matcher must not outlive the compiler, the database and the page table.
/// Threads: those of its Database.
class QueryCompiler {
 public:
  /// Terms that a prefix stands for at most: the most frequent.
  static constexpr std::size_t kMaxExpansion = 64;

  static Result<std::unique_ptr<QueryCompiler>> Open(Database& db, const RankingWeights& weights);

  /// Never null. To `explain` takes longer. kInvalidArgument, with a message for the person who
  /// wrote the query, if it has too many words, or no page can be indexed by any that it has.
  /// `shared`: of all crawls that are searched together; null for this one alone.
  Result<MatcherPtr> Compile(const QueryNode& query, PageTable* pages, Ranking ranking,
                             bool explain, const IndexStatistics* shared = nullptr);
  /// Of the last query: in how many pages of this crawl each of its terms is.
  const std::map<std::string, TermPages, std::less<>>& terms() const { return terms_; }
  /// Of the last query, the length of its vector: what cosines are divided by.
  double query_norm() const;
  /// Of the last query, the words that are to be found, each with the terms it stands for.
  struct Word {
    std::string text;                 ///< As it was written; of a phrase, one of its words.
    std::vector<std::string> terms;   ///< Any of them.
    std::uint64_t document_freq = 0;  ///< Pages that have it, at least.
    bool is_prefix = false;           ///< Then `text` is without the star.
    bool found = false;               ///< Any of the terms is in the index.
    double idf = 0;                   ///< As BM25 has it.
    /// Pages may do without it if they have others: it is a plain word of the query, or part of one
    /// (std of std::sort).
    bool is_plain = false;
    std::uint32_t place = 0;  ///< Of plain ones: which word of the query, stop words counted.
  };
  const std::vector<Word>& words() const { return words_; }
  /// Whether the last query finds what it says and nothing else. Not if stop words stand in its
  /// phrases, where any word will do for them, or if a prefix has more words than are looked for.
  bool is_exact() const { return is_exact_; }
  /// The lists that the last query read, for callers that read more of the same terms.
  TermLoader& loader() { return *loader_; }
  /// The first error of the matchers of the last query.
  const Status& status() const;

 private:
  /// A word or phrase in some of the languages.
  struct Form {
    struct Part {
      std::string term, word;
      std::uint32_t offset;
      friend bool operator==(const Part&, const Part&) = default;
    };
    std::vector<Part> parts;
    LanguageSet languages;
  };

  /// The terms that a prefix stands for.
  struct Expansion {
    std::vector<std::pair<std::uint64_t, std::string>> terms;  ///< With their document frequencies.
    bool is_whole = true;                                      ///< These are all of them.
  };
  static void AddTerm(std::uint64_t document_freq, std::string_view term, Expansion* expansion);
  static void KeepMostFrequent(Expansion* expansion);

  QueryCompiler(Database& db, const RankingWeights& weights) : db_(db), weights_(weights) {}

  Status CompileNode(const QueryNode& query, bool wanted, MatcherPtr* matcher, bool* optional);
  Status CompileAnd(const QueryNode& query, bool wanted, MatcherPtr* matcher);
  void AddPlainWords(std::vector<MostMatcher::Word> plain, bool insists,
                     std::vector<MatcherPtr>* required, std::vector<MatcherPtr>* optional) const;
  Status CompileOr(const QueryNode& query, bool wanted, MatcherPtr* matcher, bool* optional);
  Status CompileText(const QueryNode& query, bool wanted, MatcherPtr* matcher, bool* optional);
  Status CompilePrefix(const QueryNode& query, bool wanted, MatcherPtr* matcher);
  Status CompileSite(const QueryNode& query, MatcherPtr* matcher);
  Status CompileInUrl(const QueryNode& query, MatcherPtr* matcher);
  Status CompileLanguage(const QueryNode& query, MatcherPtr* matcher);

  /// Has pages score more that have a heading which is the query.
  Status AddHeadings(MatcherPtr* matcher);
  /// The query with plain words that fall into several (std::sort) as several.
  QueryNode SplitWords(const QueryNode& query);

  /// The matcher of a query or of a part of it.
  enum class Says : std::uint8_t { kNothing, kWhatTheyHaveNot, kWhatTheyHave };
  Says SaysOf(const QueryNode& query) const;
  Status CheckSaysSomething(const QueryNode& query) const;

  std::vector<Form> FormsOf(const QueryNode& query, bool* optional);
  static void AddForm(Form form, std::vector<Form>* forms);
  MatcherPtr AsStopWord(MatcherPtr matcher) const;
  Status MakeWord(const QueryNode& query, bool wanted, const std::vector<std::string>& terms,
                  MatcherPtr* matcher);
  Status MakePhrase(const QueryNode& query, bool wanted, const Form& form, MatcherPtr* matcher);
  Status MakePhrases(const QueryNode& query, bool wanted, const std::vector<Form>& forms,
                     MatcherPtr* matcher);
  void AddWord(std::string_view text, const std::vector<std::string>& terms, bool is_prefix,
               std::uint64_t document_freq);
  Status LoadPair(std::string_view term, TermPair* pair);
  Result<std::uint64_t> PagesAbout(std::string_view term);
  Status VectorIdf(const std::vector<std::string>& terms, double* idf);
  Status Expand(const std::string& prefix, std::vector<std::string>* terms);
  Status ReadExpansion(std::string_view prefix, Expansion* expansion);
  /// The URL of a page; empty if it cannot be read, which status_ then says.
  std::string_view UrlOf(std::uint32_t page);

  Database& db_;
  const RankingWeights weights_;
  Analyzer analyzer_;
  NameTerms names_;
  Folder folder_;
  std::unique_ptr<TermLoader> loader_;
  Statement frequency_, url_, expand_, expand_segment_;
  std::string url_text_;
  PageTable* pages_ = nullptr;
  QueryNode query_;  // The one under way, split.
  Scoring scoring_;
  const IndexStatistics* shared_ = nullptr;
  std::map<std::string, TermPages, std::less<>> terms_;
  double query_square_ = 0;
  bool is_exact_ = true;
  std::vector<const QueryNode*> unindexed_;      // Words that are none to the index.
  std::map<std::string, Expansion> expansions_;  // By prefix; going through terms takes time.
  double word_weight_ = 0;                       // idf of what was compiled last, summed up.
  bool plain_ = false;                           // A plain word is being compiled.
  std::uint32_t place_ = 0;                      // Of the next plain word.
  std::size_t words_read_ = 0;                   // Of the query, those of phrases included.
  std::vector<Word> words_;
  std::vector<Token> tokens_;
  Status status_;
};

}  // namespace crawler

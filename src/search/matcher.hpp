#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "index/fields.hpp"
#include "search/page_set.hpp"
#include "search/page_table.hpp"
#include "search/query.hpp"
#include "search/ranking.hpp"
#include "search/statistics.hpp"
#include "search/term_cursor.hpp"

namespace crawler {

/// How often a term stands in each field, links to the page among them.
using TermCounts = std::array<std::uint32_t, kFieldCount>;

/// ScorePart::word of what words near each other added.
inline constexpr const char* kNearnessPart = "(near each other)";
/// The same of words that make up the title.
inline constexpr const char* kTitlePart = "(exact title)";
/// The same of a heading that is the query.
inline constexpr const char* kHeadingPart = "(exact heading)";

/// The score that a word of the query gave a page.
struct ScorePart {
  std::string word;
  TermCounts counts = {};
  double document_freq = 0;
  double idf = 0;
  double weighted_count = 0;  ///< The counts with field weights and lengths; in BM25F.
  double score = 0;
};

/// The numbers that scores are computed from.
struct Scoring {
  const PageTable* pages = nullptr;
  const RankingWeights* weights = nullptr;
  Ranking ranking = Ranking::kBm25;
  bool explain = false;   ///< Say what scores are made of; see Matches::parts.
  double page_count = 0;  ///< Of all crawls that are searched together.
};

/// The pages of a window that match, and what they score.
struct Matches {
  PageSet pages;
  std::array<double, kWindowPages> scores;  ///< Only of `pages`.
  std::array<float, kWindowPages> titles;   ///< idf² of the words in the title, summed up.
  std::map<std::uint32_t, std::vector<ScorePart>> parts;  ///< By place, with Scoring::explain.

  /// Adds scores, titles and parts of pages that both have.
  void AddScores(const Matches& other);
};

/// A part of a query at work: it goes through the pages a window at a time, from the first window
/// to the last.
/// Threads: one at a time.
class Matcher {
 public:
  virtual ~Matcher() = default;
  /// Finds those of `among` that match, in the window that begins with page `first`. Windows may
  /// be left out, but must ascend.
  virtual void Visit(std::uint32_t first, const PageSet& among, Matches* matches) = 0;
  /// About how many pages have to be looked at.
  virtual std::uint64_t Cost() const = 0;
  virtual bool ok() const { return true; }
  /// Pages that score no more than `bar` are of no interest any more; it only rises. A matcher may
  /// then leave them out, or score them less.
  virtual void SetBar(double /*bar*/) {}
  /// Pages of the next window that have more to their score than the matcher knows: the bar is not
  /// for them.
  virtual void Favour(const PageSet& /*pages*/) {}
  /// Whether it has left pages out because of the bar.
  virtual bool pruned() const { return false; }
};

using MatcherPtr = std::unique_ptr<Matcher>;

/// A term in the pages and in the links to them.
struct TermPair {
  TermCursor text, anchors;
  TermPages pages;  ///< Of all crawls that are searched together.

  std::uint64_t document_freq() const { return pages.document_freq(); }
  bool empty() const { return text.empty() && anchors.empty(); }
  bool ok() const { return text.ok() && anchors.ok(); }
};

/// One word, as any of several terms: its forms in the languages of the crawl, or what a prefix
/// stands for. They count as one term.
class WordMatcher final : public Matcher {
 public:
  /// `vector_idf` is that of TF-IDF.
  WordMatcher(const Scoring& scoring, QueryNode::In in, std::string word,
              std::vector<TermPair> terms, double vector_idf);

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  std::uint64_t Cost() const override { return cost_; }
  bool ok() const override;

 private:
  bool MayBeIn(std::uint32_t first, const PageSet& among);
  void AddWeights(std::uint32_t first, const PageSet& among, Matches* matches);
  void AddCounts(std::uint32_t first, const PageSet& among, Matches* matches);

  const Scoring scoring_;
  const QueryNode::In in_;
  const std::string word_;
  const bool quick_;
  std::vector<TermPair> terms_;
  std::vector<TermCounts> counts_;  // By place, unless quick.
  std::uint64_t cost_ = 0;
  double document_freq_ = 0, idf_ = 0, vector_idf_ = 0;
};

/// Terms at given distances from the first.
class PhraseMatcher final : public Matcher {
 public:
  struct Term {
    TermPair pair;
    std::uint32_t offset = 0;  ///< Ascending.
    std::string word;
    double vector_idf = 0;
  };
  PhraseMatcher(const Scoring& scoring, QueryNode::In in, std::vector<Term> terms);

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  std::uint64_t Cost() const override;
  bool ok() const override;

 private:
  std::uint32_t Advance(std::uint32_t page);
  bool StandsAt(std::uint32_t page);
  bool TwoMeet() const;
  double Score(std::uint32_t page, float* title, std::vector<ScorePart>* parts);

  const Scoring scoring_;
  const QueryNode::In in_;
  std::vector<Term> terms_;
  std::vector<double> idfs_;
  std::vector<TermCursor*> rarest_first_;
  std::vector<PositionStream> streams_;
};

/// Pages that all of `required` match and none of `excluded`; `optional` ones add to the score.
class AndMatcher final : public Matcher {
 public:
  AndMatcher(std::vector<MatcherPtr> required, std::vector<MatcherPtr> excluded,
             std::vector<MatcherPtr> optional);

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  std::uint64_t Cost() const override { return required_.front()->Cost(); }
  bool ok() const override;

 private:
  std::vector<MatcherPtr> required_, excluded_, optional_;
  Matches one_;  // The matches of one of them.
};

/// Pages that any matches.
class OrMatcher final : public Matcher {
 public:
  explicit OrMatcher(std::vector<MatcherPtr> children) : children_(std::move(children)) {}

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  std::uint64_t Cost() const override;
  bool ok() const override;

 private:
  std::vector<MatcherPtr> children_;
  Matches one_;
};

/// Pages that have any of some words: the sum of the words' scores, times (the weight of those that
/// the page has / the weight of all) to the power RankingWeights::missing.
///
/// With a bar, only words that can lift a page over it say which pages there are; the others, the
/// most frequent ones, are looked up in these (MaxScore).
class MostMatcher final : public Matcher {
 public:
  struct Word {
    MatcherPtr matcher;
    double idf = 0;  ///< Its weight; the score of a page is at most Scoring's limit for it.
    double limit = 0;
  };
  MostMatcher(const Scoring& scoring, std::vector<Word> words);

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  std::uint64_t Cost() const override;
  bool ok() const override;
  void SetBar(double bar) override;
  void Favour(const PageSet& pages) override { favoured_ = pages; }
  bool pruned() const override { return pruned_; }

 private:
  void Add(const Word& word, std::uint32_t first, const PageSet& among, Matches* matches);
  void ScaleByWeight(std::uint32_t first, Matches* matches);

  const Scoring scoring_;
  std::vector<Word> words_;    // The highest limits first.
  std::size_t essential_ = 0;  // So many of them say which pages there are.
  double all_weight_ = 0;
  double bar_ = 0;
  bool pruned_ = false;
  PageSet favoured_;
  std::array<double, kWindowPages> weights_;  // Of the words that each page has.
  Matches one_;
};

/// The pages that another matcher finds; those of `named`, ascending, score more.
class NamedMatcher final : public Matcher {
 public:
  /// `document_freq`: how many such pages there are, of all crawls that are searched together.
  NamedMatcher(const Scoring& scoring, MatcherPtr matcher, std::vector<std::uint32_t> named,
               double document_freq);

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  std::uint64_t Cost() const override { return matcher_->Cost(); }
  bool ok() const override { return matcher_->ok(); }
  void SetBar(double bar) override { matcher_->SetBar(bar); }
  bool pruned() const override { return matcher_->pruned(); }

 private:
  const Scoring scoring_;
  const MatcherPtr matcher_;
  const std::vector<std::uint32_t> named_;
  std::size_t next_ = 0;  // In `named_`: the first that is not before the window.
  const double document_freq_, idf_;
};

/// The pages that another matcher finds, with a share of its score.
class SharedMatcher final : public Matcher {
 public:
  SharedMatcher(MatcherPtr matcher, double share) : matcher_(std::move(matcher)), share_(share) {}

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  std::uint64_t Cost() const override { return matcher_->Cost(); }
  bool ok() const override { return matcher_->ok(); }

 private:
  const MatcherPtr matcher_;
  const double share_;
};

/// The pages that another matcher finds, but only those in some languages.
class LanguageMatcher final : public Matcher {
 public:
  LanguageMatcher(const PageTable* pages, const LanguageSet& languages, MatcherPtr matcher)
      : pages_(pages), languages_(languages), matcher_(std::move(matcher)) {}

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  std::uint64_t Cost() const override { return matcher_->Cost(); }
  bool ok() const override { return matcher_->ok(); }

 private:
  const PageTable* const pages_;
  const LanguageSet languages_;
  const MatcherPtr matcher_;
};

/// Pages for which something holds; without anything, all of them.
class FilterMatcher final : public Matcher {
 public:
  using Predicate = std::function<bool(std::uint32_t)>;
  explicit FilterMatcher(Predicate holds) : holds_(std::move(holds)) {}

  void Visit(std::uint32_t first, const PageSet& among, Matches* matches) override;
  /// More than any words: it is best asked about what these leave.
  std::uint64_t Cost() const override { return std::uint64_t{1} << 40; }

 private:
  const Predicate holds_;
};

/// No page.
class NothingMatcher final : public Matcher {
 public:
  void Visit(std::uint32_t, const PageSet&, Matches* matches) override { matches->pages.Clear(); }
  std::uint64_t Cost() const override { return 0; }
};

}  // namespace crawler

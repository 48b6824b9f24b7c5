#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "index/fields.hpp"
#include "search/page_table.hpp"
#include "search/query.hpp"
#include "search/ranking.hpp"
#include "search/term_cursor.hpp"

namespace crawler {

/// What a word of the query gave a page.
struct ScorePart {
  std::string word;
  std::array<std::uint32_t, kFieldCount> counts = {};  ///< How often, by field.
  double document_freq = 0;
  double idf = 0;
  double weighted_count = 0;  ///< The counts with field weights and lengths; in BM25F.
  double score = 0;
};

/// What scores are computed with.
struct Scoring {
  const PageTable* pages = nullptr;
  Ranking ranking = Ranking::kBm25;
};

/// A part of a query at work: it goes through the pages that match, from the first to the last.
/// Threads: one at a time.
class Matcher {
 public:
  virtual ~Matcher() = default;
  /// The first page from `page` on that matches, or kNoPage. Pages asked for never descend.
  virtual std::uint32_t Advance(std::uint32_t page) = 0;
  /// Whether `page` matches, which is not before one asked for.
  virtual bool Matches(std::uint32_t page) { return Advance(page) == page; }
  /// Of a page that matches, the last one asked for. Adds to `parts` unless null.
  virtual double Score(std::uint32_t page, std::vector<ScorePart>* parts) = 0;
  /// About how many pages match.
  virtual std::uint64_t Cost() const = 0;
  /// Better asked about pages than for them.
  virtual bool is_check() const { return false; }
  virtual bool ok() const { return true; }
};

using MatcherPtr = std::unique_ptr<Matcher>;

/// A term in the pages and in the links to them.
struct TermPair {
  TermCursor text, anchors;

  std::uint64_t document_freq() const {
    return std::max(text.document_freq(), anchors.document_freq());
  }
};

/// One word, as any of several terms: its forms in the languages of the crawl, or what a prefix
/// stands for. They count as one term.
class WordMatcher final : public Matcher {
 public:
  /// Of BM25's idf `share` counts; `vector_idf` is that of TF-IDF.
  WordMatcher(const Scoring& scoring, QueryNode::In in, std::string word,
              std::vector<TermPair> terms, double share, double vector_idf);

  std::uint32_t Advance(std::uint32_t page) override;
  double Score(std::uint32_t page, std::vector<ScorePart>* parts) override;
  std::uint64_t Cost() const override { return cost_; }
  bool ok() const override;

 private:
  bool InTitle(std::uint32_t page) const;
  double QuickScore(std::uint32_t page) const;

  const Scoring scoring_;
  const QueryNode::In in_;
  const std::string word_;
  const bool quick_;
  std::vector<TermPair> terms_;
  std::uint64_t cost_ = 0;
  double document_freq_ = 0, idf_ = 0, vector_idf_ = 0;
  std::uint32_t page_ = 0;
  bool started_ = false;
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

  std::uint32_t Advance(std::uint32_t page) override;
  double Score(std::uint32_t page, std::vector<ScorePart>* parts) override;
  std::uint64_t Cost() const override { return cost_; }
  bool ok() const override;

 private:
  bool StandsAt(std::uint32_t page);

  const Scoring scoring_;
  const QueryNode::In in_;
  std::vector<Term> terms_;
  std::vector<PositionStream> streams_;
  std::uint64_t cost_ = 0;
  std::uint32_t page_ = 0;
  bool started_ = false;
};

/// Pages that all of `required` match and none of `excluded`; `optional` ones add to the score.
class AndMatcher final : public Matcher {
 public:
  AndMatcher(const PageTable& pages, std::vector<MatcherPtr> required,
             std::vector<MatcherPtr> excluded, std::vector<MatcherPtr> optional);

  std::uint32_t Advance(std::uint32_t page) override;
  double Score(std::uint32_t page, std::vector<ScorePart>* parts) override;
  std::uint64_t Cost() const override;
  bool ok() const override;

 private:
  bool Passes(std::uint32_t page);

  std::vector<MatcherPtr> required_, checks_, excluded_, optional_;
  std::uint32_t page_ = 0;
  bool started_ = false;
};

/// Pages that any matches.
class OrMatcher final : public Matcher {
 public:
  explicit OrMatcher(std::vector<MatcherPtr> children) : children_(std::move(children)) {}

  std::uint32_t Advance(std::uint32_t page) override;
  double Score(std::uint32_t page, std::vector<ScorePart>* parts) override;
  std::uint64_t Cost() const override;
  bool ok() const override;

 private:
  std::vector<MatcherPtr> children_;
};

/// Indexed pages for which something holds; without anything, all of them.
class FilterMatcher final : public Matcher {
 public:
  using Predicate = std::function<bool(std::uint32_t)>;
  FilterMatcher(const PageTable& pages, Predicate holds)
      : pages_(pages), holds_(std::move(holds)) {}

  std::uint32_t Advance(std::uint32_t page) override;
  bool Matches(std::uint32_t page) override;
  double Score(std::uint32_t, std::vector<ScorePart>*) override { return 0; }
  std::uint64_t Cost() const override { return pages_.pages(); }
  bool is_check() const override { return true; }

 private:
  const PageTable& pages_;
  const Predicate holds_;
  std::uint32_t found_ = 0;
  bool started_ = false;
};

/// No page.
class NothingMatcher final : public Matcher {
 public:
  std::uint32_t Advance(std::uint32_t) override { return kNoPage; }
  double Score(std::uint32_t, std::vector<ScorePart>*) override { return 0; }
  std::uint64_t Cost() const override { return 0; }
};

}  // namespace crawler

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "index/fields.hpp"

namespace crawler {

/// How pages are put in order; docs/search.md has the formulas.
enum class Ranking : std::uint8_t {
  kBm25,    ///< BM25F times the static part.
  kCosine,  ///< TF-IDF cosine. Wants the indexing phase to be over.
};

/// std::pow(), but quick for the small whole powers that weights have: it is asked for every page.
inline double Power(double base, double power) {
  if (power == 2) return base * base;
  if (power == 3) return base * base * base;
  return std::pow(base, power);
}

/// The numbers in the formulas of docs/search.md. The defaults were chosen by measurement, see
/// bench/search/relevance; only that benchmark uses others.
struct RankingWeights {
  /// The weight of a word in a field, compared with one of the body.
  std::array<double, kFieldCount> field = {1.0, 8.0, 4.0, 4.0, 0.1, 6.0};
  /// BM25F's b: how much of a word's worth depends on how long the field is.
  std::array<double, kFieldCount> length_share = {0.2, 0.2, 0.5, 0.3, 0.0, 0.0};
  /// BM25's k1: how soon more of the same word stops to count.
  double saturation = 4;
  /// The share that the highest static rank adds: a page's score is multiplied with 1 + this *
  /// static rank.
  double static_share = 0.3;
  /// The weight of a stop word beside other words. How many pages have it is not known, since
  /// bodies are not indexed by it; the few that have it in a title would make it look rare.
  double stop_word_share = 0.1;

  /// The loss of pages that lack some words: the score is multiplied with (weight of the words a
  /// page has / weight of all) to this power.
  double missing = 2;
  /// The bonus of two neighbouring words of the query that are neighbours in the page, compared
  /// with the idf of the more frequent one.
  double proximity = 1;

  /// The bonus of a title that consists of words of the query alone, compared with the idf of
  /// these; less as more of the title is something else.
  double exact_title = 4;
  /// How quickly it becomes less: the share of the title that is of the query, to this power.
  double title_power = 3;
  /// Such a title makes up for missing words, by this share.
  double title_forgives = 1;

  /// The bonus of a page with a heading that is the query, compared with the idf of such headings.
  double exact_heading = 1.5;

  /// Changes one by its name, e.g. "title", "title_length", "static_share"; false if there is none.
  bool Set(std::string_view name, double value);

  double Bm25(double idf, double weighted_count) const {
    return idf * (saturation + 1) * weighted_count / (saturation + weighted_count);
  }
  /// `found`: idf² of those words of the query that stand in the title, `all`: of all its words.
  double Title(double found, double all) const {
    return exact_title * std::sqrt(found) * Exactness(found, all);
  }
  /// From 0 to 1: how much of a title is of the query.
  double Exactness(double found, double all) const {
    return found > 0 && all > 0 ? Power(std::min(1.0, found / all), title_power) : 0;
  }
  double StaticFactor(double static_rank) const { return 1 + static_share * static_rank; }
};

inline double Bm25Idf(double pages, double document_freq) {
  const double df = std::min(document_freq, pages);
  return std::log1p((pages - df + 0.5) / (df + 0.5));
}

}  // namespace crawler

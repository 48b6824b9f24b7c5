#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace crawler {

/// How pages are put in order; docs/search.md has the formulas.
enum class Ranking : std::uint8_t {
  kBm25,    ///< BM25F times the static part.
  kCosine,  ///< TF-IDF cosine. Wants the indexing phase to be over.
};

/// BM25's k1: how soon more of the same word stops to count.
inline constexpr double kSaturation = 1.2;
/// What the highest static rank adds: a page's score is multiplied with 1 + this * static rank.
inline constexpr double kStaticShare = 0.1;
/// What a stop word counts beside other words. How many pages have it is not known, since bodies
/// are not indexed by it; the few that have it in a title would make it look rare.
inline constexpr double kStopWordShare = 0.1;

inline double Bm25Idf(double pages, double document_freq) {
  const double df = std::min(document_freq, pages);
  return std::log1p((pages - df + 0.5) / (df + 0.5));
}
inline double Bm25(double idf, double weighted_count) {
  return idf * (kSaturation + 1) * weighted_count / (kSaturation + weighted_count);
}
inline double StaticFactor(double static_rank) { return 1 + kStaticShare * static_rank; }

}  // namespace crawler

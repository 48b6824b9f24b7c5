#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/link_graph.hpp"

namespace crawler {

/// Inverse document frequency as in TF-IDF: ln(pages / pages with the term).
double InverseDocumentFrequency(std::uint64_t pages, std::uint64_t document_freq);

/// How many pages the ready text segments hold.
Result<std::uint64_t> IndexedPages(Database& db);

/// Makes index_terms and the norms of page_weights anew of the text segments, in one transaction.
/// The norm of a page is the length of its vector of (how often a term is in title, headings and
/// body) * idf, its title weight the sum of the squares
/// of the idf of the title's words. `*terms` is how many there are.
Status WriteTerms(Database& db, const std::function<bool()>& stop, std::uint64_t* terms);

/// Writes PageRank and the static rank of every page to page_weights, and its relevance_score to
/// pages: to `topic` the cosine of the topic's words and the page's, without one the static rank.
/// Commits in steps.
Status WriteRanks(Database& db, const UrlPages& urls, const PageRank& ranks, std::string_view topic,
                  const std::function<bool()>& stop);

/// The languages of the indexed pages and how many pages are in each, the most frequent first.
struct IndexLanguage {
  std::string code;
  std::uint64_t pages = 0;
};
Result<std::vector<IndexLanguage>> IndexLanguages(Database& db);

}  // namespace crawler

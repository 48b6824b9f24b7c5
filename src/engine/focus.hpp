#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "index/analyzer.hpp"
#include "index/document.hpp"

namespace crawler {

/// The topic of seeds such as https://example.org/search?q=solar+cells: the values of the
/// parameters q, query and search, in the order of the seeds, each value once. Empty if there are
/// none.
std::string TopicOfSeeds(const std::vector<std::string>& seeds);

/// The relevance of pages and links for the topic of a crawl, estimated while it runs: the
/// frequency of words over all pages is not known yet. The indexing phase computes the final
/// weights. Threads: one at a time; have one for each thread.
class Focus {
 public:
  explicit Focus(std::string topic) : topic_(std::move(topic)) {}

  /// From 0 to 1: the mean over the words of the topic, each worth 1 in the title, and in headings
  /// and body the more the oftener it is there.
  double OfPage(const IndexedDocument& page);
  /// The worth of a link, up to Frontier::kMostWorth: two fifths are the relevance of its page,
  /// two fifths the words of the topic in its text, one fifth those in its URL.
  std::uint16_t OfLink(double page, std::string_view language, std::string_view text,
                       std::string_view url);
  /// The worth of a URL without a link, by the words in it.
  std::uint16_t OfUrl(std::string_view url);

 private:
  // The words of the topic as the language of a page has them.
  const std::vector<std::string>& TermsIn(std::string_view language);
  double Match(std::string_view language, std::string_view text);
  double MatchUrl(std::string_view language, std::string_view url);

  const std::string topic_;
  std::map<std::string, std::vector<std::string>, std::less<>> terms_;
  Analyzer analyzer_;
  std::vector<Token> tokens_;
  std::string words_;
};

}  // namespace crawler

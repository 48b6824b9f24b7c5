#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "index/analyzer.hpp"
#include "index/document.hpp"

namespace crawler {

/// What seeds such as https://example.org/search?q=solar+cells ask for: the words of the parameters
/// q, query and search, one seed after another, each value once. Empty if there are none.
std::string TopicOfSeeds(const std::vector<std::string>& seeds);

/// How much pages and links have to do with the topic of a crawl, as far as one can tell while it
/// goes on: no word is known yet to be rare or common. What pages are worth in the end is weighed
/// in the indexing phase.
/// Threads: one at a time; have one for each thread.
class Focus {
 public:
  explicit Focus(std::string topic) : topic_(std::move(topic)) {}

  /// From 0 to 1: the mean over the words of the topic, each worth 1 in the title, and in headings
  /// and body the more the oftener it is there.
  double OfPage(const IndexedDocument& page);
  /// What a link promises, up to Frontier::kMostWorth: two fifths are the relevance of its page,
  /// two fifths the words of the topic in its text, one fifth those in its URL.
  std::uint16_t OfLink(double page, std::string_view language, std::string_view text,
                       std::string_view url);
  /// The same for a URL that is no link's: the words in it.
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

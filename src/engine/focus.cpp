#include "engine/focus.hpp"

#include <algorithm>
#include <cmath>

#include "frontier/frontier.hpp"
#include "url/percent.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

constexpr double kHalfway = 3;  // A word that is this often in the body counts a half.
constexpr double kHeadingWeight = 3;
constexpr double kPagePart = 0.4, kTextPart = 0.4, kUrlPart = 0.2;

std::uint16_t ToWorth(double part) {
  return static_cast<std::uint16_t>(std::lround(std::clamp(part, 0.0, 1.0) * Frontier::kMostWorth));
}

std::uint32_t CountIn(const FieldCounts& counts, Field field) {
  return counts[static_cast<std::size_t>(field)];
}

}  // namespace

std::string TopicOfSeeds(const std::vector<std::string>& seeds) {
  std::vector<std::string> values;
  Url url;
  for (const std::string& seed : seeds) {
    if (ParseUrl(seed, nullptr, &url) == UrlKind::kInvalid) continue;
    for (const std::string_view name : {"q", "query", "search"}) {
      std::string value = QueryParameter(url.query(), name);
      const bool known = std::find(values.begin(), values.end(), value) != values.end();
      if (!value.empty() && !known) values.push_back(std::move(value));
    }
  }
  std::string topic;
  for (const std::string& value : values) topic.append(topic.empty() ? "" : " ").append(value);
  return topic;
}

const std::vector<std::string>& Focus::TermsIn(std::string_view language) {
  const auto known = terms_.find(language);
  if (known != terms_.end()) return known->second;
  std::vector<std::string>& terms = terms_[std::string(language)];
  analyzer_.Analyze(topic_, language, &tokens_);
  for (const Token& token : tokens_) {
    if (!token.is_stop && !token.is_part) terms.emplace_back(token.term);
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

double Focus::OfPage(const IndexedDocument& page) {
  const std::vector<std::string>& terms = TermsIn(page.language);
  if (terms.empty()) return 0;
  double sum = 0;
  for (const DocumentTerm& term : page.terms) {
    if (!std::binary_search(terms.begin(), terms.end(), page.Term(term))) continue;
    if (CountIn(term.counts, Field::kTitle) > 0) {
      sum += 1;
      continue;
    }
    const double often =
        CountIn(term.counts, Field::kBody) + kHeadingWeight * CountIn(term.counts, Field::kHeading);
    sum += often / (often + kHalfway);
  }
  return std::min(1.0, sum / static_cast<double>(terms.size()));
}

double Focus::Match(std::string_view language, std::string_view text) {
  const std::vector<std::string>& terms = TermsIn(language);
  if (terms.empty() || text.empty()) return 0;
  analyzer_.Analyze(text, language, &tokens_);
  const auto found = std::count_if(terms.begin(), terms.end(), [this](const std::string& term) {
    return std::any_of(tokens_.begin(), tokens_.end(),
                       [&](const Token& token) { return token.term == term; });
  });
  return static_cast<double>(found) / static_cast<double>(terms.size());
}

double Focus::MatchUrl(std::string_view language, std::string_view url) {
  words_.clear();
  AppendUrlWords(url, &words_);
  return Match(language, words_);
}

std::uint16_t Focus::OfLink(double page, std::string_view language, std::string_view text,
                            std::string_view url) {
  return ToWorth(kPagePart * page + kTextPart * Match(language, text) +
                 kUrlPart * MatchUrl(language, url));
}

std::uint16_t Focus::OfUrl(std::string_view url) { return ToWorth(kUrlPart * MatchUrl({}, url)); }

}  // namespace crawler

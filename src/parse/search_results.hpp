#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page.hpp"
#include "parse/extractor.hpp"
#include "url/url.hpp"

namespace crawler {

/// Finds the result links on a page of DuckDuckGo's HTML search, and the marks of its other pages:
/// nothing found, and the question whether a person searches. Advertisements are left out. The
/// findings go to Page::fields; ReadSearchResults() reads them there.
class SearchResultLinks final : public Extractor {
 public:
  void Begin() override { in_advertisement_ = false; }
  void OnStartTag(const StartTag& tag, ExtractorOutput& out) override;

 private:
  bool in_advertisement_ = false;
};

/// A page of search results.
struct SearchResults {
  /// The http and https URLs in the order of the page, each once; links that go through the search
  /// engine (/l/?uddg=…) are unwrapped.
  std::vector<std::string> urls;
  bool empty = false;       ///< The page says that there is nothing.
  bool challenged = false;  ///< The page asks to prove that a person searches.
};

/// `page` was read with SearchResultLinks from `url`.
SearchResults ReadSearchResults(const Page& page, const Url& url);

}  // namespace crawler

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "fetch/context.hpp"
#include "model/fetch_result.hpp"
#include "parse/document_reader.hpp"
#include "robots/robots_record.hpp"
#include "url/url.hpp"

namespace crawler {

struct VisitOptions {
  /// Ask robots.txt first, and do as it says. Default: yes.
  bool obey_robots = true;
  /// Redirects to follow; robots.txt is asked for each of them. Default: none.
  std::size_t max_redirects = 0;
  /// Read the response as a sitemap, whatever its type. Default: no.
  bool as_sitemap = false;
  /// Extractors of further fields of an HTML page. Default: MetaFields.
  std::vector<ExtractorFactory> extractors;
};

/// The visit of one page, from its URL to its text.
struct PageVisit {
  /// The decision of robots.txt about the last URL.
  struct Robots {
    bool asked = false;
    std::string url;  ///< Of the robots.txt.
    /// Why there is no usable response, which refuses everything; kNone if there is one.
    FetchFailure failure = FetchFailure::kNone;
    std::string message;  ///< The same for people.
    int status = 0;       ///< Of its response; 0 if there was none.
    bool allowed = true;
    int line = 0;      ///< Of the rule that decided; 0 if none did.
    std::string rule;  ///< The text of that line, or why there is none.
    std::optional<std::chrono::milliseconds> crawl_delay;
    std::vector<std::string> sitemaps;
  };
  Robots robots;

  /// Whether the page was asked for: robots.txt may have refused.
  bool fetched = false;
  FetchResult fetch;
  std::vector<std::string> redirected_from;

  /// With the <meta> elements of an HTML page in Page::fields.
  Document document;
};

/// Visits one page politely: robots.txt first, through the same fetcher and guard, then the page,
/// then its contents. Failures of the web are in the result; a Status is for failures of ours.
/// Requires: url.followable().
Result<PageVisit> VisitPage(const std::shared_ptr<const FetchContext>& context, Url url,
                            const VisitOptions& options);

}  // namespace crawler

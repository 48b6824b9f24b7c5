#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "model/fetch_result.hpp"
#include "model/page.hpp"
#include "parse/charset.hpp"
#include "parse/html_extractor.hpp"
#include "parse/sitemap.hpp"
#include "url/normalize.hpp"

namespace crawler {

/// The content of a response, in `page` or in `sitemap`.
struct Document {
  enum class Kind { kNone, kHtml, kText, kSitemap };
  Kind kind = Kind::kNone;
  std::string media_type;  ///< "text/html", …; empty if the response does not say.
  CharsetGuess charset;
  Page page;
  Sitemap sitemap;
};

/// How the pages of a crawl are read: as `product`, its name in robots.txt, may read them.
ExtractOptions ToExtractOptions(std::string_view product, const NormalizeOptions& normalize);

/// Turns responses into documents: charset, then links and text, or the entries of a sitemap or
/// feed. Any bytes give a document. Reuses its memory for the next document.
/// Threads: one at a time; have one for each thread.
class DocumentReader {
 public:
  /// `max_text`: bytes of a document in UTF-8. `sitemaps`: of each.
  DocumentReader(ExtractOptions options, std::size_t max_text, SitemapLimits sitemaps = {});

  /// The robots directives in `headers` for our name.
  RobotsDirectives RobotsOf(const HeaderBlock& headers) const;
  /// Reads `response` into `*document`.
  void Read(const FetchResult& response, Document* document);
  /// The same for a response that was asked for as a sitemap, whatever its type.
  void ReadSitemap(const FetchResult& response, Document* document);
  /// Gives back the memory that it keeps from page to page.
  void Trim();

 private:
  const std::string robots_agent_;
  const std::size_t max_kept_text_;  // Of a page; the extractor has the same limit.
  const ExtractOptions extract_;
  std::unique_ptr<HtmlExtractor> extractor_;
  const std::size_t max_text_;
  const SitemapLimits sitemap_limits_;
  std::string buffer_;
};

}  // namespace crawler

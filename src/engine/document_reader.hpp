#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "index/document.hpp"
#include "model/fetch_result.hpp"
#include "model/page.hpp"
#include "parse/charset.hpp"
#include "parse/html_extractor.hpp"
#include "parse/sitemap.hpp"
#include "url/normalize.hpp"

namespace crawler {

/// What a response turned out to be; its contents are in `page`, or in `sitemap`.
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

/// What the index is to know of a page that came with `headers`, crawled at `crawled_at` (ms since
/// 1970). Points into all of them.
DocumentSource ToDocumentSource(const Page& page, std::string_view url, const HeaderBlock& headers,
                                std::int64_t crawled_at);

/// Turns responses into documents: charset, then links and text, or the entries of a sitemap or
/// feed. Any bytes give a document. Keeps its memory from one to the next.
/// Threads: one at a time; have one for each thread.
class DocumentReader {
 public:
  /// `max_text`: bytes of a document in UTF-8.
  DocumentReader(ExtractOptions options, std::size_t max_text);

  /// What `headers` say to robots of our name.
  RobotsDirectives RobotsOf(const HeaderBlock& headers) const;
  /// Overwrites `*document` with what `response` holds.
  void Read(const FetchResult& response, Document* document);
  /// The same for a response that was asked for as a sitemap, whatever its type.
  void ReadSitemap(const FetchResult& response, Document* document);

 private:
  const std::string robots_agent_;
  const std::size_t max_kept_text_;  // Of a page; the extractor has the same limit.
  HtmlExtractor extractor_;
  const std::size_t max_text_;
  std::string buffer_;
};

}  // namespace crawler

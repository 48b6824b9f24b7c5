#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "engine/focus.hpp"
#include "engine/link_offers.hpp"
#include "engine/sitemap_budget.hpp"
#include "engine/url_text.hpp"
#include "index/document.hpp"
#include "model/fetch_result.hpp"
#include "model/page.hpp"
#include "parse/document_reader.hpp"
#include "store/rows.hpp"
#include "store/warc_digest.hpp"

namespace crawler {

/// How the pages of a crawl are read.
struct PageReaderOptions {
  ExtractOptions extract;
  std::size_t max_text = 0;  ///< Bytes of a document in UTF-8.
  SitemapLimits sitemaps;
  bool index = false;  ///< Documents are made for the index.
  /// Set: the crawl goes by relevance to this topic, and links are weighed.
  std::optional<std::string> topic;
};

/// The content of a page as received.
struct PageContent {
  Sha256Digest digest{};            ///< Of the decoded body.
  bool payload_is_content = false;  ///< The archived payload has the same digest.
};

/// The result of reading a response that was asked for as a sitemap.
struct SitemapResult {
  VisitOutcome outcome = VisitOutcome::kSitemap;  ///< kUnwanted if it is no sitemap.
  std::string detail;                             ///< For people.
  std::string limit;  ///< The limit that left entries out, for people; empty if none did.
};

/// A sitemap that is read: which one, and what it may cost.
struct SitemapSource {
  std::uint32_t depth = 0;  ///< Sitemap indexes between robots.txt and the file.
  HostId host = 0;          ///< Host of the file.
  SitemapBudget& budget;
};

/// The links of a stored page, with its names for messages.
struct LinksOfStoredPage {
  std::string_view json;  ///< PageRow::links.
  std::string_view url;   ///< Of the page.
  std::string_view catalogue;
};

/// The parts of a page that are indexed. `headers`: of its response; `crawled_at`: milliseconds
/// since 1970. The result points into the arguments.
DocumentSource ToDocumentSource(const Page& page, std::string_view url, const HeaderBlock& headers,
                                std::int64_t crawled_at);

/// Reads pages, sitemaps and feeds: links go to a LinkOffers, text to an IndexedDocument.
/// Any bytes can be read. Keeps its memory from page to page.
///
///     ReadPage -> [BuildDocument] -> [WeighLinks]
///
/// Threads: one at a time; have one for each thread.
class PageReader {
 public:
  explicit PageReader(PageReaderOptions options);

  /// Reads the page in `result`, found `depth` links from a seed, and adds its links to `*offers`.
  /// The links of a feed or sitemap that was linked like a page are its entries. document() must
  /// not change until `offers` is cleared.
  PageContent ReadPage(const FetchResult& result, std::uint32_t depth, LinkOffers* offers);

  /// The document that ReadPage() or ReadSitemap() has read last.
  const Document& document() const { return document_; }

  /// The document of the page that was read last; null if it is not to be indexed.
  std::unique_ptr<IndexedDocument> BuildDocument(std::string_view url, const FetchResult& result);

  /// Whether the crawl goes by relevance.
  bool weighs_links() const { return focus_ != nullptr; }
  /// Weighs the links of the page that was read last. `document` may be null. Requires:
  /// weighs_links().
  void WeighLinks(const IndexedDocument* document, LinkOffers* offers);

  /// Reads the sitemap file in `result`, and adds as many of its entries to `*offers` as the budget
  /// of its host leaves.
  SitemapResult ReadSitemap(const FetchResult& result, const SitemapSource& source,
                            LinkOffers* offers);

  /// Adds the links of a stored page that was not sent again to `*offers`; `headers` are those of
  /// the 304. kCorruption if the links are damaged; those before the damage are added.
  Status ReadStoredLinks(const LinksOfStoredPage& links, const HeaderBlock& headers,
                         std::uint32_t depth, const UrlTextLookup& text_of,
                         LinkOffers* offers) const;

  /// Gives back the memory that a large page took. document() is empty then.
  void Trim();

  /// The robots directives in `headers` for our name.
  RobotsDirectives RobotsOf(const HeaderBlock& headers) const { return reader_.RobotsOf(headers); }

 private:
  DocumentReader reader_;
  const bool index_;
  std::unique_ptr<Focus> focus_;  // Only of a crawl that goes by relevance.
  DocumentBuilder documents_;
  Hasher hasher_;
  Document document_;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/headers.hpp"
#include "model/page.hpp"
#include "parse/extractor.hpp"
#include "parse/scan.hpp"
#include "url/normalize.hpp"
#include "url/query_encoder.hpp"
#include "url/url.hpp"

namespace crawler {

struct ExtractOptions {
  /// Read <noscript> as a browser with scripts does: as invisible text. Default: no; the links and
  /// the text in <noscript> count.
  bool scripting = false;
  /// The product token that directives to particular robots are compared with. Default: none.
  std::string robots_agent;
  /// How the URLs of links are normalised. Default: that of NormalizeOptions.
  NormalizeOptions normalize;

  /// Links kept per page; the first ones. Default: 50,000.
  std::size_t max_links = 50'000;
  /// Bytes of the reference of a link; longer references (mostly images in data: URLs) are left
  /// out. With a longer base URL, all relative references are left out. Default: 8 KiB.
  std::size_t max_href_bytes = 8 * 1024;
  /// Bytes of all links, as written and as URLs; links beyond are left out. With a long base many
  /// short links become many long URLs. Default: 16 MiB.
  std::size_t max_links_bytes = 16 * 1024 * 1024;
  /// Bytes of text kept of one page. Default: 8 MiB.
  std::size_t max_text_bytes = 8 * 1024 * 1024;
  /// Bytes of the text kept with one <a>. Default: 256.
  std::size_t max_anchor_bytes = 256;
  /// Bytes of the title and of the description, each. Default: 2 KiB.
  std::size_t max_title_bytes = 2 * 1024;
  /// Alternates kept of one page. Default: 256.
  std::size_t max_alternates = 256;

  /// Extractors of further links and fields, e.g. MetaFields; see extractor.hpp. Default: none.
  std::vector<ExtractorFactory> extractors;
  /// Fields kept of one page, and bytes of the name and of the value of each. Default: 256, 2 KiB.
  std::size_t max_fields = 256;
  std::size_t max_field_bytes = 2 * 1024;

  /// The instructions to scan with; for tests and benchmarks. Default: the best there are.
  Isa isa = BestIsa();
};

/// Makes a Page of an HTML document: links, text, title and the rest, without building a tree.
/// There are no errors: any bytes give a page, in time linear in their number.
/// Keeps its memory: after some pages nothing is allocated but what the Page itself grows by.
/// Threads: one thread at a time; each thread needs an extractor of its own.
class HtmlExtractor {
 public:
  explicit HtmlExtractor(ExtractOptions options = {});
  ~HtmlExtractor();
  HtmlExtractor(HtmlExtractor&&) noexcept;
  HtmlExtractor& operator=(HtmlExtractor&&) noexcept;

  /// Data that comes with a document besides its text. Both may be null.
  struct Context {
    const HeaderBlock* headers = nullptr;         ///< Link, X-Robots-Tag, Content-Language.
    const QueryEncoder* query_encoder = nullptr;  ///< For documents that were not UTF-8.
  };

  /// Overwrites `*page` with the content of `html` (UTF-8; other bytes pass through). `url` is the
  /// URL of the document, after redirects.
  void Extract(std::string_view html, const Url& url, const Context& context, Page* page);
  void Extract(std::string_view html, const Url& url, Page* page) {
    Extract(html, url, Context{}, page);
  }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace crawler

#include "parse/document_reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/release.hpp"
#include "parse/page_values.hpp"
#include "url/query_encoder.hpp"

namespace crawler {
namespace {

bool IsXml(std::string_view media_type) {
  return media_type.ends_with("/xml") || media_type.ends_with("+xml");
}

std::string_view ContentType(const FetchResult& response) {
  return response.headers.Find("Content-Type").value_or("");
}

}  // namespace

ExtractOptions ToExtractOptions(std::string_view product, const NormalizeOptions& normalize) {
  ExtractOptions options;
  options.robots_agent = product;
  options.normalize = normalize;
  return options;
}

DocumentReader::DocumentReader(ExtractOptions options, std::size_t max_text, SitemapLimits sitemaps)
    : robots_agent_(options.robots_agent),
      max_kept_text_(options.max_text_bytes),
      extract_(std::move(options)),
      extractor_(std::make_unique<HtmlExtractor>(extract_)),
      max_text_(max_text),
      sitemap_limits_(sitemaps) {}

RobotsDirectives DocumentReader::RobotsOf(const HeaderBlock& headers) const {
  RobotsDirectives robots;
  for (const std::string_view value : headers.FindAll("X-Robots-Tag")) {
    robots |= ParseXRobotsTag(value, robots_agent_);
  }
  return robots;
}

// Feeds and sitemaps come as XML or text; all other types are read as HTML, as browsers do.
void DocumentReader::Read(const FetchResult& response, Document* document) {
  const std::string_view content_type = ContentType(response);
  const std::string_view body = response.body();
  document->kind = Document::Kind::kNone;
  document->media_type = MediaTypeEssence(content_type);
  document->page.Clear();
  document->page.robots = RobotsOf(response.headers);
  document->charset = {};
  if (body.empty()) return;

  const std::string& media_type = document->media_type;
  const bool is_text = media_type == "text/plain";
  const bool is_xml = IsXml(media_type);
  if (is_xml && media_type != "application/xhtml+xml") {
    ReadSitemap(response, document);
    if (document->kind == Document::Kind::kSitemap) return;
  }
  document->charset = is_text || is_xml ? SniffXmlCharset(body, content_type)
                                        : SniffHtmlCharset(body, content_type);
  const std::size_t most = is_text ? std::min(max_text_, max_kept_text_) : max_text_;
  const Utf8Text text = ToUtf8(body, document->charset.charset, buffer_, most);
  if (is_text) {
    document->page.text = text.text;
    document->kind = Document::Kind::kText;
    return;
  }
  const auto query_encoder = QueryEncoder::ForEncoding(CharsetName(document->charset.charset));
  extractor_->Extract(text.text, response.url, {&response.headers, query_encoder.get()},
                      &document->page);
  document->kind = Document::Kind::kHtml;
}

void DocumentReader::Trim() {
  Release(buffer_);
  extractor_ = std::make_unique<HtmlExtractor>(extract_);
}

void DocumentReader::ReadSitemap(const FetchResult& response, Document* document) {
  document->kind = Document::Kind::kNone;
  document->sitemap =
      ParseSitemap(response.body(), ContentType(response), response.url, sitemap_limits_);
  if (document->sitemap.kind != SitemapKind::kUnknown) document->kind = Document::Kind::kSitemap;
}

}  // namespace crawler

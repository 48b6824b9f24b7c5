#include "parse/html_extractor.hpp"

#include <utility>
#include <vector>

#include "parse/document_handler.hpp"
#include "parse/page_values.hpp"
#include "url/link_resolver.hpp"

namespace crawler {

class HtmlExtractor::Impl {
 public:
  explicit Impl(ExtractOptions options)
      : options_(std::move(options)),
        scanner_(options_.isa),
        handler_(options_, scanner_),
        resolver_(options_.normalize) {}

  void Extract(std::string_view html, const Url& url, const Context& context, Page* page) {
    page->Clear();
    handler_.Read(html, page);
    SetBase(url, context.query_encoder, page);
    ResolveLinks(page);
    ResolveRelations(page);
    if (context.headers != nullptr) ReadHeaders(*context.headers, url, page);
  }

 private:
  void SetBase(const Url& url, const QueryEncoder* query_encoder, Page* page) {
    const Url* base = &url;
    // A base that is no URL, or that the standard forbids, does not count.
    if (handler_.has_base() && ParseUrl(handler_.base_href(), &url, &base_) != UrlKind::kInvalid &&
        base_.scheme() != "data" && base_.scheme() != "javascript") {
      base = &base_;
      if (base_.href().size() > options_.max_href_bytes) {
        base_.Clear();  // With no base, what is relative is no URL.
        page->links_truncated = true;
      }
    }
    page->base_url.assign(base->href());
    resolver_.Reset(*base, query_encoder);
    first_hrefs_.clear();
  }

  void ResolveLinks(Page* page) {
    page->links.reserve(handler_.links().size());
    for (const DocumentHandler::RawLink& raw : handler_.links()) {
      if (!HasRoom(page)) return;
      const std::string_view href = handler_.Href(raw);
      const LinkResolver::Link target = resolver_.Resolve(href);
      if (target.url->kind() == UrlKind::kInvalid) continue;
      Link& link = AddLink(target, href, page);
      link.source = raw.source;
      link.rel = raw.rel;
      link.text = {raw.text_begin, raw.text_end - raw.text_begin};
    }
  }

  // Whether one more link may be kept.
  bool HasRoom(Page* page) const {
    if (page->links.size() < options_.max_links && page->strings.size() < options_.max_links_bytes)
      return true;
    page->links_truncated = true;
    return false;
  }

  // The first link to a target brings the target, and the rest share its href if it is theirs.
  Link& AddLink(const LinkResolver::Link& target, std::string_view href, Page* page) {
    if (target.first) {
      first_hrefs_.push_back(Store(href, page));
      page->targets.push_back({Store(target.url->href(), page), *target.url});
    }
    Link& link = page->links.emplace_back();
    link.kind = target.url->kind();
    link.target = target.number;
    link.href = first_hrefs_[target.number];
    if (page->Href(link) != href) link.href = Store(href, page);
    return link;
  }

  void ResolveRelations(Page* page) {
    for (const DocumentHandler::RawRelation& relation : handler_.relations()) {
      if (!HasRoom(page)) return;
      const std::string_view href = handler_.Href(handler_.links()[relation.link]);
      const Url& url = *resolver_.Resolve(href).url;
      AddRelation(url, relation.canonical, relation.alternate, relation.hreflang, relation.type,
                  page);
    }
  }

  void AddRelation(const Url& url, bool canonical, bool alternate, std::string_view hreflang,
                   std::string_view type, Page* page) {
    if (!url.followable()) return;
    if (canonical && page->canonical.empty()) page->canonical.assign(url.href());
    if (alternate && page->alternates.size() < options_.max_alternates) {
      page->alternates.push_back(
          {std::string(hreflang), std::string(type), std::string(url.href())});
    }
  }

  void ReadHeaders(const HeaderBlock& headers, const Url& url, Page* page) {
    for (const std::string_view value : headers.FindAll("x-robots-tag")) {
      page->robots |= ParseXRobotsTag(value, options_.robots_agent);
    }
    if (page->language.empty()) {
      const std::string_view language = headers.Find("content-language").value_or("");
      page->language.assign(language.substr(0, 64));
    }
    for (const std::string_view value : headers.FindAll("link")) {
      for (const LinkHeaderValue& header : ParseLinkHeader(value)) AddHeaderLink(header, url, page);
    }
  }

  // Relative to the document itself, not to its base (RFC 8288, 3.1 and 3.2).
  void AddHeaderLink(const LinkHeaderValue& header, const Url& url, Page* page) {
    if (!HasRoom(page)) return;
    if (header.target.size() > options_.max_href_bytes) {
      page->links_truncated = true;
      return;
    }
    if (ParseUrl(header.target, &url, &header_url_) == UrlKind::kInvalid) return;
    NormalizeUrl(&header_url_, options_.normalize);
    const std::uint32_t rel = ParseRel(header.rel);
    const LinkResolver::Link target = resolver_.Resolve(header_url_.href());
    if (target.url->kind() == UrlKind::kInvalid) return;  // Became too long for a URL.
    Link& link = AddLink(target, header.target, page);
    link.source = LinkSource::kHeaderLink;
    link.rel = rel;
    if (header.has_anchor) return;  // It says something about another page.
    AddRelation(header_url_, (rel & kRelCanonical) != 0, (rel & kRelAlternate) != 0,
                header.hreflang, header.type, page);
  }

  static PageSlice Store(std::string_view text, Page* page) {
    const PageSlice slice{static_cast<std::uint32_t>(page->strings.size()),
                          static_cast<std::uint32_t>(text.size())};
    page->strings.append(text);
    return slice;
  }

  const ExtractOptions options_;
  const Scanner scanner_;
  DocumentHandler handler_;
  LinkResolver resolver_;
  Url base_;
  Url header_url_;
  std::vector<PageSlice> first_hrefs_;  // Of the page's targets.
};

HtmlExtractor::HtmlExtractor(ExtractOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
HtmlExtractor::~HtmlExtractor() = default;
HtmlExtractor::HtmlExtractor(HtmlExtractor&&) noexcept = default;
HtmlExtractor& HtmlExtractor::operator=(HtmlExtractor&&) noexcept = default;

void HtmlExtractor::Extract(std::string_view html, const Url& url, const Context& context,
                            Page* page) {
  impl_->Extract(html, url, context, page);
}

}  // namespace crawler

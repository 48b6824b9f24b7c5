#include "engine/page_reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/release.hpp"
#include "fetch/http_fields.hpp"
#include "index/link_graph.hpp"

namespace crawler {
namespace {

constexpr std::uint32_t kMaxSitemapNesting = 3;

std::string DescribeSitemap(const Sitemap& sitemap) {
  std::string text = std::string(SitemapKindName(sitemap.kind)) + " with " +
                     std::to_string(sitemap.entries.size()) + " entries";
  if (!sitemap.problem.empty()) text += "; " + sitemap.problem;
  return text;
}

}  // namespace

DocumentSource ToDocumentSource(const Page& page, std::string_view url, const HeaderBlock& headers,
                                std::int64_t crawled_at) {
  DocumentSource source;
  source.url = url;
  source.title = page.title;
  source.text = page.text;
  source.headings = page.headings;
  source.link_blocks = page.link_blocks;
  source.language_hint = page.language;
  source.date = crawled_at;
  if (const auto modified = headers.Find("Last-Modified")) {
    if (const std::optional<WallTime> date = ParseHttpDate(*modified)) {
      // RFC 9110, 8.8.2.1: no later than the answer.
      source.date = std::min<std::int64_t>(ToMilliseconds(*date), crawled_at);
    }
  }
  return source;
}

PageReader::PageReader(PageReaderOptions options)
    : reader_(std::move(options.extract), options.max_text, options.sitemaps),
      index_(options.index),
      hasher_(DigestAlgorithm::kSha256) {
  if (options.topic) focus_ = std::make_unique<Focus>(*std::move(options.topic));
}

PageContent PageReader::ReadPage(const FetchResult& result, std::uint32_t depth,
                                 LinkOffers* offers) {
  reader_.Read(result, &document_);
  if (document_.kind == Document::Kind::kSitemap) {
    const bool nofollow = document_.page.robots.nofollow;
    for (const SitemapEntry& entry : document_.sitemap.entries) {
      offers->AddLink(entry.url, depth + 1, nofollow, 0);
    }
  } else {
    offers->AddLinks(document_.page, depth + 1);
  }
  return {Sha256Of(hasher_, result.body()), result.body_is_raw && !result.chunked};
}

std::unique_ptr<IndexedDocument> PageReader::BuildDocument(std::string_view url,
                                                           const FetchResult& result) {
  const Page& page = document_.page;
  if (!index_ || page.robots.noindex) return nullptr;
  auto document = std::make_unique<IndexedDocument>();
  const std::int64_t crawled_at = ToMilliseconds(result.started);
  documents_.Build(ToDocumentSource(page, url, result.headers, crawled_at), document.get());
  return document;
}

void PageReader::Trim() {
  Release(document_);
  reader_.Trim();
  documents_.Trim();
}

void PageReader::WeighLinks(const IndexedDocument* document, LinkOffers* offers) {
  const double relevance = document == nullptr ? 0 : focus_->OfPage(*document);
  const std::string_view language =
      document == nullptr ? std::string_view() : std::string_view(document->language);
  offers->Weigh(*focus_, document_.page, language, relevance);
}

SitemapResult PageReader::ReadSitemap(const FetchResult& result, const SitemapSource& source,
                                      LinkOffers* offers) {
  source.budget.AddBytes(source.host, result.body().size());
  reader_.ReadSitemap(result, &document_);
  if (document_.kind == Document::Kind::kNone)
    return {VisitOutcome::kUnwanted, "not a sitemap", {}};
  const Sitemap& sitemap = document_.sitemap;
  SitemapResult read{VisitOutcome::kSitemap, DescribeSitemap(sitemap), {}};
  const bool is_index = sitemap.kind == SitemapKind::kIndex;
  if (is_index && source.depth >= kMaxSitemapNesting) {
    read.detail += "; nested too deeply to be read";
    return read;
  }
  const std::size_t all = sitemap.entries.size();
  const std::size_t taken = is_index ? source.budget.TakeFiles(source.host, all)
                                     : source.budget.TakeEntries(source.host, all);
  if (taken < all) {
    read.limit = is_index ? source.budget.FileLimit() : source.budget.EntryLimit();
    read.detail +=
        "; " + std::to_string(all - taken) + " left out, beyond the limit of " + read.limit;
  }
  for (std::size_t i = 0; i < taken; ++i) {
    const std::string& url = sitemap.entries[i].url;
    if (is_index) {
      offers->Add(url, Via::kSitemapFile, source.depth + 1);
    } else {
      offers->Add(url, Via::kSitemapEntry, 1);
    }
  }
  if (focus_ != nullptr) offers->Weigh(*focus_, document_.page, {}, 0);
  return read;
}

Status PageReader::ReadStoredLinks(const LinksOfStoredPage& links, const HeaderBlock& headers,
                                   std::uint32_t depth, const UrlTextLookup& text_of,
                                   LinkOffers* offers) const {
  const bool nofollow = reader_.RobotsOf(headers).nofollow;
  LinkListReader reader(links.json.empty() ? "[]" : links.json);
  LinkListReader::Link link;
  while (reader.Next(&link)) {
    const Result<std::string> target = text_of(link.to);
    if (!target.ok()) return target.status();
    offers->AddLink(*target, depth + 1, link.nofollow || nofollow, link.worth);
  }
  if (!reader.damaged()) return {};
  std::string message(links.catalogue);
  message.append(": the links of ").append(links.url).append(" are damaged");
  return Status(StatusCode::kCorruption, std::move(message));
}

}  // namespace crawler

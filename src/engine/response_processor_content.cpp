// What is made of a response that came: a page with its links, a sitemap, an archived capture.
#include <chrono>
#include <utility>

#include "engine/response_processor.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

constexpr std::uint32_t kMaxSitemapNesting = 3;

// Whether what the archive has of the page already is the payload, or stands for it.
bool IsRevisit(const FetchedUrl& fetched, const VisitRow& visit, const CaptureDetails& details) {
  if (visit.outcome != VisitOutcome::kUnchanged || !fetched.known->archived) return false;
  if (fetched.result.status == 304) return true;
  const std::optional<std::string>& stored = fetched.known->payload_hash;
  if (!stored) return false;
  const Sha256Digest& payload = *details.payload_digest;
  if (!stored->empty()) {
    return *stored ==
           std::string_view(reinterpret_cast<const char*>(payload.data()), payload.size());
  }
  std::string hex;
  AppendHex(payload, &hex);
  return hex == fetched.known->content_hash;
}

}  // namespace

void ResponseProcessor::ReadPage(const FetchedUrl& fetched, CommitBatch* change) {
  reader_.Read(fetched.result, &document_);
  if (document_.kind == Document::Kind::kSitemap) {
    // A feed or sitemap that was linked like a page: its entries are its links.
    const bool nofollow = document_.page.robots.nofollow;
    for (const SitemapEntry& entry : document_.sitemap.entries) {
      offers_.AddLink(entry.url, fetched.url.depth + 1, nofollow, 0);
    }
  } else {
    offers_.AddLinks(document_.page, fetched.url.depth + 1);
  }
  crawl_.counters.links.fetch_add(offers_.candidates().size());
  hasher_.Update(fetched.result.body());
  const Sha256Digest digest = FinishSha256(hasher_);
  const bool payload_is_content = fetched.result.body_is_raw && !fetched.result.chunked;
  const Sha256Digest* const payload = payload_is_content ? &digest : nullptr;
  const bool same = SameAsStored(fetched, digest);
  if (!same || focus_ != nullptr) BuildDocument(fetched, change);
  if (focus_ != nullptr) WeighLinks(*change);
  if (same) {
    change->document = nullptr;
    change->visits.front().outcome = VisitOutcome::kUnchanged;
    KeepPage(fetched, payload, change);
    return;
  }

  std::optional<ContentIndex::First> first;
  if (!fetched.result.body().empty()) first = crawl_.contents.Find(digest);
  Archive(fetched, true, payload, change);
  Register(fetched.url.id, change);
  AddPage(fetched, digest, first, change);
  // Only now: a page that is called the first of its content must be written before the others.
  if (fetched.result.body().empty()) return;
  const ContentIndex::First here{fetched.url.id,
                                 static_cast<std::uint32_t>(change->visits.front().at / 1000)};
  if (!first) crawl_.contents.Add(digest, here);
  if (crawl_.options.warc) crawl_.payloads.Add(change->capture.payload_digest, here);
}

void ResponseProcessor::BuildDocument(const FetchedUrl& fetched, CommitBatch* change) {
  const Page& page = document_.page;
  if (!crawl_.options.index || page.robots.noindex) return;
  change->document = std::make_unique<IndexedDocument>();
  documents_.Build(
      ToDocumentSource(page, fetched.url.url, fetched.result.headers, change->visits.front().at),
      change->document.get());
}

void ResponseProcessor::WeighLinks(const CommitBatch& change) {
  const double relevance = change.document == nullptr ? 0 : focus_->OfPage(*change.document);
  offers_.Weigh(*focus_, document_.page,
                change.document == nullptr ? std::string_view() : change.document->language,
                relevance);
}

void ResponseProcessor::AddPage(const FetchedUrl& fetched, const Sha256Digest& digest,
                                const std::optional<ContentIndex::First>& first,
                                CommitBatch* change) {
  const HeaderBlock& headers = fetched.result.headers;
  const Page& page = document_.page;
  PageRow& row = change->page.emplace();
  row.url_id = fetched.url.id;
  row.url = fetched.url.url;
  row.domain = fetched.result.url.host();
  row.title = page.title;
  row.description = page.description;
  AppendHex(digest, &row.content_hash);
  row.status = fetched.result.status;
  row.crawled_at = change->visits.front().at;
  row.last_modified = headers.Find("Last-Modified").value_or("");
  row.etag = headers.Find("ETag").value_or("");
  row.depth = fetched.url.depth;
  row.score = fetched.lease.score;
  row.size = fetched.result.body().size();
  row.content_type = document_.media_type;
  row.charset = CharsetName(document_.charset.charset);
  row.language = page.language;
  row.canonical = page.canonical;
  row.noindex = page.robots.noindex;
  row.nofollow = page.robots.nofollow;
  row.truncated = TruncationName(fetched.result.truncated);
  if (first && first->url != fetched.url.id) row.duplicate_of = first->url;
  row.links = offers_.LinksJson(page, registration_.ids);
  if (!change->capture.members.empty()) {
    const Sha256Digest& payload = change->capture.payload_digest;
    row.payload_hash.emplace();
    if (payload != digest) row.payload_hash->assign(payload.begin(), payload.end());
  }
}

void ResponseProcessor::ReportPage(const FetchedUrl& fetched, const CommitBatch& change) {
  const CrawlCallbacks& callbacks = crawl_.callbacks;
  if (callbacks.on_edge) {
    const std::vector<UrlCandidate>& candidates = offers_.candidates();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      callbacks.on_edge(fetched.url.url, candidates[i].url, offers_.nofollow(i));
    }
  }
  if (!callbacks.on_page) return;
  CrawledPage page;
  page.url = change.page->url;
  page.title = change.page->title;
  page.text = document_.page.text;
  page.body = fetched.result.body();
  page.content_type = change.page->content_type;
  page.status = change.page->status;
  page.depth = static_cast<int>(change.page->depth);
  page.score = static_cast<double>(change.page->score) / 100;
  page.size = change.page->size;
  callbacks.on_page(page);
}

void ResponseProcessor::ReadSitemapFile(const FetchedUrl& fetched, ResponseClass* judgement) {
  judgement->kind = Kind::kDone;
  judgement->outcome = VisitOutcome::kSitemap;
  reader_.ReadSitemap(fetched.result, &document_);
  const Sitemap& sitemap = document_.sitemap;
  if (document_.kind == Document::Kind::kNone) {
    judgement->outcome = VisitOutcome::kUnwanted;
    judgement->detail = "not a sitemap";
    return;
  }
  judgement->detail = std::string(SitemapKindName(sitemap.kind)) + " with " +
                      std::to_string(sitemap.entries.size()) + " entries";
  if (!sitemap.problem.empty()) judgement->detail += "; " + sitemap.problem;
  const bool is_index = sitemap.kind == SitemapKind::kIndex;
  if (is_index && fetched.url.depth >= kMaxSitemapNesting) {
    judgement->detail += "; nested too deeply to be read";
    return;
  }
  for (const SitemapEntry& entry : sitemap.entries) {
    if (is_index) {
      offers_.Add(entry.url, Via::kSitemapFile, fetched.url.depth + 1);
    } else {
      offers_.Add(entry.url, Via::kSitemapEntry, 1);
    }
  }
  if (focus_ != nullptr) offers_.Weigh(*focus_, document_.page, {}, 0);
}

// Valid until the next call. Pages that are fetched in a row often come from the same one.
std::string_view ResponseProcessor::TextOf(UrlId from) {
  if (from != last_from_) {
    last_from_ = from;
    last_from_text_.clear();
    if (from != 0) {
      Result<UrlRow> row = crawl_.registry->Find(from, urls_);
      if (row.ok()) last_from_text_ = std::move(row->url);
    }
  }
  return last_from_text_;
}

void ResponseProcessor::Archive(const FetchedUrl& fetched, bool is_page,
                                const Sha256Digest* payload, CommitBatch* change) {
  if (!crawl_.options.warc || fetched.result.headers.empty()) return;
  CaptureDetails details;
  details.depth = fetched.url.depth;
  details.payload_digest = payload;
  details.via = TextOf(fetched.url.from);
  std::string original;
  // Of payloads, not of contents: the same page may come gzipped one time and plain another.
  Sha256Digest computed;
  std::optional<ContentIndex::First> first;
  if (is_page) {
    if (payload == nullptr) {
      computed = encoder_.PayloadDigest(fetched.result);
      details.payload_digest = &computed;
    }
    first = crawl_.payloads.Find(*details.payload_digest);
  }
  const std::string own = ArchivedUrl(fetched.result.url);
  if (!change->visits.empty() && IsRevisit(fetched, change->visits.front(), details)) {
    details.original = {own, WallTime(std::chrono::milliseconds(fetched.known->crawled_at))};
  } else if (first) {
    if (Result<UrlRow> row = crawl_.registry->Find(first->url, urls_); row.ok()) {
      original = std::move(row->url);
      details.original = {original, WallTime(std::chrono::seconds(first->at))};
    }
  }
  encoder_.EncodeCapture(fetched.result, details, &change->capture);
  CommitBatch::Indexed& indexed = change->indexed;
  indexed.url = own;
  indexed.date = WarcDate(fetched.result.started);
  indexed.mime = details.original ? "warc/revisit" : fetched.result.headers.Joined("Content-Type");
  indexed.status = fetched.result.status;
}

}  // namespace crawler

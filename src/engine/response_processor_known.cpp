// What is made of a URL whose page the catalogue has already: a crawl that is repeated.
#include "engine/response_processor.hpp"
#include "index/link_graph.hpp"

namespace crawler {

bool MayBeKept(const StoredPage& page, const CrawlOptions& options) {
  return !page.truncated && (page.indexed || page.noindex || !options.index) &&
         (page.archived || !options.warc);
}

bool MayBeConfirmed(const StoredPage& page, const CrawlOptions& options) {
  return MayBeKept(page, options) && !page.noindex && !page.nofollow;
}

// The same bytes mean another page if what came with them says so.
bool ResponseProcessor::SameAsStored(const FetchedUrl& fetched, const Sha256Digest& digest) const {
  if (!fetched.known || !MayBeKept(*fetched.known, crawl_.options)) return false;
  const StoredPage& known = *fetched.known;
  std::string hex;
  AppendHex(digest, &hex);
  return known.content_hash == hex && known.status == fetched.result.status &&
         known.noindex == document_.page.robots.noindex &&
         known.nofollow == document_.page.robots.nofollow &&
         known.charset == CharsetName(document_.charset.charset) &&
         fetched.result.truncated == Truncation::kNone;
}

// Of a page that was not sent, because it is as it was.
void ResponseProcessor::OfferStoredLinks(const FetchedUrl& fetched) {
  const bool nofollow = reader_.RobotsOf(fetched.result.headers).nofollow;
  const Result<std::string> links = urls_.ReadLinks(fetched.url.id);
  Status status = links.status();
  LinkListReader reader(links.ok() && !links->empty() ? std::string_view(*links) : "[]");
  LinkListReader::Link link;
  while (status.ok() && reader.Next(&link)) {
    const Result<UrlRow> target = crawl_.registry->Find(link.to, urls_);
    status = target.status();
    if (!target.ok()) break;
    offers_.AddLink(target->url, fetched.url.depth + 1, link.nofollow || nofollow, link.worth);
  }
  if (status.ok() && reader.damaged()) {
    status = Status(StatusCode::kCorruption,
                    crawl_.catalogue_path + ": the links of " + fetched.url.url + " are damaged");
  }
  if (!status.ok()) crawl_.writer->Fail(std::move(status));
  crawl_.counters.links.fetch_add(offers_.candidates().size());
}

// The page stays as it is stored; what the response said of it besides its content is noted.
void ResponseProcessor::KeepPage(const FetchedUrl& fetched, const Sha256Digest* payload,
                                 CommitBatch* change) {
  const HeaderBlock& headers = fetched.result.headers;
  StoredPage page = *fetched.known;
  page.depth = fetched.url.depth;
  // A 304 need not repeat them.
  const bool sent = fetched.result.status != 304;
  const StoredPage& known = *fetched.known;
  page.etag = headers.Find("ETag").value_or(sent ? std::string_view() : known.etag);
  page.last_modified =
      headers.Find("Last-Modified").value_or(sent ? std::string_view() : known.last_modified);
  // It may ask robots for something that the page did not when it was read.
  if (const RobotsDirectives robots = reader_.RobotsOf(headers); !sent) {
    page.noindex |= robots.noindex;
    // Its links are stored as such that may be followed, so it is to be read again.
    if (robots.nofollow) page.etag = page.last_modified = "";
  }
  const bool differs = page.depth != known.depth || page.etag != known.etag ||
                       page.last_modified != known.last_modified || page.noindex != known.noindex;
  if (differs) change->updated = std::move(page);
  Archive(fetched, sent, payload, change);
  Register(fetched.url.id, change);
}

// What the end of a URL, `visit`, means for its page.
void ResponseProcessor::SettlePage(std::optional<StoredPage> known, VisitRow* visit,
                                   CommitBatch* change) {
  if (!crawl_.recrawl || !visit->final) return;
  CrawlCounters& counters = crawl_.counters;
  if (visit->outcome == VisitOutcome::kUnchanged) {
    visit->change = PageChange::kUnchanged;
    counters.pages_unchanged.fetch_add(1);
  } else if (change->page) {
    visit->change = known ? PageChange::kChanged : PageChange::kNew;
    (known ? counters.pages_changed : counters.pages_new).fetch_add(1);
    change->ended = std::move(known);
  } else if (known && EndsPage(visit->outcome, visit->status)) {
    visit->change = PageChange::kGone;
    counters.pages_gone.fetch_add(1);
    change->ended = std::move(known);
  } else if (known) {
    visit->change = PageChange::kKept;
  }
}

}  // namespace crawler

#include "engine/recrawl.hpp"

#include <string>
#include <string_view>

#include "parse/charset.hpp"

namespace crawler {

bool MayBeKept(const StoredPage& page, const CrawlOptions& options) {
  return (page.indexed || page.noindex || !options.index) && (page.archived || !options.warc);
}

bool MayBeConfirmed(const StoredPage& page, const CrawlOptions& options) {
  return MayBeKept(page, options) && !page.truncated && !page.noindex && !page.nofollow;
}

bool IsSamePage(const StoredPage& stored, const FetchResult& result, const Document& document,
                const Sha256Digest& digest) {
  std::string hex;
  AppendHex(digest, &hex);
  return stored.content_hash == hex && stored.status == result.status &&
         stored.noindex == document.page.robots.noindex &&
         stored.nofollow == document.page.robots.nofollow &&
         stored.charset == CharsetName(document.charset.charset) &&
         stored.truncated == (result.truncated != Truncation::kNone);
}

std::optional<StoredPage> UpdatedPage(const StoredPage& stored, const FetchResult& result,
                                      const RobotsDirectives& robots, std::uint32_t depth) {
  const HeaderBlock& headers = result.headers;
  StoredPage page = stored;
  page.depth = depth;
  // A 304 need not repeat the validators.
  const bool sent = result.status != 304;
  page.etag = headers.Find("ETag").value_or(sent ? std::string_view() : stored.etag);
  page.last_modified =
      headers.Find("Last-Modified").value_or(sent ? std::string_view() : stored.last_modified);
  if (!sent) {
    // The headers of a 304 may carry directives that the page did not have when it was read.
    page.noindex |= robots.noindex;
    // The stored links may be followed; without validators the page is read again next time.
    if (robots.nofollow) page.etag = page.last_modified = "";
  }
  const bool differs = page.depth != stored.depth || page.etag != stored.etag ||
                       page.last_modified != stored.last_modified || page.noindex != stored.noindex;
  if (!differs) return std::nullopt;
  return page;
}

PageChange PageChangeOf(const VisitRow& visit, bool had_page, bool has_page) {
  if (visit.outcome == VisitOutcome::kUnchanged) return PageChange::kUnchanged;
  if (has_page) return had_page ? PageChange::kChanged : PageChange::kNew;
  if (!had_page) return PageChange::kNone;
  return EndsPage(visit.outcome, visit.status) ? PageChange::kGone : PageChange::kKept;
}

}  // namespace crawler

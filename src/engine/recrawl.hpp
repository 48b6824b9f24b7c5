#pragma once

#include <cstdint>
#include <optional>

#include "crawler/options.hpp"
#include "model/fetch_result.hpp"
#include "model/page.hpp"
#include "parse/document_reader.hpp"
#include "store/rows.hpp"
#include "store/warc_digest.hpp"

namespace crawler {

// The rules of a crawl that is repeated: which pages of the catalogue stay, and how the end of a
// visit changes them. Values in, values out. Threads: safe.

/// Whether a stored page has everything that a page fetched now would have, so that it may stay if
/// its content has not changed.
bool MayBeKept(const StoredPage& page, const CrawlOptions& options);

/// Whether a 304 is enough to keep the page. A page that was cut may be had whole this time. A 304
/// need not repeat the headers of the page, so it cannot tell that an earlier noindex or nofollow
/// is gone.
bool MayBeConfirmed(const StoredPage& page, const CrawlOptions& options);

/// Whether a response that was read as `document`, with the content digest `digest`, is the stored
/// page: the same bytes, and the same status, charset and robots directives. A cut body is the same
/// as the stored one if that was cut as well, and not if it was whole.
bool IsSamePage(const StoredPage& stored, const FetchResult& result, const Document& document,
                const Sha256Digest& digest);

/// The row of a page that stays as it is stored, with the depth, validators and noindex that the
/// visit has found; nothing if they are the stored ones. `robots`: directives of the response's
/// headers.
std::optional<StoredPage> UpdatedPage(const StoredPage& stored, const FetchResult& result,
                                      const RobotsDirectives& robots, std::uint32_t depth);

/// The meaning of a final visit for the page of its URL. `had_page`: the catalogue has one;
/// `has_page`: the visit has brought a new one.
PageChange PageChangeOf(const VisitRow& visit, bool had_page, bool has_page);

/// Whether the stored page leaves the catalogue, because it is gone or replaced.
constexpr bool EndsStoredPage(PageChange change) {
  return change == PageChange::kChanged || change == PageChange::kGone;
}

}  // namespace crawler

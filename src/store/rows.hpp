#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/crawl_ids.hpp"
#include "model/fetch_result.hpp"
#include "model/url_record.hpp"

namespace crawler {

// Rows of the tables of crawl.db (see schema.cpp and docs/formats.md). Plain values; times are
// milliseconds since 1970; 0 and empty mean a missing value.

/// The outcome of one attempt to fetch a URL.
enum class VisitOutcome : std::uint8_t {
  kPage,       ///< A page, stored.
  kRedirect,   ///< A redirect to another URL.
  kHttpError,  ///< 4xx or 5xx, or a 3xx without a target.
  kUnwanted,   ///< Not an accepted type of document.
  kFailed,     ///< No usable response.
  kRefused,    ///< Refused by robots.txt; nothing was sent.
  kThrottled,  ///< The host asked to slow down.
  kSitemap,    ///< Read as a sitemap.
  kGivenUp,    ///< Its host was given up; nothing was sent.
  kEmpty,      ///< An answer without content: 204, 205.
  kRobots,     ///< A robots.txt was requested.
  kCancelled,  ///< The crawl ended before the response; will be fetched again.
  kLost,       ///< Its record in the WARC is gone; will be fetched again.
  kUnchanged,  ///< A page that has not changed since it was stored.
  kNoSitemap,  ///< No sitemap at /sitemap.xml, which nothing had named.
};

/// "page", "redirect", "http error", … Static text.
std::string_view VisitOutcomeName(VisitOutcome outcome);
/// The outcome with this name; nothing if there is none.
std::optional<VisitOutcome> ParseVisitOutcome(std::string_view name);

/// Why the host of a URL was given up. The names are stored.
enum class GiveUpReason : std::uint8_t {
  kNone,       ///< The host was not given up.
  kFailures,   ///< Too many requests in a row failed.
  kThrottled,  ///< The host asked to slow down too often in a row.
  kNoRobots,   ///< Its robots.txt could not be fetched.
};

/// "failures", "throttled", "no robots.txt"; empty for kNone. Static text.
std::string_view GiveUpReasonName(GiveUpReason reason);
/// The reason with this name; kNone if there is none.
GiveUpReason ParseGiveUpReason(std::string_view name);

/// The effect of a final visit on the page of its URL, in a repeated crawl.
enum class PageChange : std::uint8_t {
  kNone,       ///< There is no page and was none; or this is the first crawl.
  kNew,        ///< There was no page before.
  kChanged,    ///< The content has changed.
  kUnchanged,  ///< The content is the same.
  kGone,       ///< The page was removed from the catalogue and the index.
  kKept,       ///< The page could not be fetched this time; the stored one stays.
};

/// "new", "changed", …; empty for kNone. Static text.
std::string_view PageChangeName(PageChange change);
/// The change with this name; kNone if there is none.
PageChange ParsePageChange(std::string_view name);

/// Whether a URL whose final visit has `outcome` has no page any more. A temporary failure does not
/// remove a page.
bool EndsPage(VisitOutcome outcome, int status);

struct VisitRow {
  UrlId url = 0;        ///< 0 for a robots.txt.
  HostId host = 0;      ///< The host whose robots.txt was fetched; 0 for other visits.
  HostId url_host = 0;  ///< The host of `url`. Not stored: its row has it.
  std::int64_t at = 0;
  bool final = true;  ///< No further attempt; otherwise the URL is tried again.
  VisitOutcome outcome = VisitOutcome::kFailed;
  int status = 0;
  FetchFailure failure = FetchFailure::kNone;   ///< Why there was no usable response.
  GiveUpReason given_up = GiveUpReason::kNone;  ///< Why its host was given up.
  std::string detail;  ///< For people: the failure, the rule of robots.txt and its line, …
  UrlId redirect_to = 0;
  std::uint32_t failures = 0;  ///< Attempts that failed, this one included.
  std::int64_t score = 0;      ///< Frontier score in hundredths.
  std::string address;
  std::string protocol;
  std::uint64_t bytes = 0;  ///< Body size, as received.
  /// Microseconds since the request was made.
  std::int64_t resolved = 0, connected = 0, secured = 0, first_byte = 0, total = 0;
  std::int64_t retry_after = 0;  ///< Retry-After of the host in milliseconds.
  PageChange change = PageChange::kNone;
};

struct PageRow {
  UrlId url_id = 0;
  std::string url;
  std::string domain;
  std::string title;
  std::string description;
  std::string content_hash;  ///< SHA-256 of the decoded body, in hex.
  int status = 0;
  std::int64_t crawled_at = 0;
  std::string last_modified;
  std::string etag;
  std::uint32_t depth = 0;
  std::int64_t score = 0;
  std::uint64_t size = 0;  ///< Size of the decoded body.
  std::string content_type;
  std::string charset;
  std::string language;
  std::string canonical;
  bool noindex = false;
  bool nofollow = false;
  std::string truncated;
  UrlId duplicate_of = 0;  ///< An earlier page with the same content.
  /// SHA-256 of the payload in the WARC, empty if equal to content_hash; nothing without WARC.
  std::optional<std::string> payload_hash;
  std::string h1;        ///< The first <h1>.
  std::string hreflang;  ///< JSON: {"de": "http://a/de", …}. Empty if there are none.
  std::string headers;  ///< JSON: {"server": "nginx", …}, of those that are stored. Empty if none.
  /// Its links as JSON: a number (the target's id) for a link without text that is to be followed,
  /// or [id, nofollow, "text"], followed by its relevance score if the crawl is ordered by
  /// relevance. Empty if there are none.
  std::string links;
};

/// The stored fields of a page that a repeated crawl needs.
struct StoredPage {
  std::int64_t id = 0;
  UrlId url_id = 0;
  int status = 0;
  std::string content_hash;
  std::string etag;
  std::string last_modified;
  std::string charset;
  std::int64_t crawled_at = 0;
  std::uint32_t depth = 0;
  bool noindex = false;
  bool nofollow = false;
  bool truncated = false;
  bool indexed = false;   ///< Its text is stored.
  bool archived = false;  ///< Its capture is in the WARC.
  std::optional<std::string> payload_hash;
};

struct DeadLetterRow {
  UrlId url = 0;
  std::int64_t at = 0;
  std::string reason;
  std::string history;  ///< JSON: [{"at": ms, "what": text}, …]
};

struct RobotsRow {
  std::string origin;
  std::string rules;  ///< The text of the file.
  int status = 0;
  std::string policy;  ///< "rules", "allow all", "refuse all".
  double crawl_delay = 0;
  std::int64_t fetched_at = 0;
  std::int64_t expires_at = 0;
};

struct EventRow {
  std::int64_t at = 0;
  std::string kind;
  std::string detail;
};

}  // namespace crawler

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

// What goes into the tables of crawl.db (see schema.cpp and docs/formats.md). Plain values; times
// are milliseconds since 1970, 0 and empty mean that there is none.

/// What one lease came to.
enum class VisitOutcome : std::uint8_t {
  kPage,       ///< A page, stored.
  kRedirect,   ///< Pointed elsewhere.
  kHttpError,  ///< 4xx or 5xx, or a 3xx that points nowhere.
  kUnwanted,   ///< Not a type of document we take.
  kFailed,     ///< No usable response.
  kRefused,    ///< By robots.txt; nothing was sent.
  kThrottled,  ///< The host asked for patience.
  kSitemap,    ///< Read as a sitemap.
  kGivenUp,    ///< Its host was given up; nothing was sent.
  kEmpty,      ///< An answer without content: 204, 205.
  kRobots,     ///< A robots.txt was asked for.
  kCancelled,  ///< Asked for, but the crawl ended before the answer; will be asked for again.
  kLost,       ///< Its record in the WARC is gone; will be asked for again.
  kUnchanged,  ///< A page that is as it was when it was stored.
};

/// "page", "redirect", "http error", … Lives for ever.
std::string_view VisitOutcomeName(VisitOutcome outcome);
/// The outcome with this name; nothing if there is none.
std::optional<VisitOutcome> ParseVisitOutcome(std::string_view name);

/// Why the host of a URL was given up. The names are stored.
enum class GiveUpReason : std::uint8_t {
  kNone,       ///< It was not.
  kFailures,   ///< Too many requests in a row failed.
  kThrottled,  ///< The host asked too often in a row for patience.
  kNoRobots,   ///< Its robots.txt could not be fetched.
};

/// "failures", "throttled", "no robots.txt"; empty for kNone. Lives for ever.
std::string_view GiveUpReasonName(GiveUpReason reason);
/// The reason with this name; kNone if there is none.
GiveUpReason ParseGiveUpReason(std::string_view name);

/// What the end of a URL meant for its page, in a crawl that is repeated.
enum class PageChange : std::uint8_t {
  kNone,       ///< There is no page, and was none; or it is the first crawl.
  kNew,        ///< There was none.
  kChanged,    ///< It has other content.
  kUnchanged,  ///< It is as it was.
  kGone,       ///< It has left the catalogue and the index.
  kKept,       ///< It could not be had this time, and stays as it was.
};

/// "new", "changed", …; empty for kNone. Lives for ever.
std::string_view PageChangeName(PageChange change);
/// The change with this name; kNone if there is none.
PageChange ParsePageChange(std::string_view name);

/// Whether a URL that came to `outcome` for good is without a page from now on. Failures that may
/// pass say nothing of the page.
bool EndsPage(VisitOutcome outcome, int status);

struct VisitRow {
  UrlId url = 0;    ///< 0 for a robots.txt.
  HostId host = 0;  ///< The host whose robots.txt was fetched; 0 for other visits.
  std::int64_t at = 0;
  bool final = true;  ///< The URL is over; otherwise it will be tried again.
  VisitOutcome outcome = VisitOutcome::kFailed;
  int status = 0;
  FetchFailure failure = FetchFailure::kNone;   ///< Why there was no usable response.
  GiveUpReason given_up = GiveUpReason::kNone;  ///< Of an outcome kGivenUp.
  std::string detail;  ///< For people: the failure, the rule of robots.txt and its line, …
  UrlId redirect_to = 0;
  std::uint32_t failures = 0;  ///< Attempts that failed, this one included.
  std::int64_t score = 0;      ///< In hundredths, when it was leased.
  std::string address;
  std::string protocol;
  std::uint64_t bytes = 0;  ///< Of the body, as received.
  /// Microseconds since the request was made.
  std::int64_t resolved = 0, connected = 0, secured = 0, first_byte = 0, total = 0;
  std::int64_t retry_after = 0;  ///< Milliseconds, if the host asked to be left alone.
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
  std::uint64_t size = 0;  ///< Of the decoded body.
  std::string content_type;
  std::string charset;
  std::string language;
  std::string canonical;
  bool noindex = false;
  bool nofollow = false;
  std::string truncated;
  UrlId duplicate_of = 0;  ///< An earlier page with the same content.
  /// SHA-256 of the payload in the WARC, empty if it is that of the content; nothing without WARC.
  std::optional<std::string> payload_hash;
  /// Its links as JSON: a number (the target's id) for a link without text that is to be followed,
  /// or [id, nofollow, "text"], with its worth behind that if the crawl goes by relevance. Empty if
  /// there are none.
  std::string links;
};

/// What the catalogue has of a page already, as far as a repeated crawl wants to know.
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
  bool indexed = false;   ///< Its text is there.
  bool archived = false;  ///< Its capture is.
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
  std::string rules;  ///< The file.
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

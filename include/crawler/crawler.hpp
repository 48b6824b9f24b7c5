/// The C++ interface of the crawler.
///
/// Plain structs in, plain structs out. What goes wrong on the web is in the result, not thrown;
/// the only exceptions are std::bad_alloc and its like. Safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/crawler.h"
#include "crawler/options.hpp"

namespace crawler {

/// What robots.txt said.
struct RobotsReport {
  bool asked = false;   ///< False with NetworkOptions::obey_robots off.
  std::string url;      ///< Where it was looked for.
  int status = 0;       ///< Of its response; 0 if there was none.
  std::string message;  ///< Why there was none; empty if there was.
  bool allowed = true;
  int line = 0;      ///< Of the rule that decided, counted from 1; 0 if none did.
  std::string rule;  ///< That line, or why there is none.
  std::optional<std::chrono::milliseconds> crawl_delay;
  std::vector<std::string> sitemaps;
};

/// A link of a page.
struct LinkReport {
  std::string url;        ///< Absolute and in normal form.
  std::string tag;        ///< "a", "img", …; "header" for the Link header.
  std::string attribute;  ///< "href", "src", …
  std::string text;       ///< What a reader of an <a> sees.
  bool nofollow = false;
  bool followable = false;  ///< http or https.
};

/// A page, all the way from its URL to its text. All text is UTF-8.
struct PageReport {
  enum class Outcome {
    kFetched,    ///< There is a response, whatever its status code.
    kRefused,    ///< robots.txt does not allow it; nothing was fetched.
    kFailed,     ///< No usable response, of the page or of robots.txt; `failure` says why.
    kBadUrl,     ///< Not an http or https URL; `message` says why.
    kBadOption,  ///< An option makes no sense; `message` says which.
  };
  Outcome outcome = Outcome::kFailed;
  std::string url;      ///< In normal form; the last one if redirects were followed.
  std::string failure;  ///< The class of failure, e.g. "dns", "connect timeout"; empty if none.
  std::string message;  ///< What went wrong, and what to do about it; empty if nothing.
  RobotsReport robots;

  int status = 0;        ///< 0 if there was no response.
  std::string protocol;  ///< "HTTP/1.1", "HTTP/2", …
  std::string address;   ///< The IP address that answered, with its port.
  std::string tls;       ///< "TLSv1.3", …; empty without TLS.
  std::string redirect;  ///< Where the response points to, if it does; not followed.
  std::vector<std::string> redirected_from;  ///< The URLs before `url`, oldest first.
  std::vector<std::pair<std::string, std::string>> headers;  ///< As received, in order.

  /// Since the request was made; zero for what did not happen.
  struct Timings {
    std::chrono::microseconds resolved{0}, connected{0}, secured{0}, first_byte{0}, total{0};
  };
  Timings timings;

  std::uint64_t bytes_received = 0;  ///< Of the body, as it came over the wire.
  std::uint64_t bytes_decoded = 0;   ///< Of the body, unpacked.
  std::string truncated;             ///< "length", "time" or "disconnect" if the body was cut.

  std::string document;  ///< "html", "text", "urlset", "sitemap index", "rss", "atom", or empty.
  std::string charset;   ///< The encoding it was read in, e.g. "windows-1252".
  std::string title;
  std::string description;
  std::string language;
  std::string canonical;
  bool noindex = false;
  bool nofollow = false;
  std::vector<LinkReport> links;  ///< In the order of the document; entries of a sitemap or feed.
  std::string text;               ///< What a reader sees; blocks are separated by line feeds.
};

/// Fetches one page politely: robots.txt first, then the page, then its links and text. Takes as
/// long as the limits of `options` allow.
CRAWLER_EXPORT PageReport FetchPage(std::string_view url, const NetworkOptions& options = {});

}  // namespace crawler

/// The C++ interface of the crawler.
///
/// Plain structs in, plain structs out. What goes wrong on the web is in the result, not thrown;
/// the only exceptions are std::bad_alloc and its like. Safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/crawler.h"
#include "crawler/log.hpp"
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
  /// Lines for the log: what the options have made less safe, e.g. a proxy that the address guard
  /// cannot look behind. Usually none.
  std::vector<std::string> warnings;
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

/// What a crawl has done and has before it, in numbers. Of the whole crawl (of the last round, if
/// it is repeated), earlier runs included, unless it says "this run".
struct CrawlStatistics {
  std::uint64_t pages = 0;        ///< Documents stored, or found unchanged.
  std::uint64_t requests = 0;     ///< This run; robots.txt and sitemaps included.
  std::uint64_t bytes = 0;        ///< This run, of bodies as received.
  std::uint64_t redirects = 0;    ///< This run, like those below.
  std::uint64_t http_errors = 0;  ///< 4xx and 5xx.
  std::uint64_t failures = 0;     ///< No usable response; attempts, not URLs.
  std::uint64_t throttled = 0;    ///< 429, 503 with Retry-After.
  std::uint64_t refused = 0;      ///< By robots.txt.
  std::uint64_t unwanted = 0;     ///< Of a type we do not take.
  std::uint64_t dead_letters = 0;
  std::uint64_t duplicates = 0;  ///< Pages with the content of another.
  std::uint64_t links = 0;       ///< Found, each target once a page.

  /// What a repeated crawl has found, Crawl::Recrawl(); all of them 0 otherwise.
  std::uint64_t pages_new = 0, pages_changed = 0, pages_unchanged = 0, pages_gone = 0;

  std::uint64_t urls_known = 0;
  std::uint64_t urls_waiting = 0;
  std::uint64_t urls_under_way = 0;
  std::uint64_t hosts_known = 0;
  std::uint64_t hosts_ready = 0;
  std::uint64_t hosts_waiting = 0;       ///< With something to do, but not yet.
  std::chrono::milliseconds elapsed{0};  ///< This run.
  /// When a budget of pages or time will be spent at this pace; nothing if there is none.
  std::optional<std::chrono::milliseconds> eta;
  std::string phase;  ///< "discovery", …; empty in the result of a crawl that did not begin.
};

/// The numbers of CrawlStatistics by name, for whoever writes down or reads back all of them.
struct CrawlCount {
  const char* name;
  std::uint64_t CrawlStatistics::*value;
};
inline constexpr CrawlCount kCrawlCounts[] = {
    {"pages", &CrawlStatistics::pages},
    {"requests", &CrawlStatistics::requests},
    {"bytes", &CrawlStatistics::bytes},
    {"redirects", &CrawlStatistics::redirects},
    {"http_errors", &CrawlStatistics::http_errors},
    {"failures", &CrawlStatistics::failures},
    {"throttled", &CrawlStatistics::throttled},
    {"refused", &CrawlStatistics::refused},
    {"unwanted", &CrawlStatistics::unwanted},
    {"dead_letters", &CrawlStatistics::dead_letters},
    {"duplicates", &CrawlStatistics::duplicates},
    {"links", &CrawlStatistics::links},
    {"pages_new", &CrawlStatistics::pages_new},
    {"pages_changed", &CrawlStatistics::pages_changed},
    {"pages_unchanged", &CrawlStatistics::pages_unchanged},
    {"pages_gone", &CrawlStatistics::pages_gone},
    {"urls_known", &CrawlStatistics::urls_known},
    {"urls_waiting", &CrawlStatistics::urls_waiting},
    {"urls_under_way", &CrawlStatistics::urls_under_way},
    {"hosts_known", &CrawlStatistics::hosts_known},
    {"hosts_ready", &CrawlStatistics::hosts_ready},
    {"hosts_waiting", &CrawlStatistics::hosts_waiting},
};

/// A page as it is stored, for CrawlCallbacks; one that a repeated crawl finds unchanged is not.
/// Views live for the call only.
struct CrawledPage {
  std::string_view url;
  std::string_view title;
  std::string_view text;
  std::string_view body;  ///< Decoded, in the page's own charset.
  std::string_view content_type;
  int status = 0;
  int depth = 0;
  double score = 0;
  std::uint64_t size = 0;
};

/// Called while a crawl runs, by its threads, several at a time; they must be quick.
struct CrawlCallbacks {
  std::function<void(const CrawledPage&)> on_page;
  std::function<void(std::string_view from, std::string_view to, bool nofollow)> on_edge;
  /// Log lines of `log_level` and above, ready to print, without a newline.
  std::function<void(std::string_view line)> on_log;
  /// The least level that `on_log` gets. Of this run only: the folder does not keep it.
  CrawlLogLevel log_level = CrawlLogLevel::kInfo;
  /// What whoever started the crawl ought to know: whole sentences. Without it they are logged.
  std::function<void(std::string_view sentence)> on_warning;
};

/// How a crawl ended, or why it did not begin.
struct CrawlResult {
  enum class Outcome {
    kFinished,    ///< Nothing is left to do.
    kBudget,      ///< A budget is spent; Resume() with a larger one goes on.
    kStopped,     ///< On request; Resume() goes on.
    kBadOption,   ///< An option, seed or folder makes no sense; nothing was done.
    kFolderBusy,  ///< Another process works on the folder.
    kStorage,  ///< The disk or the database failed. What was committed is kept; Resume() goes on.
  };
  Outcome outcome = Outcome::kFinished;
  std::string message;  ///< Which budget, what failed, what to do.
  CrawlStatistics statistics;
};

/// A crawl of the web into a folder: fetches politely, follows, stores, survives a kill.
/// Threads: Stop(), StopNow() and statistics() from any thread while Run() runs.
class CRAWLER_EXPORT Crawl {
 public:
  explicit Crawl(CrawlOptions options, CrawlCallbacks callbacks = {});
  ~Crawl();
  Crawl(const Crawl&) = delete;
  Crawl& operator=(const Crawl&) = delete;

  /// Crawls until the end. Once.
  CrawlResult Run();
  /// Goes on with the crawl in options.folder, with the options it was begun with but for what
  /// `changes` (called with them) alters. Once, instead of Run().
  CrawlResult Resume(const std::function<void(CrawlOptions&)>& changes = {});
  /// Does the crawl in options.folder once more, from its seeds on, with budgets counted afresh:
  /// what is unchanged stays as it is, what has changed is replaced, what is gone is taken out. It
  /// need not have been finished; if this one is interrupted, Resume() goes on with it. `changes`
  /// as with Resume(). Once, instead of Run().
  CrawlResult Recrawl(const std::function<void(CrawlOptions&)>& changes = {});

  /// Asks for no more URLs, waits a little for what is under way, commits, ends.
  void Stop();
  /// Gives up what is under way, commits, ends.
  void StopNow();
  CrawlStatistics statistics() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

/// A host that keeps a crawl from being finished.
struct HostHoldup {
  std::string host;  ///< scheme://host[:port]
  std::uint64_t waiting = 0;
  std::uint32_t under_way = 0;
  std::optional<std::chrono::milliseconds> due_in;  ///< Nothing: when what is under way has ended.
  std::string why;                                  ///< "politeness", "backoff", …
};

/// What a crawl is doing, from its folder; also while another process crawls.
struct CrawlStatus {
  std::string error;  ///< Why nothing can be said; empty if it can.
  bool running = false;
  long process = 0;  ///< That crawls.
  /// "running", "stopped", "budget spent", "finished", or "interrupted" after a crash.
  std::string state;
  std::chrono::system_clock::time_point as_of;  ///< The last commit.
  CrawlStatistics statistics;
  std::vector<HostHoldup> holdups;  ///< Those due last first; not all of them.
};
CRAWLER_EXPORT CrawlStatus ReadCrawlStatus(const std::string& folder);

/// All that a crawl knows of a URL, and why it did what it did.
struct UrlExplanation {
  std::string error;  ///< Why nothing can be said; empty if it can.
  std::string url;    ///< In the crawl's normal form.
  bool known = false;
  std::string fate;   ///< "page", "waiting", "turned away", "refused", "redirect", …; "unknown".
  std::string scope;  ///< The scope's decision and its rule.
  std::string via;    ///< "link", "seed", "redirect", "sitemap".
  std::string turned_away;  ///< Why it was not to be fetched when it was found; empty if it was.
  int depth = 0;
  struct Referrer {
    std::string url;
    bool nofollow = false;
    std::string text;
  };
  std::vector<Referrer> linked_by;  ///< The first of them.
  std::uint64_t links = 0;          ///< Pages that link to it.
  std::string robots;               ///< What robots.txt of its host says of it, and which line.
  struct Attempt {
    std::chrono::system_clock::time_point at;
    std::string outcome;
    int status = 0;
    std::string detail;
    double score = 0;
    std::string address;
    std::chrono::microseconds total{0};
    bool final = false;
  };
  std::vector<Attempt> attempts;
  std::string duplicate_of;
  std::string canonical;
  std::string title;
  std::string dead_letter;  ///< Why it was given up; empty if it was not.
  std::string due;          ///< When it will be asked for, if it waits and the crawl runs.
};
CRAWLER_EXPORT UrlExplanation ExplainUrl(const std::string& folder, std::string_view url);

/// Whether the parts of a crawl's folder agree: catalogue, WARC files, frontier, index.
struct CrawlVerification {
  std::string error;                  ///< Why it could not be checked; empty if it could.
  std::vector<std::string> problems;  ///< What is wrong; the first hundred.
  std::uint64_t problem_count = 0;
  std::uint64_t urls = 0, visits = 0, pages = 0, links = 0, records = 0;  ///< Checked.
  bool ok() const { return error.empty() && problem_count == 0; }
};
/// Reads all of it. No other process may be crawling there.
CRAWLER_EXPORT CrawlVerification VerifyCrawl(const std::string& folder);

}  // namespace crawler

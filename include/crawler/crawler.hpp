/// The C++ interface of the crawler.
///
/// Functions take and return plain structs. Failures of the web are part of the result, not thrown;
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

#include "crawler/counters.hpp"
#include "crawler/crawler.h"
#include "crawler/log.hpp"
#include "crawler/options.hpp"
#include "crawler/read_outcome.hpp"

namespace crawler {

/// The robots.txt of a page, and its decision.
struct RobotsReport {
  bool asked = false;   ///< False with NetworkOptions::obey_robots off.
  std::string url;      ///< URL of the robots.txt.
  int status = 0;       ///< Status of its response; 0 if there was none.
  std::string message;  ///< Why there was no response; empty if there was one.
  bool allowed = true;
  int line = 0;      ///< Line of the rule that decided, from 1; 0 if none did.
  std::string rule;  ///< The text of that line, or why there is none.
  std::optional<std::chrono::milliseconds> crawl_delay;
  std::vector<std::string> sitemaps;
};

/// A link of a page.
struct LinkReport {
  std::string url;        ///< Absolute and in normal form.
  std::string tag;        ///< "a", "img", …; "header" for the Link header.
  std::string attribute;  ///< "href", "src", …
  std::string text;       ///< The visible text of an <a>.
  bool nofollow = false;
  bool followable = false;  ///< http or https.
};

/// The result of FetchPage(): from the URL of a page to its text. All text is UTF-8.
struct PageReport {
  enum class Outcome {
    kFetched,    ///< There is a response, of any status code.
    kRefused,    ///< robots.txt does not allow it; nothing was fetched.
    kFailed,     ///< No usable response, of the page or of robots.txt; `failure` says why.
    kBadUrl,     ///< Not an http or https URL; `message` says why.
    kBadOption,  ///< An option is invalid; `message` says which.
  };
  Outcome outcome = Outcome::kFailed;
  std::string url;      ///< In normal form; the last one if redirects were followed.
  std::string failure;  ///< The class of failure, e.g. "dns", "connect timeout"; empty if none.
  std::string message;  ///< Why it failed; empty on success.
  std::string hint;     ///< Advice, as a sentence; may be empty.
  /// Lines for the log about options that are less safe, e.g. a proxy, behind which addresses are
  /// not checked. Usually none.
  std::vector<std::string> warnings;
  RobotsReport robots;

  int status = 0;                            ///< 0 if there was no response.
  std::string protocol;                      ///< "HTTP/1.1", "HTTP/2", …
  std::string address;                       ///< The IP address that answered, with its port.
  std::string tls;                           ///< "TLSv1.3", …; empty without TLS.
  std::string redirect;                      ///< Target of a redirect that was not followed.
  std::vector<std::string> redirected_from;  ///< The URLs before `url`, oldest first.
  std::vector<std::pair<std::string, std::string>> headers;  ///< As received, in order.

  /// Times since the request was made; zero for steps that did not happen.
  struct Timings {
    std::chrono::microseconds resolved{0}, connected{0}, secured{0}, first_byte{0}, total{0};
  };
  Timings timings;

  std::uint64_t bytes_received = 0;  ///< Body size, as received.
  std::uint64_t bytes_decoded = 0;   ///< Body size, decoded.
  std::string truncated;             ///< "length", "time" or "disconnect" if the body was cut.

  std::string document;  ///< "html", "text", "urlset", "sitemap index", "rss", "atom", or empty.
  std::string charset;   ///< The encoding of the document, e.g. "windows-1252".
  std::string title;
  std::string description;
  std::string language;
  std::string canonical;
  bool noindex = false;
  bool nofollow = false;
  /// Name or property (in lower case) and content of the <meta> elements, e.g. {"og:type",
  /// "article"}, in the order of the document. At most 256, each part up to 2 KiB.
  std::vector<std::pair<std::string, std::string>> meta;
  std::vector<LinkReport> links;  ///< In the order of the document; entries of a sitemap or feed.
  std::string text;               ///< The visible text; blocks are separated by line feeds.
};

/// Fetches one page politely: robots.txt first, then the page, then its links and text. Takes as
/// long as the limits of `options` allow.
CRAWLER_EXPORT PageReport FetchPage(std::string_view url, const NetworkOptions& options = {});

/// A phase of a run that has begun, with what was done in it.
struct CrawlPhase {
  /// "restoring", "discovery" (the seeds, with their robots.txt and sitemaps), "expansion" (all
  /// other pages), "indexing" or "completion".
  std::string name;
  std::chrono::milliseconds elapsed{0};
  std::uint64_t requests = 0;
  std::uint64_t pages = 0;
};

/// Numbers that are counted; CRAWLER_COUNTERS describes each of them.
struct CrawlCounts {
#define CRAWLER_MEMBER(name, help) std::uint64_t name = 0;
#define CRAWLER_NONE(name, help)
  CRAWLER_COUNTERS(CRAWLER_MEMBER, CRAWLER_NONE)
};

/// Numbers of a crawl, those of earlier runs included.
struct CrawlStatistics : CrawlCounts {
  CRAWLER_COUNTERS(CRAWLER_NONE, CRAWLER_MEMBER)
#undef CRAWLER_MEMBER
#undef CRAWLER_NONE

  CrawlCounts this_run;                      ///< Of this run alone.
  std::chrono::milliseconds elapsed{0};      ///< This run.
  std::chrono::milliseconds elapsed_all{0};  ///< All runs.
  /// Time until a budget of pages or time is spent at this pace; nothing if there is no budget.
  std::optional<std::chrono::milliseconds> eta;
  std::uint64_t max_pages = 0;  ///< The budget of pages; 0: none.
  bool paused = false;          ///< Nothing new is fetched; see Crawl::Pause().
  std::string phase;  ///< "discovery", …; empty in the result of a crawl that did not begin.
  std::vector<CrawlPhase> phases;  ///< Of this run, in their order.
};

/// The numbers of CrawlStatistics by name, for code that writes or reads all of them.
struct CrawlCount {
  const char* name;
  std::uint64_t CrawlStatistics::*value;
  const char* help;
};
inline constexpr CrawlCount kCrawlCounts[] = {
#define CRAWLER_COUNT(name, help) {#name, &CrawlStatistics::name, help},
    CRAWLER_COUNTERS(CRAWLER_COUNT, CRAWLER_COUNT)
#undef CRAWLER_COUNT
};

/// The numbers of CrawlCounts by name.
struct CrawlRunCount {
  const char* name;
  std::uint64_t CrawlCounts::*value;
};
inline constexpr CrawlRunCount kCrawlRunCounts[] = {
#define CRAWLER_COUNT(name, help) {#name, &CrawlCounts::name},
#define CRAWLER_NONE(name, help)
    CRAWLER_COUNTERS(CRAWLER_COUNT, CRAWLER_NONE)
#undef CRAWLER_COUNT
#undef CRAWLER_NONE
};

/// Totals of a whole crawl by status code and by domain, as of the end of its last run.
struct CrawlBreakdown {
  struct Code {
    int status = 0;
    std::uint64_t responses = 0;  ///< Of all attempts.
    std::uint64_t urls = 0;       ///< URLs whose last attempt was answered so.
  };
  struct Domain {
    std::string domain;  ///< Registrable domain, or the host.
    std::uint64_t requests = 0, pages = 0, errors = 0, bytes = 0;
  };
  std::vector<Code> codes;      ///< In the order of the codes.
  std::vector<Domain> domains;  ///< With most requests first, at most 20.
  std::uint64_t other_domains = 0;
  Domain others;  ///< The sum of the other ones.
};

/// A host whose URLs have to wait.
struct HostHoldup {
  std::string host;  ///< scheme://host[:port]
  std::uint64_t waiting = 0;
  std::uint32_t under_way = 0;
  std::optional<std::chrono::milliseconds> due_in;  ///< Nothing: after its requests under way.
  std::string why;                                  ///< "politeness", "backoff", …
  /// With "politeness": the time between two requests, and what asks for it ("--delay", …).
  std::chrono::milliseconds interval{0};
  std::string asked_by;
  std::string trouble;  ///< The last failure of the host, e.g. "503 at /search"; empty: none.
};

/// The work of a running crawl at the moment, for people.
struct CrawlActivity {
  std::string url;                   ///< A URL that is being fetched; empty if none is.
  std::optional<HostHoldup> holdup;  ///< If none is: the host that is due last.
};

/// A page for CrawlCallbacks. Views are valid during the call only.
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
  /// In a repeated crawl "new", "changed", "unchanged" or "gone"; empty in a first one.
  std::string_view change;
};

/// Called while a crawl runs, by its threads, several at a time. A slow callback slows the thread
/// that calls it. It delays no commit, with one exception: at CrawlLogLevel::kDebug each commit is
/// logged by the thread that makes it, so `on_log` should be quick then. If a callback throws, the
/// crawl stops cleanly with Outcome::kCallback and the exception's message; everything that was
/// fetched is stored.
struct CrawlCallbacks {
  /// A page that is being stored: in a repeated crawl a new or changed one.
  std::function<void(const CrawledPage&)> on_page;
  /// A page of a repeated crawl that is not stored again, because it is unchanged or gone. It has
  /// url, status, depth, score and change; size is that of the body received, usually 0.
  std::function<void(const CrawledPage&)> on_known_page;
  std::function<void(std::string_view from, std::string_view to, bool nofollow)> on_edge;
  /// Log lines of `log_level` and above, ready to print, without a newline.
  std::function<void(std::string_view line)> on_log;
  /// The lowest level that `on_log` gets. For this run only: it is not stored in the folder.
  CrawlLogLevel log_level = CrawlLogLevel::kInfo;
  /// Gets warnings for the person who started the crawl, as whole sentences. They are logged as
  /// well.
  std::function<void(std::string_view sentence)> on_warning;
};

/// The URLs that SeedSources lead to.
struct FoundSeeds {
  enum class Outcome {
    kFound,
    kBadSource,  ///< A file cannot be read, or a source makes no sense.
    kRefused,    ///< robots.txt does not allow to fetch a sitemap.
    kFailed,     ///< The web failed, or the search has found nothing.
  };
  Outcome outcome = Outcome::kFound;
  std::string error;  ///< The failure, its place and advice; empty with kFound.
  std::vector<std::string> seeds;
  std::vector<SearchedSeed> searched;  ///< Those of `seeds` that the search has found.
  std::vector<std::string> warnings;   ///< Sitemaps of an index that could not be read.
};
/// Reads the sources in the order of SeedSources: at most a million URLs, which are checked. Of
/// `options` it takes the network, the delay between two requests, and the limits of sitemaps.
CRAWLER_EXPORT FoundSeeds FindSeeds(const SeedSources& sources, const CrawlOptions& options);

/// How a crawl ended, or why it did not begin.
struct CrawlResult {
  enum class Outcome {
    kFinished,     ///< Nothing is left to do.
    kIncomplete,   ///< Hosts were given up, and their URLs left; Retry() tries them again.
    kBudget,       ///< A budget is spent; Resume() with a larger one goes on.
    kStopped,      ///< Stopped on request; Resume() goes on.
    kBadOption,    ///< An option, seed or folder is invalid; nothing was done.
    kNoCrawl,      ///< The folder holds no crawl that could go on; nothing was done.
    kFolderBusy,   ///< Another process works on the folder.
    kStorage,      ///< The disk or the database failed. Commits are kept; Resume() goes on.
    kCallback,     ///< A callback threw. What was fetched is stored; Resume() goes on.
    kOutOfMemory,  ///< Memory or threads ran out. Commits are kept; Resume() goes on.
  };
  Outcome outcome = Outcome::kFinished;
  /// The budget, or the failure and advice. Of a crawl that ended by itself: the seeds that failed.
  std::string message;
  CrawlStatistics statistics;
  CrawlBreakdown breakdown;
  /// A seed that has led to no page, by itself or by redirects.
  struct SeedFailure {
    std::string url;
    std::string what;  ///< Continues a sentence that begins with the URL: "answered 403 (…)".
    std::string hint;  ///< Advice, as a sentence; may be empty.
  };
  std::vector<SeedFailure> seed_failures;  ///< The first 20.
  std::uint64_t seeds_failed = 0;          ///< All of them.
  /// A host that was given up, in this run or an earlier one.
  struct GivenUpHost {
    std::string host;        ///< scheme://host[:port]
    std::uint64_t urls = 0;  ///< URLs of the host that were not fetched.
    std::string reason;      ///< When and why it was given up, with the last failure.
  };
  std::vector<GivenUpHost> given_up;  ///< Hosts with most URLs first, at most 20.

  CrawlScope scope = CrawlScope::kHost;  ///< That the crawl had.
  std::uint64_t catalogue_bytes = 0;     ///< Size of crawl.db.
  std::uint64_t warc_bytes = 0;          ///< Size of the WARC files.
  std::uint64_t indexed_pages = 0;       ///< Pages that can be searched; 0 if no index was made.
};

/// Selects the given-up URLs that are tried again: those that meet every condition that is set.
struct RetrySelection {
  std::string host;  ///< An origin, or a host with or without its port. Empty: any.
  /// A class of failure ("dns", "connect timeout", …), a status code ("500"), or the reason why
  /// their host was given up ("failures", "throttled", "no robots.txt"). Empty: any.
  std::string kind;
};

/// A crawl of the web into a folder: fetches pages politely, follows links, stores pages. It can be
/// resumed after a kill.
/// Threads: Stop() and all functions behind it from any thread while Run() runs.
class CRAWLER_EXPORT Crawl {
 public:
  explicit Crawl(CrawlOptions options, CrawlCallbacks callbacks = {});
  ~Crawl();
  Crawl(const Crawl&) = delete;
  Crawl& operator=(const Crawl&) = delete;

  /// Checks options and seeds, and the folder if one is named, as Run() does before it begins;
  /// changes and fetches nothing. kFinished if nothing is wrong. Called once, instead of Run().
  CrawlResult Check();
  /// Runs a new crawl until its end. Called once.
  CrawlResult Run();
  /// Goes on with the crawl in options.folder, with its stored options, which `changes` may alter.
  /// Called once, instead of Run().
  CrawlResult Resume(const std::function<void(CrawlOptions&)>& changes = {});
  /// Like Resume(), but first requeues URLs that were given up. Called once, instead of Run().
  CrawlResult Retry(const RetrySelection& selection,
                    const std::function<void(CrawlOptions&)>& changes = {});
  /// Repeats the crawl in options.folder from its seeds, with new budgets: unchanged pages stay,
  /// changed pages are replaced, pages that are gone are removed. The crawl need not have been
  /// finished; if this round is interrupted, Resume() goes on with it. `changes` as with Resume().
  /// Called once, instead of Run().
  CrawlResult Recrawl(const std::function<void(CrawlOptions&)>& changes = {});

  /// Sends no more requests, waits a little for those under way, commits, ends.
  void Stop();
  /// Cancels the requests under way, commits, ends.
  void StopNow();
  /// Sends no more requests until Continue(); those under way end. The budget of time goes on.
  void Pause();
  void Continue();
  /// Adds seeds to the running crawl. Returns why that was not possible (it has not begun or is
  /// ending, a seed is no URL or out of scope); empty if it was. They are not seeds of the next
  /// Recrawl().
  std::string AddSeeds(const std::vector<std::string>& seeds);
  CrawlStatistics statistics() const;
  /// Not for every page: it may look at all hosts.
  CrawlActivity activity() const;

 private:
  friend class CrawlServer;
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

/// The state of a crawl, read from its folder; also while another process crawls.
struct CrawlStatus {
  std::string error;  ///< Why nothing can be said; empty if it can.
  ReadOutcome::Kind outcome = ReadOutcome::Kind::kDone;  ///< The kind of the error.
  bool running = false;
  long process = 0;  ///< Process id of the crawler; 0 if none.
  /// "running", "paused", "stopped", "budget spent", "finished", "not complete" (hosts were given
  /// up), or "interrupted" after a crash.
  std::string state;
  std::chrono::system_clock::time_point as_of;  ///< Time of the last commit.
  CrawlStatistics statistics;
  CrawlBreakdown breakdown;         ///< Empty until a run has ended.
  std::vector<HostHoldup> holdups;  ///< The hosts that wait longest; not all.
};
CRAWLER_EXPORT CrawlStatus ReadCrawlStatus(const std::string& folder);

/// Everything a crawl knows about a URL, and the reasons of its decisions.
struct UrlExplanation {
  std::string error;  ///< Why nothing can be said; empty if it can.
  ReadOutcome::Kind outcome = ReadOutcome::Kind::kDone;  ///< The kind of the error.
  std::string url;                                       ///< In the crawl's normal form.
  bool known = false;
  std::string fate;     ///< "page", "waiting", "skipped", "refused", "redirect", …, "unknown".
  std::string scope;    ///< The scope's decision and its rule, in words.
  std::string via;      ///< "link", "seed", "redirect", "sitemap".
  std::string skipped;  ///< Why the URL was not queued when it was found; empty if it was.
  std::string search;   ///< Of a seed that a search has found: its rank and the words.
  int depth = 0;
  /// A URL on the way from a seed, and how the crawl came to it ("seed", "link", …).
  struct Step {
    std::string url;
    std::string via;
  };
  std::vector<Step> path;  ///< From the seed to the URL that led to this one. Empty for a seed.
  /// Where it redirects to, hop by hop. With a loop, the last one was there before.
  std::vector<std::string> redirects;
  bool redirect_loop = false;
  std::vector<std::string> redirected_from;  ///< The first URLs that redirect to it.
  struct Referrer {
    std::string url;
    bool nofollow = false;
    std::string text;
  };
  std::vector<Referrer> linked_by;  ///< The first pages that link to it.
  std::uint64_t links = 0;          ///< Number of pages that link to it.
  std::string robots;               ///< The decision of robots.txt, and its line.
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
  std::string truncated;    ///< Why only a part of the page was received; empty if all of it was.
  bool noindex = false;     ///< The page asks not to be indexed.
  std::string dead_letter;  ///< Why the URL was given up; empty if it was not.
  std::string due;          ///< When it will be fetched, if it waits and the crawl runs.
};
CRAWLER_EXPORT UrlExplanation ExplainUrl(const std::string& folder, std::string_view url);

/// Whether the parts of a crawl's folder agree: catalogue, WARC files, frontier, index.
struct CrawlVerification {
  std::string error;  ///< Why it could not be checked; empty if it could.
  ReadOutcome::Kind outcome = ReadOutcome::Kind::kDone;  ///< The kind of the error.
  std::vector<std::string> problems;                     ///< The first hundred problems.
  std::uint64_t problem_count = 0;
  std::uint64_t urls = 0, visits = 0, pages = 0, links = 0, records = 0;  ///< Checked.
  bool ok() const { return error.empty() && problem_count == 0; }
};
/// Reads the whole folder. No other process may be crawling in it.
CRAWLER_EXPORT CrawlVerification VerifyCrawl(const std::string& folder);

}  // namespace crawler

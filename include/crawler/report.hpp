/// The report of a crawl: totals, problems to act on, how the crawl went, politeness per host.
///
/// Reads a snapshot of the folder and changes nothing in it; a crawl may run meanwhile.
/// Threads: safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crawler/crawler.hpp"
#include "crawler/data.hpp"

namespace crawler {

/// The first rows of a list, and how many there are.
template <typename Row>
struct ReportList {
  std::vector<Row> rows;
  std::uint64_t total = 0;
  std::uint64_t left_out() const { return total - rows.size(); }
};

/// A name and how often it occurs.
struct ReportCount {
  std::string name;
  std::uint64_t count = 0;
};

struct StatusCodeCount {
  int status = 0;
  std::uint64_t responses = 0;  ///< Of all attempts.
  std::uint64_t urls = 0;       ///< URLs whose last attempt was answered so.
};

struct ContentTypeCount {
  std::string type;  ///< Media type; empty if there was none.
  std::uint64_t pages = 0, bytes = 0;
};

struct DepthCount {
  std::uint32_t depth = 0;
  std::uint64_t pages = 0;
};

struct SizeCount {
  std::uint64_t below = 0;  ///< Pages of fewer bytes than this; 0: all larger ones.
  std::uint64_t pages = 0;
};

/// Requests over the time that the crawl ran. Pauses between two runs are left out.
struct CrawlThroughput {
  struct Slot {
    std::uint64_t requests = 0, pages = 0, errors = 0, bytes = 0;
  };
  std::chrono::milliseconds width{0};  ///< Of a slot.
  std::chrono::milliseconds total{0};  ///< From the first to the last request.
  std::vector<Slot> slots;             ///< At most 101; the last one may be shorter.
  /// When each run after the first began, since the start of the first.
  std::vector<std::chrono::milliseconds> resumed_at;
};

/// A URL that could not be fetched, and the pages that link to it.
struct BrokenUrl {
  struct Source {
    std::string url;   ///< Empty for a seed.
    std::string via;   ///< "link", "seed", "redirect", "sitemap".
    std::string text;  ///< Of the link.
  };
  std::string url, fate, reason;
  int status = 0;
  std::uint64_t links = 0;
  std::vector<Source> sources;  ///< The first of them, at most 5.
};

struct RedirectChain {
  std::string url, end_url, end_fate;
  std::vector<std::string> chain;  ///< All URLs of it, the first and the last included.
  int status = 0, end_status = 0;
  std::uint32_t hops = 0;
  bool loop = false;
};

/// Pages with the same content, or nearly the same text.
struct DuplicateGroup {
  std::string url;
  std::uint64_t copies = 0;         ///< Other pages like it.
  std::vector<std::string> others;  ///< The first of them, at most 5.
};

struct SharedTitle {
  std::string title;
  std::uint64_t pages = 0;
  std::vector<std::string> urls;  ///< The first of them, at most 3.
};

struct DeadLetter {
  std::string url, reason;
  std::uint64_t attempts = 0;
};

/// The requests that a host was sent, and the rules that it had set.
struct HostReceipt {
  std::string origin;  ///< scheme://host[:port]
  std::uint64_t requests = 0, pages = 0, bytes = 0;
  std::uint64_t http_errors = 0;    ///< Responses with 4xx or 5xx.
  std::uint64_t server_errors = 0;  ///< Those with 5xx.
  std::uint64_t failures = 0;       ///< Requests without a usable response.
  std::uint64_t backoffs = 0;       ///< Responses with 429, or 503 and Retry-After.
  std::uint64_t refused = 0;        ///< URLs that robots.txt refuses.
  std::uint64_t given_up = 0;       ///< URLs that were left because the host was given up.
  std::chrono::milliseconds longest_retry_after{0};
  std::chrono::milliseconds first{0}, last{0};  ///< Starts of requests, since 1970.
  std::chrono::milliseconds active{0};          ///< From the first to the last, without pauses.
  /// Between the starts of two requests; nothing with fewer than two.
  std::optional<std::chrono::milliseconds> shortest_gap;
  std::chrono::milliseconds asked_gap{0};  ///< The delay of the options, or a longer Crawl-delay.
  std::chrono::microseconds mean_time{0}, longest_time{0};  ///< Of responses, to the last byte.
  double rate() const;  ///< Requests per second; 0 with fewer than two.

  struct Rule {
    int line = 0;
    std::string text;
    std::uint64_t refused = 0;  ///< URLs that it refused.
  };
  struct Robots {
    bool known = false;
    int status = 0;
    std::string policy;  ///< "rules", "allow all", "refuse all".
    std::string sha256;  ///< Of the text, in hex; empty if there is none.
    std::uint64_t bytes = 0;
    std::optional<std::chrono::milliseconds> crawl_delay;
    std::chrono::milliseconds fetched{0};  ///< Since 1970.
    ReportList<Rule> rules;                ///< Those for this crawler.
  };
  Robots robots;
};

/// Numbers are those of the last round of a repeated crawl; pages are all stored ones.
struct CrawlReport {
  ReadOutcome outcome;
  CrawlStatus status;  ///< State, totals of the crawl and of its last run.
  std::vector<std::string> seeds;
  std::uint64_t rounds = 1;
  std::chrono::milliseconds began{0}, ended{0};  ///< Of the requests, since 1970.

  std::vector<ReportCount> fates;    ///< The fates of all URLs, the most frequent first.
  std::vector<ReportCount> skipped;  ///< Why URLs were not fetched.
  std::vector<StatusCodeCount> codes;
  ReportList<ContentTypeCount> types;
  std::vector<DepthCount> depths;  ///< The last one includes all deeper pages.
  std::vector<SizeCount> sizes;
  CrawlThroughput throughput;

  ReportList<BrokenUrl> broken;  ///< Most links first.
  std::uint64_t broken_links = 0;
  ReportList<RedirectChain> redirects;  ///< Loops first, then long ones.
  std::uint64_t redirect_loops = 0, long_redirects = 0;
  ReportList<DuplicateGroup> duplicates;  ///< `total` counts groups.
  std::uint64_t duplicate_pages = 0;
  ReportList<DuplicateGroup> near_duplicates;
  std::uint64_t near_duplicate_pages = 0;
  std::uint64_t pages_compared = 0;        ///< For near-duplicates: the first 100,000 at most.
  ReportList<std::string> missing_titles;  ///< HTML pages without one.
  ReportList<SharedTitle> shared_titles;
  ReportList<DeadLetter> dead_letters;

  ReportList<HostReceipt> hosts;          ///< Most requests first.
  ReportList<HostReceipt> slow_hosts;     ///< At least 1 s per response on average.
  ReportList<HostReceipt> failing_hosts;  ///< 5xx, no answer, backoff or given up.
};

struct ReportSettings {
  std::size_t rows = 100;  ///< Most rows of each list; at most 10,000.
  ReadLimits limits;
};

/// The report of the crawl in `folder`. Memory does not grow with the crawl beyond a bound.
CRAWLER_EXPORT CrawlReport ReportCrawl(const std::string& folder,
                                       const ReportSettings& settings = {});

inline double HostReceipt::rate() const {
  const double seconds = std::chrono::duration<double>(active).count();
  return requests < 2 || seconds <= 0 ? 0 : static_cast<double>(requests - 1) / seconds;
}

}  // namespace crawler

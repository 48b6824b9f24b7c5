#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "crawler/crawler.hpp"
#include "engine/link_offers.hpp"
#include "engine/response_class.hpp"
#include "engine/robots_answer.hpp"
#include "frontier/frontier.hpp"
#include "model/crawl_ids.hpp"
#include "model/fetch_result.hpp"
#include "robots/robots_txt.hpp"
#include "store/rows.hpp"

namespace crawler {

/// The state of a URL after a visit.
struct VisitEnd {
  Frontier::Verdict verdict = Frontier::Verdict::kOver;
  bool exhausted = false;                 ///< Its retries are used up.
  std::optional<Duration> retry_in;       ///< Time until the next attempt, if it is known.
  PageChange change = PageChange::kNone;  ///< The meaning for its stored page.
};

/// A new page, for the caller of the crawl.
struct NewPage {
  const PageRow& row;
  PageChange change = PageChange::kNone;
  std::string_view text, body;
  const LinkOffers& links;  ///< The candidates that the page has given.
};

/// Tells people about the visits of a crawl: lines of the log (see log_events.hpp), the callbacks
/// of the caller, the URL that is fetched, and the hosts that have trouble at the moment.
/// Ownership: borrows the logger and the callbacks. Threads: safe from any thread.
class VisitReporter {
 public:
  /// Trouble of more hosts than this is not held.
  static constexpr std::size_t kMostHosts = 10'000;

  VisitReporter(const Logger& logger, const CrawlCallbacks& callbacks)
      : logger_(logger), callbacks_(callbacks) {}

  /// The fetch of `url` begins, or has ended.
  void Begin(std::string_view url) CRAWLER_EXCLUDES(mutex_);
  void End(std::string_view url) CRAWLER_EXCLUDES(mutex_);
  /// The URL whose fetch began last; empty if that fetch has ended. Others may be under way.
  std::string current_url() const CRAWLER_EXCLUDES(mutex_);

  /// A new page: on_edge for its links, then on_page.
  void PageFound(const NewPage& page) const;
  /// The visit of a URL has ended. Logs its events: fetched, redirected or failed, throttled, and
  /// whether its URL is tried again or its retries are exhausted. Calls on_known_page if a stored
  /// page is unchanged or gone.
  void VisitEnded(const Frontier::Lease& lease, const FetchResult& result,
                  const ResponseClass& response, const VisitEnd& end, TimePoint now)
      CRAWLER_EXCLUDES(mutex_);
  /// A robots.txt was fetched, or failed so that nothing may be fetched from its host.
  void RobotsAnswered(HostId host, const FetchResult& result, const RobotsAnswer& answer)
      CRAWLER_EXCLUDES(mutex_);
  /// robots.txt refuses the URL.
  void Refused(const Frontier::Lease& lease, const RobotsVerdict& verdict, PageChange change) const;
  /// A limit of sitemaps was reached at `lease`.
  void SitemapLimitReached(const Frontier::Lease& lease, std::string_view limit) const;
  /// The host of `url` was given up. Requires: url.down != nullptr.
  void HostGivenUp(const Frontier::GivenUp& url, GiveUpReason reason, TimePoint now)
      CRAWLER_EXCLUDES(mutex_);

  /// The last failure of a host, e.g. "503 at /search"; empty if it has answered since.
  std::string TroubleOf(HostId host) const CRAWLER_EXCLUDES(mutex_);

 private:
  struct Trouble {
    std::string last;               // Failure; empty if there is none.
    std::optional<TimePoint> down;  // When the host was given up.
  };
  void Failed(HostId host, std::string trouble) CRAWLER_EXCLUDES(mutex_);
  Trouble TakeTrouble(HostId host) CRAWLER_EXCLUDES(mutex_);
  void ForgetFailure(HostId host) CRAWLER_EXCLUDES(mutex_);
  void ReportKnownPage(const Frontier::Lease& lease, PageChange change, int status,
                       std::uint64_t size) const;

  const Logger& logger_;
  const CrawlCallbacks& callbacks_;
  std::atomic<std::size_t> hosts_in_trouble_{0};  // Nearly always none: looked at without a lock.
  mutable Mutex mutex_;
  std::unordered_map<HostId, Trouble> troubles_ CRAWLER_GUARDED_BY(mutex_);
  std::string current_url_ CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "crawler/crawler.hpp"
#include "engine/web_crawl.hpp"
#include "search/query_engine.hpp"
#include "serve/crawl_series.hpp"
#include "serve/event_log.hpp"

namespace crawler {

/// What is known of a crawl at one moment.
struct CrawlView {
  CrawlStatus status;
  CrawlActivity activity;
  bool controllable = false;  ///< It runs in this process.
  bool retry_asked = false;   ///< Given-up URLs are tried again after this run.
};

/// Histograms and network events of a running crawl, for metrics. A copy.
struct MeterView {
  struct Histogram {
    std::vector<std::uint64_t> buckets;  ///< As DurationHistogram.
    std::uint64_t sum = 0, count = 0;
  };
  Histogram requests, commits;
  std::uint64_t lookups = 0, connections = 0, handshakes = 0;
  std::vector<std::uint64_t> failures;  ///< By FetchFailure.
};

/// A crawl that the service shows: one that runs in this process, in another one, or not at all.
///
/// Its state is sampled by one thread, so that requests take no locks of the crawl: View() is a
/// copy that is at most about a second old.
/// Threads: safe from any thread.
class ServedCrawl {
 public:
  ServedCrawl(std::string name, std::string folder)
      : name_(std::move(name)), folder_(std::move(folder)) {}

  const std::string& name() const { return name_; }
  const std::string& folder() const { return folder_; }
  EventLog& events() { return events_; }

  /// The crawl runs in this process until Detach(), which waits for those who use it.
  void Attach(WebCrawl* crawl) CRAWLER_EXCLUDES(crawl_mutex_, view_mutex_);
  void Detach() CRAWLER_EXCLUDES(crawl_mutex_, view_mutex_);
  /// Adds pages and log lines to the events, before `callbacks` get them.
  CrawlCallbacks Observe(CrawlCallbacks callbacks);

  /// Reads the state of the crawl anew.
  void Sample() CRAWLER_EXCLUDES(crawl_mutex_, view_mutex_);
  /// The last sample; a new one if there is none, or the crawl did not run and it is old.
  CrawlView View() CRAWLER_EXCLUDES(crawl_mutex_, view_mutex_);
  /// Whether the last sample found it running.
  bool running() const CRAWLER_EXCLUDES(view_mutex_);
  /// Nothing if it does not run in this process.
  std::optional<MeterView> Meters() CRAWLER_EXCLUDES(crawl_mutex_);
  CrawlSeries series() const CRAWLER_EXCLUDES(view_mutex_);
  /// Why it does not do what it should, as a sentence; empty if all is well.
  std::string Trouble() CRAWLER_EXCLUDES(view_mutex_);

  /// Calls `use` with the crawl if it runs in this process; false if not.
  template <typename Use>
  bool WithCrawl(Use&& use) CRAWLER_EXCLUDES(crawl_mutex_) {
    MutexLock lock(crawl_mutex_);
    if (crawl_ == nullptr) return false;
    use(*crawl_);
    return true;
  }

  /// A request to try given-up URLs again when the run has ended.
  void AskRetry(RetrySelection selection) CRAWLER_EXCLUDES(view_mutex_);
  std::optional<RetrySelection> TakeRetry() CRAWLER_EXCLUDES(view_mutex_);

  /// A search engine of this crawl, for one thread; give it back with PutEngine().
  Result<std::unique_ptr<QueryEngine>> TakeEngine() CRAWLER_EXCLUDES(engines_mutex_);
  void PutEngine(std::unique_ptr<QueryEngine> engine) CRAWLER_EXCLUDES(engines_mutex_);

 private:
  void Store(CrawlView view) CRAWLER_EXCLUDES(view_mutex_);

  const std::string name_;
  const std::string folder_;
  EventLog events_;

  Mutex crawl_mutex_;
  WebCrawl* crawl_ CRAWLER_GUARDED_BY(crawl_mutex_) = nullptr;

  mutable Mutex view_mutex_;
  CrawlView view_ CRAWLER_GUARDED_BY(view_mutex_);
  TimePoint sampled_at_ CRAWLER_GUARDED_BY(view_mutex_);
  bool sampled_ CRAWLER_GUARDED_BY(view_mutex_) = false;
  std::uint64_t last_requests_ CRAWLER_GUARDED_BY(view_mutex_) = 0;
  TimePoint progress_at_ CRAWLER_GUARDED_BY(view_mutex_);
  CrawlSeries series_ CRAWLER_GUARDED_BY(view_mutex_);
  std::optional<RetrySelection> retry_ CRAWLER_GUARDED_BY(view_mutex_);

  Mutex engines_mutex_;
  std::vector<std::unique_ptr<QueryEngine>> engines_ CRAWLER_GUARDED_BY(engines_mutex_);
};

}  // namespace crawler

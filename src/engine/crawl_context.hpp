#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "crawler/crawler.hpp"
#include "crawler/options.hpp"
#include "engine/commit_writer.hpp"
#include "engine/content_index.hpp"
#include "engine/crawl_environment.hpp"
#include "engine/url_registry.hpp"
#include "fetch/context.hpp"
#include "frontier/frontier.hpp"
#include "url/normalize.hpp"
#include "url/scope.hpp"

namespace crawler {

/// What a crawl has done in this run. Each counter is right by itself.
struct CrawlCounters {
  std::atomic<std::uint64_t> requests{0}, bytes{0}, redirects{0}, http_errors{0}, failures{0},
      throttled{0}, refused{0}, unwanted{0}, dead_letters{0}, links{0};
  /// Of a round of a repeated crawl, earlier runs of it included.
  std::atomic<std::uint64_t> pages_new{0}, pages_changed{0}, pages_unchanged{0}, pages_gone{0};
};

/// The failed attempts of URLs that are to be tried again, as JSON objects separated by commas.
/// Threads: safe from any thread.
class RetryHistory {
 public:
  void Add(UrlId url, std::int64_t at, std::string_view what) CRAWLER_EXCLUDES(mutex_);
  /// All attempts as a JSON array; forgets them.
  std::string Take(UrlId url) CRAWLER_EXCLUDES(mutex_);
  void Forget(UrlId url) CRAWLER_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::unordered_map<UrlId, std::string> attempts_ CRAWLER_GUARDED_BY(mutex_);
};

/// What all threads of a crawl share. Made by WebCrawl before the first thread begins and gone
/// after the last one has ended; everything in it is safe from any thread.
struct CrawlContext {
  CrawlOptions options;
  CrawlEnvironment environment;
  CrawlCallbacks callbacks;
  Logger logger;
  std::string catalogue_path;
  std::string product;  ///< Our name in robots.txt.
  NormalizeOptions normalize;
  std::unique_ptr<Scope> scope;
  std::shared_ptr<const FetchContext> fetch;
  std::unique_ptr<Frontier> frontier;
  std::unique_ptr<UrlRegistry> registry;
  std::unique_ptr<CommitWriter> writer;
  /// The crawl is done once more: pages that the catalogue has are looked up.
  bool recrawl = false;
  ContentIndex contents;
  ContentIndex payloads;  ///< Of responses as received, for revisit records; of this run only.
  RetryHistory retries;
  RetryPolicy retry;
  CrawlCounters counters;
  /// Of the bodies of pages as received, earlier runs included; what max_bytes limits.
  std::atomic<std::uint64_t> page_bytes{0};

  /// When the time budget is spent.
  TimePoint deadline = TimePoint::max();

  TimePoint Now() const { return environment.clock->Now(); }
  /// Milliseconds since 1970.
  std::int64_t NowMilliseconds() const;

  /// No new requests; what is under way may end.
  std::atomic<bool> stopping{false};
  /// What is under way is given up.
  std::atomic<bool> stopping_now{false};
  /// A budget other than pages ended the crawl: its name for people.
  std::atomic<const char*> spent{nullptr};

  /// Wakes fetch threads that wait for something to do.
  std::function<void()> wake_idle;

  /// Tells whoever started the crawl, a sentence at a time.
  void Warn(std::string_view sentence) const;
};

/// Milliseconds since 1970.
std::int64_t ToMilliseconds(WallTime time);

}  // namespace crawler

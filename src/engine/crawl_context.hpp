#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/memory_budget.hpp"
#include "base/mutex.hpp"
#include "crawler/crawler.hpp"
#include "crawler/options.hpp"
#include "engine/commit_writer.hpp"
#include "engine/content_index.hpp"
#include "engine/crawl_environment.hpp"
#include "engine/crawl_stop.hpp"
#include "engine/retry_history.hpp"
#include "engine/robots_cache.hpp"
#include "engine/seed_watch.hpp"
#include "engine/sitemap_budget.hpp"
#include "engine/visit_reporter.hpp"
#include "fetch/context.hpp"
#include "frontier/frontier.hpp"
#include "frontier/retry_policy.hpp"
#include "parse/sitemap.hpp"
#include "store/rows.hpp"
#include "url/normalize.hpp"
#include "url/scope.hpp"

namespace crawler {

/// The state that all threads of a crawl share. WebCrawl makes it before it starts the first
/// thread, and destroys it after the last one has ended. Everything in it is safe from any thread.
struct CrawlContext {
  /// Bytes of robots.txt whose rules are held in memory.
  static constexpr std::size_t kRoomForRobots = std::size_t{16} << 20;

  CrawlOptions options;
  CrawlEnvironment environment;
  CrawlCallbacks callbacks;
  Logger logger;
  VisitReporter reporter{logger, callbacks};
  std::string catalogue_path;
  std::string product;  ///< The name of this crawler in robots.txt.
  NormalizeOptions normalize;
  std::unique_ptr<Scope> scope;
  /// Counts responses from the first byte of their body until they are processed.
  std::shared_ptr<MemoryBudget> memory;
  /// The size of a sitemap, unpacked, that is read: as the protocol allows, if there is memory.
  std::size_t max_sitemap() const {
    return std::min(SitemapLimits().max_bytes, memory->limit() / 2);
  }
  /// Held while a large page is processed, which takes many times its size: one at a time.
  Mutex large_pages;
  std::shared_ptr<const FetchContext> fetch;
  std::unique_ptr<Frontier> frontier;
  RobotsCache robots{kRoomForRobots};
  std::unique_ptr<SitemapBudget> sitemaps;
  std::unique_ptr<CommitWriter> writer;
  /// The crawl is repeated: each URL is looked up among the stored pages.
  bool recrawl = false;
  ContentIndex contents;
  ContentIndex payloads;  ///< First page of this run with each payload, for revisit records.
  RetryHistory retries;
  SeedWatch seeds;
  RetryPolicy retry;
  /// Size of the bodies of pages as received, earlier runs included; max_bytes limits it.
  std::atomic<std::uint64_t> page_bytes{0};

  TimePoint Now() const { return environment.clock->Now(); }
  /// Milliseconds since 1970.
  std::int64_t NowMilliseconds() const { return ToMilliseconds(environment.clock->WallNow()); }

  CrawlStop stop;
  /// Nothing is leased while this is set; requests under way end.
  std::atomic<bool> paused{false};

  /// Discovery is over; called once, by a fetch thread.
  std::function<void()> expand;
  std::atomic<bool> discovering{false};

  /// Wakes fetch threads that wait for something to do.
  std::function<void()> wake_idle;

  /// Logs a sentence and shows it to the person who started the crawl.
  void Warn(std::string_view sentence) const {
    logger.Warn("Engine", sentence);
    if (callbacks.on_warning) callbacks.on_warning(sentence);
  }
};

}  // namespace crawler

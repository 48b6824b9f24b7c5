#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.hpp"
#include "crawler/options.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

/// The part that sitemaps may have in a crawl, per host: files, entries and bytes. Without it, one
/// host could fill the frontier with sitemaps of sitemaps. Whatever is beyond a limit is left out
/// and not stored; the visit of the sitemap says how much it was.
/// Threads: safe from any thread.
class SitemapBudget {
 public:
  /// 0 means no limit.
  explicit SitemapBudget(const SitemapOptions& limits) : limits_(limits) {}

  /// Takes up to `count` files that robots.txt or a sitemap of `host` names. Returns how many.
  std::size_t TakeFiles(HostId host, std::size_t count) CRAWLER_EXCLUDES(mutex_);
  /// `count` files that were taken were known before, and cost nothing.
  void GiveBackFiles(HostId host, std::size_t count) CRAWLER_EXCLUDES(mutex_);
  /// Takes up to `count` entries that a sitemap of `host` lists. Returns how many.
  std::size_t TakeEntries(HostId host, std::size_t count) CRAWLER_EXCLUDES(mutex_);
  /// A sitemap of `bytes`, decoded, was read from `host`.
  void AddBytes(HostId host, std::size_t bytes) CRAWLER_EXCLUDES(mutex_);

  /// The limit that lets no other sitemap of `host` be fetched, e.g. "500000000 bytes of sitemaps
  /// per host (--max-sitemap-bytes)"; empty if there is none.
  std::string Spent(HostId host) const CRAWLER_EXCLUDES(mutex_);

  // The same limits for people.
  std::string FileLimit() const;
  std::string EntryLimit() const;

 private:
  struct Used {
    std::uint64_t files = 0, entries = 0, bytes = 0;
  };

  const SitemapOptions limits_;
  mutable Mutex mutex_;
  std::unordered_map<HostId, Used> used_ CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler

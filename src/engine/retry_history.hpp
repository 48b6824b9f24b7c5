#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

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

}  // namespace crawler

#pragma once

#include <string>
#include <string_view>

#include "base/mutex.hpp"

namespace crawler {

/// The URL whose fetch began last, for people to look at.
/// Threads: safe from any thread.
class CurrentUrl {
 public:
  void Begin(std::string_view url) CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    url_ = url;
  }
  void End(std::string_view url) CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (url_ == url) url_.clear();
  }
  /// Empty if that fetch has ended; others may be under way.
  std::string Get() const CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return url_;
  }

 private:
  mutable Mutex mutex_;
  std::string url_ CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"

namespace crawler {

/// The latest events of a crawl, for clients that follow it. Holds at most kMost; a client that is
/// too slow misses some. A crawl that has more to say than kMostPerSecond is shown in part: nobody
/// can read more, and the crawl must not wait.
/// Threads: safe from any thread.
class EventLog {
 public:
  static constexpr std::size_t kMost = 500;
  static constexpr std::uint32_t kMostPerSecond = 50;

  struct Event {
    std::uint64_t number = 0;  ///< 1, 2, 3, …
    std::string kind;          ///< "page", "log"
    std::string data;          ///< JSON.
  };

  /// Whether another event of this second has room; if so, Add() should follow. Cheap.
  bool HasRoom();
  void Add(std::string_view kind, std::string data) CRAWLER_EXCLUDES(mutex_);
  /// Wakes those who wait.
  void Wake() CRAWLER_EXCLUDES(mutex_);

  /// The events behind `number`, oldest first; waits for one, or for Wake(), until `deadline`.
  std::vector<Event> WaitBehind(std::uint64_t number,
                                std::chrono::steady_clock::time_point deadline)
      CRAWLER_EXCLUDES(mutex_);
  std::uint64_t last() const CRAWLER_EXCLUDES(mutex_);

 private:
  std::atomic<std::int64_t> second_{0};
  std::atomic<std::uint32_t> in_second_{0};
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Event> events_ CRAWLER_GUARDED_BY(mutex_);
  std::uint64_t last_ CRAWLER_GUARDED_BY(mutex_) = 0;
};

}  // namespace crawler

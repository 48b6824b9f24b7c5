#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "crawler/crawler.hpp"

namespace crawler {

/// The phases of a run, one after the other, with the time that each took and the requests and
/// pages that it made. Logs the beginning and the end of each. Ownership: borrows the clock and the
/// logger. Threads: safe from any thread; phases are entered by one thread at a time.
class CrawlPhases {
 public:
  /// The requests and pages of the run so far.
  struct Work {
    std::uint64_t requests = 0, pages = 0;
  };

  /// `work` is called under the lock of this class, by any thread.
  CrawlPhases(const Clock& clock, const Logger& logger, std::function<Work()> work)
      : clock_(clock), logger_(logger), work_(std::move(work)) {}

  /// Ends the current phase, if there is one, and begins the next. `name` is a literal.
  void Enter(const char* name) CRAWLER_EXCLUDES(mutex_);
  /// Ends the last phase: the run is over. Without effect the second time.
  void Finish() CRAWLER_EXCLUDES(mutex_);

  /// The current phase; "starting" before the first one, "over" after the last.
  const char* current() const { return current_.load(); }
  /// All phases so far; the current one up to now.
  std::vector<CrawlPhase> Report() const CRAWLER_EXCLUDES(mutex_);

 private:
  struct Phase {
    const char* name = "";
    TimePoint began, ended;
    Work before, after;
    bool is_over = false;
  };
  static CrawlPhase ToReport(const Phase& phase);
  void End() CRAWLER_EXCLUDES(mutex_);

  const Clock& clock_;
  const Logger& logger_;
  const std::function<Work()> work_;
  std::atomic<const char*> current_{"starting"};
  mutable Mutex mutex_;
  std::vector<Phase> phases_ CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler

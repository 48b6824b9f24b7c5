#pragma once

#include <chrono>
#include <cstddef>

#include "base/mutex.hpp"

namespace crawler {

/// A bound for how many threads do something at a time.
/// Threads: safe from any thread.
class WorkSlots {
 public:
  explicit WorkSlots(std::size_t slots) : free_(slots) {}

  /// Held for a scope.
  class Lease {
   public:
    /// Waits up to `patience` for a slot.
    Lease(WorkSlots& slots, std::chrono::milliseconds patience)
        : slots_(slots), held_(slots.Take(patience)) {}
    ~Lease() {
      if (held_) slots_.Give();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    bool held() const { return held_; }

   private:
    WorkSlots& slots_;
    const bool held_;
  };

 private:
  bool Take(std::chrono::milliseconds patience) CRAWLER_EXCLUDES(mutex_) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    MutexLock lock(mutex_);
    while (free_ == 0) {
      if (!freed_.WaitUntil(mutex_, deadline) && free_ == 0) return false;
    }
    --free_;
    return true;
  }
  void Give() CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++free_;
    freed_.Signal();
  }

  Mutex mutex_;
  CondVar freed_;
  std::size_t free_ CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler

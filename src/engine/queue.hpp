#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace crawler {

/// A first-in, first-out queue between threads, with an exact capacity.
///
///     Push … Pop …  ->  Close  ->  Push false, Pop empty
///
/// A closed queue means that nobody wants the rest: what is still in it stays there until Clear()
/// or the end of the queue.
/// Threads: safe from any thread. Waiting costs no CPU; a signal is sent only if someone waits.
template <typename T>
class Queue {
 public:
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  explicit Queue(std::size_t capacity) : capacity_(capacity) {}

  /// Appends `item`, waiting while the queue is full; false, and `item` is gone, once it is closed.
  /// Adds the time spent waiting to `*waited`, if given.
  bool Push(T item, Duration* waited = nullptr) CRAWLER_EXCLUDES(mutex_) {
    bool signal = false;
    {
      MutexLock lock(mutex_);
      if (items_.size() >= capacity_ && !closed_) WaitForRoom(waited);
      if (closed_) return false;
      items_.push_back(std::move(item));
      if (items_.size() > high_) high_ = items_.size();
      signal = poppers_waiting_ > 0;
    }
    if (signal) not_empty_.Signal();
    return true;
  }

  /// Takes the oldest item, waiting while there is none; empty once the queue is closed.
  std::optional<T> Pop() CRAWLER_EXCLUDES(mutex_) {
    std::optional<T> item;
    bool signal = false;
    {
      MutexLock lock(mutex_);
      ++poppers_waiting_;
      while (items_.empty() && !closed_) not_empty_.Wait(mutex_);
      --poppers_waiting_;
      if (closed_) return std::nullopt;
      item.emplace(std::move(items_.front()));
      items_.pop_front();
      signal = pushers_waiting_ > 0;
    }
    if (signal) not_full_.Signal();
    return item;
  }

  /// Wakes everybody; from now on Push() refuses and Pop() is empty. Idempotent.
  void Close() CRAWLER_EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      closed_ = true;
    }
    not_empty_.SignalAll();
    not_full_.SignalAll();
  }

  /// Destroys all that is queued.
  void Clear() CRAWLER_EXCLUDES(mutex_) {
    std::deque<T> dropped;
    MutexLock lock(mutex_);
    items_.swap(dropped);
  }

  /// The most items it ever held.
  std::size_t high() const CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return high_;
  }

 private:
  void WaitForRoom(Duration* waited) CRAWLER_REQUIRES(mutex_) {
    const TimePoint start = Clock::System().Now();
    ++pushers_waiting_;
    while (items_.size() >= capacity_ && !closed_) not_full_.Wait(mutex_);
    --pushers_waiting_;
    if (waited != nullptr) *waited += Clock::System().Now() - start;
  }

  const std::size_t capacity_;
  mutable Mutex mutex_;
  CondVar not_empty_;
  CondVar not_full_;
  std::deque<T> items_ CRAWLER_GUARDED_BY(mutex_);
  std::size_t high_ CRAWLER_GUARDED_BY(mutex_) = 0;
  std::size_t poppers_waiting_ CRAWLER_GUARDED_BY(mutex_) = 0;
  std::size_t pushers_waiting_ CRAWLER_GUARDED_BY(mutex_) = 0;
  bool closed_ CRAWLER_GUARDED_BY(mutex_) = false;
};

}  // namespace crawler

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
/// A closed queue keeps its remaining items until Clear() or its destruction; nobody pops them.
/// Threads: safe from any thread. Waiting costs no CPU.
template <typename T>
class Queue {
 public:
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  explicit Queue(std::size_t capacity) : capacity_(capacity) {}

  /// Appends `item`, waiting while the queue is full. False once the queue is closed; `item` is
  /// destroyed then. Adds the time spent waiting to `*waited`, if given.
  bool Push(T item, Duration* waited = nullptr) CRAWLER_EXCLUDES(mutex_) {
    Wakeups wake;
    {
      MutexLock lock(mutex_);
      if (full() && !closed_) {
        const TimePoint start = Clock::System().Now();
        while (full() && !closed_) Wait(pushers_, not_full_);
        if (waited != nullptr) *waited += Clock::System().Now() - start;
      }
      if (closed_) return false;
      wake = Append(std::move(item));
    }
    Signal(wake);
    return true;
  }

  /// Appends `item` unless that would have to wait: false if the queue is full or closed.
  bool TryPush(T item) CRAWLER_EXCLUDES(mutex_) {
    Wakeups wake;
    {
      MutexLock lock(mutex_);
      if (full() || closed_) return false;
      wake = Append(std::move(item));
    }
    Signal(wake);
    return true;
  }

  /// Removes and returns the oldest item, waiting while there is none. Empty once the queue is
  /// closed. Says in `*waited`, if given, whether the call had to wait.
  std::optional<T> Pop(bool* waited = nullptr) CRAWLER_EXCLUDES(mutex_) {
    std::optional<T> item;
    Wakeups wake;
    {
      MutexLock lock(mutex_);
      if (waited != nullptr) *waited = items_.empty();
      while (items_.empty() && !closed_) Wait(poppers_, not_empty_);
      if (closed_) return std::nullopt;
      item.emplace(std::move(items_.front()));
      items_.pop_front();
      wake.pusher = pushers_.CallOne();
      wake.popper = !items_.empty() && poppers_.CallOne();
    }
    Signal(wake);
    return item;
  }

  /// Wakes every waiting thread. From now on Push() returns false and Pop() is empty. Idempotent.
  void Close() CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    not_full_.SignalAll();
    not_empty_.SignalAll();
  }

  /// Destroys all queued items.
  void Clear() CRAWLER_EXCLUDES(mutex_) {
    std::deque<T> dropped;
    MutexLock lock(mutex_);
    items_.swap(dropped);
  }

  /// Items that are queued now.
  std::size_t size() const CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_.size();
  }

  /// The most items that were ever queued at the same time.
  std::size_t high() const CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return high_;
  }

 private:
  /// Threads that wait for the same condition. At most one of them is being woken at a time; once
  /// it runs and there is more to do, it wakes the next one. So all of them run if there is work
  /// for all, but a burst of items does not wake one thread per item, most of which would find
  /// nothing: waking a thread costs far more than handing over an item.
  struct Waiters {
    std::size_t waiting = 0;
    bool one_is_coming = false;

    /// Whether the caller has to signal one of them, best after it has released the mutex.
    bool CallOne() {
      if (waiting == 0 || one_is_coming) return false;
      return one_is_coming = true;
    }
  };

  /// Threads to signal once the mutex is released.
  struct Wakeups {
    bool popper = false;
    bool pusher = false;
  };

  Wakeups Append(T&& item) CRAWLER_REQUIRES(mutex_) {
    items_.push_back(std::move(item));
    if (items_.size() > high_) high_ = items_.size();
    Wakeups wake;
    wake.popper = poppers_.CallOne();
    wake.pusher = !full() && pushers_.CallOne();
    return wake;
  }

  void Signal(Wakeups wake) {
    if (wake.popper) not_empty_.Signal();
    if (wake.pusher) not_full_.Signal();
  }

  void Wait(Waiters& waiters, CondVar& cond) CRAWLER_REQUIRES(mutex_) {
    ++waiters.waiting;
    cond.Wait(mutex_);
    --waiters.waiting;
    waiters.one_is_coming = false;
  }

  bool full() const CRAWLER_REQUIRES(mutex_) { return items_.size() >= capacity_; }

  const std::size_t capacity_;
  mutable Mutex mutex_;
  CondVar not_full_;
  CondVar not_empty_;
  Waiters pushers_ CRAWLER_GUARDED_BY(mutex_);
  Waiters poppers_ CRAWLER_GUARDED_BY(mutex_);
  std::deque<T> items_ CRAWLER_GUARDED_BY(mutex_);
  std::size_t high_ CRAWLER_GUARDED_BY(mutex_) = 0;
  bool closed_ CRAWLER_GUARDED_BY(mutex_) = false;
};

}  // namespace crawler

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
/// Threads: safe from any thread. Waiting costs no CPU.
template <typename T>
class Queue {
 public:
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  explicit Queue(std::size_t capacity) : capacity_(capacity) {}

  /// Appends `item`, waiting while the queue is full; false, and `item` is gone, once it is closed.
  /// Adds the time spent waiting to `*waited`, if given.
  bool Push(T item, Duration* waited = nullptr) CRAWLER_EXCLUDES(mutex_) {
    bool wake_popper = false;
    bool wake_pusher = false;
    {
      MutexLock lock(mutex_);
      if (full() && !closed_) {
        const TimePoint start = Clock::System().Now();
        while (full() && !closed_) Wait(pushers_, not_full_);
        if (waited != nullptr) *waited += Clock::System().Now() - start;
      }
      if (closed_) return false;
      items_.push_back(std::move(item));
      if (items_.size() > high_) high_ = items_.size();
      wake_popper = poppers_.CallOne();
      wake_pusher = !full() && pushers_.CallOne();
    }
    if (wake_popper) not_empty_.Signal();
    if (wake_pusher) not_full_.Signal();
    return true;
  }

  /// Takes the oldest item, waiting while there is none; empty once the queue is closed.
  std::optional<T> Pop() CRAWLER_EXCLUDES(mutex_) {
    std::optional<T> item;
    bool wake_popper = false;
    bool wake_pusher = false;
    {
      MutexLock lock(mutex_);
      while (items_.empty() && !closed_) Wait(poppers_, not_empty_);
      if (closed_) return std::nullopt;
      item.emplace(std::move(items_.front()));
      items_.pop_front();
      wake_pusher = pushers_.CallOne();
      wake_popper = !items_.empty() && poppers_.CallOne();
    }
    if (wake_pusher) not_full_.Signal();
    if (wake_popper) not_empty_.Signal();
    return item;
  }

  /// Wakes everybody; from now on Push() refuses and Pop() is empty. Idempotent.
  void Close() CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    not_full_.SignalAll();
    not_empty_.SignalAll();
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
  /// Threads that wait for the same thing. At most one of them is on its way at a time; when it
  /// arrives and there is more to do, it calls the next. So all of them come if there is work for
  /// all, but a burst of items does not wake a thread for each, most of which would find nothing:
  /// waking a thread costs far more than handing over an item.
  struct Waiters {
    std::size_t waiting = 0;
    bool one_is_coming = false;

    /// Whether to signal one of them, best once the mutex is free.
    bool CallOne() {
      if (waiting == 0 || one_is_coming) return false;
      return one_is_coming = true;
    }
  };

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

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.hpp"

namespace crawler {

/// A limit on bytes that many owners hold together, e.g. the bodies of all requests under way. It
/// only counts: an owner adds what it holds, and those who would begin something new, or can give
/// something up, look at scarce() and exceeded().
/// Threads: safe from any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}

  void Add(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void Remove(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t limit() const { return limit_; }
  /// Half of it is used, `others` included: nothing new should begin. The other half is for what
  /// has begun to grow.
  bool scarce(std::size_t others = 0) const { return used() + others >= limit_ / 2; }
  /// More is used than there may be: no more should be taken.
  bool exceeded() const { return used() > limit_; }
  /// Half as much again is used: something has to be given up at once.
  bool exhausted() const { return used() > limit_ + limit_ / 2; }

  // The owners that can give something up agree on the one that does.

  /// `burden`: what the next thing that `owner` would give up is worth; 0: it has none.
  void SetBurden(const void* owner, double burden) CRAWLER_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (burden > 0) {
      burdens_[owner] = burden;
    } else {
      burdens_.erase(owner);
    }
  }
  /// Sets it, and returns whether no other owner has a greater one.
  bool IsHeaviest(const void* owner, double burden) CRAWLER_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    burdens_[owner] = burden;
    return std::all_of(burdens_.begin(), burdens_.end(),
                       [burden](const auto& other) { return other.second <= burden; });
  }

 private:
  Mutex mutex_;
  std::map<const void*, double> burdens_ CRAWLER_GUARDED_BY(mutex_);
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

/// The part of a MemoryBudget that one owner holds; given back with the owner. Without a budget it
/// counts nothing. A copy holds as much again.
class MemoryShare {
 public:
  MemoryShare() = default;
  explicit MemoryShare(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  MemoryShare(const MemoryShare& other) : budget_(other.budget_) { Resize(other.bytes_); }
  MemoryShare(MemoryShare&& other) noexcept
      : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryShare() { Resize(0); }

  void Resize(std::size_t bytes) {
    if (budget_ == nullptr || bytes == bytes_) return;
    if (bytes > bytes_) {
      budget_->Add(bytes - bytes_);
    } else {
      budget_->Remove(bytes_ - bytes);
    }
    bytes_ = bytes;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::size_t bytes_ = 0;
};

}  // namespace crawler

#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/mutex.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

/// A note about each host that has trouble at the moment. Few have, so that looking for one is
/// nearly free. Holds at most kMost notes; more are not taken.
/// Threads: safe from any thread.
template <typename Note>
class HostNotes {
 public:
  static constexpr std::size_t kMost = 10'000;

  /// Replaces an older note.
  void Put(HostId host, Note note) CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (notes_.size() >= kMost && notes_.count(host) == 0) return;
    notes_.insert_or_assign(host, std::move(note));
    count_.store(notes_.size(), std::memory_order_relaxed);
  }

  /// The note about the host, if there is one; forgets it.
  std::optional<Note> Take(HostId host) CRAWLER_EXCLUDES(mutex_) {
    if (count_.load(std::memory_order_relaxed) == 0) return std::nullopt;  // Nearly always.
    MutexLock lock(mutex_);
    auto node = notes_.extract(host);
    count_.store(notes_.size(), std::memory_order_relaxed);
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
  }

  std::optional<Note> Find(HostId host) const CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto it = notes_.find(host);
    if (it == notes_.end()) return std::nullopt;
    return it->second;
  }

 private:
  std::atomic<std::size_t> count_{0};
  mutable Mutex mutex_;
  std::unordered_map<HostId, Note> notes_ CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler

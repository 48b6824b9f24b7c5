#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "model/fetch_result.hpp"
#include "store/rows.hpp"

namespace crawler {

/// Counts durations in buckets, each with all that are not longer than its bound.
/// Threads: safe from any thread.
class DurationHistogram {
 public:
  /// In microseconds; longer ones are counted by `count` alone.
  static constexpr std::array<std::int64_t, 11> kBounds = {1'000,     5'000,     10'000,    25'000,
                                                           50'000,    100'000,   250'000,   500'000,
                                                           1'000'000, 5'000'000, 30'000'000};

  void Add(std::int64_t microseconds) {
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      if (microseconds <= kBounds[i]) {
        buckets_[i].fetch_add(1, std::memory_order_relaxed);
        break;
      }
    }
    sum_.fetch_add(static_cast<std::uint64_t>(microseconds), std::memory_order_relaxed);
    count_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Of the bucket alone, without the shorter ones.
  std::uint64_t bucket(std::size_t i) const { return buckets_[i].load(std::memory_order_relaxed); }
  std::uint64_t sum() const { return sum_.load(std::memory_order_relaxed); }  ///< Microseconds.
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size()> buckets_{};
  std::atomic<std::uint64_t> sum_{0};
  std::atomic<std::uint64_t> count_{0};
};

/// Durations and network events of a run, for monitoring. What a crawl has done is in CrawlTotals.
/// Threads: safe from any thread.
class CrawlMeters {
 public:
  static constexpr std::size_t kFailures = static_cast<std::size_t>(FetchFailure::kNoRoom) + 1;

  void AddVisit(const VisitRow& visit) {
    if (visit.failure != FetchFailure::kNone) Increment(&failures_[IndexOf(visit.failure)]);
    if (visit.total == 0) return;  // Nothing was sent.
    requests_.Add(visit.total);
    if (visit.resolved > 0) Increment(&lookups_);
    if (visit.connected > 0) Increment(&connections_);
    if (visit.secured > 0) Increment(&handshakes_);
  }
  void AddCommit(Duration took) {
    commits_.Add(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  }

  const DurationHistogram& requests() const { return requests_; }
  const DurationHistogram& commits() const { return commits_; }
  std::uint64_t lookups() const { return lookups_.load(std::memory_order_relaxed); }
  std::uint64_t connections() const { return connections_.load(std::memory_order_relaxed); }
  std::uint64_t handshakes() const { return handshakes_.load(std::memory_order_relaxed); }
  std::uint64_t failures(FetchFailure failure) const {
    return failures_[IndexOf(failure)].load(std::memory_order_relaxed);
  }

 private:
  static std::size_t IndexOf(FetchFailure failure) { return static_cast<std::size_t>(failure); }
  static void Increment(std::atomic<std::uint64_t>* count) {
    count->fetch_add(1, std::memory_order_relaxed);
  }

  DurationHistogram requests_;
  DurationHistogram commits_;
  std::atomic<std::uint64_t> lookups_{0}, connections_{0}, handshakes_{0};
  std::array<std::atomic<std::uint64_t>, kFailures> failures_{};
};

}  // namespace crawler

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "frontier/chunked_array.hpp"
#include "frontier/retry_policy.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

/// The state of a URL in its life cycle.
enum class UrlState : std::uint8_t {
  kSkipped,   ///< Known, not wanted so far.
  kKeptOut,   ///< Wanted, but the frontier was full.
  kWaiting,   ///< In its host's queue.
  kRetrying,  ///< Waiting for the time of its next try.
  kLeased,
  kOver,
};

/// The records of all known URLs by id, with 14 bytes per URL.
/// Requires: ids that Add() has returned. Threads: none of its own.
class UrlRecords {
 public:
  static constexpr UrlId kMostUrls = 0xFFFFFFF0;
  static constexpr std::uint8_t kMostFailures = 15;
  static constexpr HostId kMostHosts = (1u << 28) - 1;
  static constexpr std::uint32_t kMostPlace = (1u << 27) - 1;

  UrlRecords() { records_.Append(Record{}); }  // Ids begin at 1.

  UrlId size() const { return records_.size() - 1; }
  bool Has(UrlId id) const { return id != 0 && id < records_.size(); }

  /// A new one, skipped for now. `low` is the lower half of its fingerprint.
  UrlId Add(std::uint32_t low, HostId host) {
    return records_.Append(Record{low, host << kHostShift, 0, 0});
  }
  void Prefetch(UrlId id) const { __builtin_prefetch(&records_[id]); }

  std::uint32_t low(UrlId id) const { return records_[id].low; }
  HostId host(UrlId id) const { return records_[id].host_and_state >> kHostShift; }

  UrlState state(UrlId id) const {
    return static_cast<UrlState>(records_[id].host_and_state & kStateMask);
  }
  void set_state(UrlId id, UrlState state) {
    Record& record = records_[id];
    record.host_and_state =
        (record.host_and_state & ~kStateMask) | static_cast<std::uint32_t>(state);
  }
  bool urgent(UrlId id) const { return (records_[id].host_and_state & kUrgentBit) != 0; }
  void set_urgent(UrlId id) {
    Record& record = records_[id];
    record.host_and_state = record.host_and_state | kUrgentBit;
  }

  /// Times it failed: 0 to kMostFailures.
  std::uint8_t failures(UrlId id) const {
    return static_cast<std::uint8_t>(records_[id].place_and_failures & kFailuresMask);
  }
  void set_failures(UrlId id, std::uint8_t failures) {
    assert(failures <= kFailuresMask);
    Record& record = records_[id];
    record.place_and_failures = (record.place_and_failures & ~kFailuresMask) | failures;
  }

  /// Its host has asked to wait instead of answering with it.
  bool throttled(UrlId id) const { return (records_[id].place_and_failures & kThrottledBit) != 0; }
  void set_throttled(UrlId id) {
    Record& record = records_[id];
    record.place_and_failures = record.place_and_failures | kThrottledBit;
  }
  /// It failed or was throttled: it comes behind the URLs of its host that never were.
  bool tried(UrlId id) const { return (records_[id].place_and_failures & kTriedMask) != 0; }

  /// Its place in its host's queue, while it is in there.
  std::uint32_t place(UrlId id) const { return records_[id].place_and_failures >> kPlaceShift; }
  void set_place(UrlId id, std::uint32_t place) {
    Record& record = records_[id];
    record.place_and_failures = (place << kPlaceShift) | (record.place_and_failures & kTriedMask);
  }

  /// Links seen to it. Exact: the few with more than fit are counted in a table of their own.
  std::uint32_t links(UrlId id) const {
    const std::uint16_t links = records_[id].links;
    return links < kManyLinks ? links : many_links_.find(id)->second;
  }
  void AddLink(UrlId id) {
    Record& record = records_[id];
    if (record.links == kManyLinks) {
      std::uint32_t& links = many_links_[id];
      if (links != 0xFFFFFFFF) ++links;
      return;
    }
    record.links = static_cast<std::uint16_t>(record.links + 1);
    if (record.links == kManyLinks) many_links_.emplace(id, kManyLinks);
  }

  /// The worth of a URL has the place of its links: an order needs the one or the other.
  std::uint16_t worth(UrlId id) const { return records_[id].links; }
  /// Whether that changed anything.
  bool RaiseWorth(UrlId id, std::uint16_t worth) {
    Record& record = records_[id];
    if (record.links >= worth) return false;
    record.links = worth;
    return true;
  }

  /// The first URL that became known by the same offer. Also in the place of the links; an offer
  /// of more new URLs than fit counts as several.
  UrlId first_of_offer(UrlId id) const { return id - records_[id].links; }
  void set_first_of_offer(UrlId id, UrlId first) {
    records_[id].links = static_cast<std::uint16_t>((id - first) & 0xFFFF);
  }

  std::size_t memory() const {
    // A node of the table holds the pair, a pointer and what malloc() adds.
    return records_.memory() + many_links_.size() * 32 + many_links_.bucket_count() * 8;
  }

 private:
  static constexpr std::uint32_t kStateMask = 7, kUrgentBit = 8, kFailuresMask = kMostFailures;
  static constexpr std::uint32_t kThrottledBit = 16, kTriedMask = kFailuresMask | kThrottledBit;
  static constexpr int kHostShift = 4, kPlaceShift = 5;
  static constexpr std::uint16_t kManyLinks = 0xFFFF;

  struct [[gnu::packed]] Record {
    std::uint32_t low;
    std::uint32_t host_and_state;      // 28 bits, urgent, 3 bits.
    std::uint32_t place_and_failures;  // 27 bits, throttled, 4 bits.
    std::uint16_t links;
  };
  static_assert(sizeof(Record) == 14);
  static_assert(RetryPolicy::kMostRetries <= kMostFailures, "failures are kept in four bits");

  ChunkedArray<Record, 16384> records_;
  std::unordered_map<UrlId, std::uint32_t> many_links_;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "model/crawl_ids.hpp"
#include "store/warc_digest.hpp"

namespace crawler {

/// The first page with each content. Compares 64 bits of a SHA-256: in one of forty crawls of a
/// billion pages, two different pages have the same bits; one is then marked as a duplicate of the
/// other, and both are stored. About 20 bytes per page.
/// Threads: safe from any thread.
class ContentIndex {
 public:
  struct First {
    UrlId url = 0;
    std::uint32_t at = 0;  ///< Seconds since 1970.
  };

  std::optional<First> Find(const Sha256Digest& digest) const CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (entries_.empty()) return std::nullopt;
    const Entry& entry = entries_[Slot(KeyOf(digest))];
    if (entry.first.url == 0 || entry.first.url == kNobody) return std::nullopt;
    return entry.first;
  }

  /// The first page with the content if that is not `page`; 0 if there is none.
  UrlId FirstOther(const Sha256Digest& digest, UrlId page) const CRAWLER_EXCLUDES(mutex_) {
    const std::optional<First> first = Find(digest);
    return first && first->url != page ? first->url : 0;
  }

  /// Keeps the one that is there already, if any.
  void Add(const Sha256Digest& digest, First first) CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (4 * (used_ + 1) > 3 * entries_.size()) Grow();
    Entry& entry = entries_[Slot(KeyOf(digest))];
    if (entry.first.url != 0 && entry.first.url != kNobody) return;
    used_ += entry.first.url == 0;
    entry = {KeyOf(digest), first};
  }

  /// `url` does not have the content any more. If it was the first page with it, `heir` becomes the
  /// first; 0: no page has the content.
  void Replace(const Sha256Digest& digest, UrlId url, UrlId heir) CRAWLER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (entries_.empty()) return;
    First& first = entries_[Slot(KeyOf(digest))].first;
    if (first.url == url) first.url = heir != 0 ? heir : kNobody;
  }

 private:
  static constexpr UrlId kNobody = 0xFFFFFFFF;  // An entry that is free, but not empty.

  struct Entry {
    std::uint64_t key = 0;
    First first;
  };

  static std::uint64_t KeyOf(const Sha256Digest& digest) {
    std::uint64_t key = 0;
    std::memcpy(&key, digest.data(), sizeof key);
    return key;
  }

  // Linear probing from where the upper bits of the key point, so that growing keeps the order.
  std::size_t Slot(std::uint64_t key) const CRAWLER_REQUIRES(mutex_) {
    std::size_t slot = static_cast<std::size_t>(((key >> 32) * entries_.size()) >> 32);
    while (entries_[slot].first.url != 0 && entries_[slot].key != key) {
      if (++slot == entries_.size()) slot = 0;
    }
    return slot;
  }

  void Grow() CRAWLER_REQUIRES(mutex_) {
    std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 3 / 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.first.url != 0) entries_[Slot(entry.key)] = entry;
    }
  }

  mutable Mutex mutex_;
  std::vector<Entry> entries_ CRAWLER_GUARDED_BY(mutex_);
  std::size_t used_ CRAWLER_GUARDED_BY(mutex_) = 0;
};

}  // namespace crawler

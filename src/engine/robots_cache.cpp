#include "engine/robots_cache.hpp"

#include <utility>

namespace crawler {
namespace {

// An entry and a record without rules.
constexpr std::size_t kBytesPerEntry = 256;

}  // namespace

void RobotsCache::Put(HostId host, std::shared_ptr<const RobotsRecord> record, std::size_t bytes) {
  MutexLock lock(mutex_);
  if (const auto known = places_.find(host); known != places_.end()) {
    held_ -= known->second->bytes;
    entries_.erase(known->second);
    places_.erase(known);
  }
  entries_.push_front({host, bytes + kBytesPerEntry, std::move(record)});
  places_[host] = entries_.begin();
  held_ += entries_.front().bytes;
  while (held_ > room_ && entries_.size() > 1) {
    held_ -= entries_.back().bytes;
    places_.erase(entries_.back().host);
    entries_.pop_back();
  }
}

std::shared_ptr<const RobotsRecord> RobotsCache::Find(HostId host) {
  MutexLock lock(mutex_);
  const auto known = places_.find(host);
  if (known == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, known->second);
  return known->second->record;
}

}  // namespace crawler

#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>

#include "base/mutex.hpp"
#include "model/crawl_ids.hpp"
#include "robots/robots_record.hpp"

namespace crawler {

/// The rules of the hosts that were asked last. Rules that had to make room are in the catalogue.
/// Threads: safe from any thread.
class RobotsCache {
 public:
  /// Holds the rules of about `room` bytes of robots.txt, those used last; one host at least.
  explicit RobotsCache(std::size_t room) : room_(room) {}

  /// `bytes`: the size of the file that `record` was read from.
  void Put(HostId host, std::shared_ptr<const RobotsRecord> record, std::size_t bytes)
      CRAWLER_EXCLUDES(mutex_);
  /// Null if there is none.
  std::shared_ptr<const RobotsRecord> Find(HostId host) CRAWLER_EXCLUDES(mutex_);

 private:
  struct Entry {
    HostId host = 0;
    std::size_t bytes = 0;
    std::shared_ptr<const RobotsRecord> record;
  };

  const std::size_t room_;
  Mutex mutex_;
  std::list<Entry> entries_ CRAWLER_GUARDED_BY(mutex_);  // The one used last comes first.
  std::unordered_map<HostId, std::list<Entry>::iterator> places_ CRAWLER_GUARDED_BY(mutex_);
  std::size_t held_ CRAWLER_GUARDED_BY(mutex_) = 0;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "url/address.hpp"

namespace crawler {

/// The hosts whose addresses were passed to libcurl (CURLOPT_RESOLVE), and when they expire. The
/// list is kept short, because libcurl's own hash table is small.
/// Threads: one at a time.
class HostAddresses {
 public:
  explicit HostAddresses(std::size_t capacity) : capacity_(capacity) {}

  /// Whether libcurl has valid addresses for `key`, which is "host:port".
  bool Knows(const std::string& key, TimePoint now);

  /// The lines that pass the addresses of `key` to libcurl, and remove the hosts that make room for
  /// it.
  std::vector<std::string> Tell(const std::string& key, const std::vector<IpAddress>& addresses,
                                TimePoint expires);

  /// Notes that libcurl has read the lines of Tell(). Until then every request has to pass them.
  void Confirm(const std::string& key);

 private:
  struct Entry {
    std::string key;
    TimePoint expires;
    bool confirmed = false;
  };

  const std::size_t capacity_;
  std::list<Entry> entries_;  // Least recently used first.
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
};

}  // namespace crawler

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

/// Which hosts' addresses libcurl has been told (CURLOPT_RESOLVE), and until when they hold. The
/// list is kept short, because libcurl's own table is a small one with long chains.
/// Threads: one at a time.
class HostAddresses {
 public:
  explicit HostAddresses(std::size_t capacity) : capacity_(capacity) {}

  /// Whether libcurl knows good addresses for `key`, which is "host:port".
  bool Knows(const std::string& key, TimePoint now);

  /// The lines that tell libcurl the addresses of `key`, and to forget others for them.
  std::vector<std::string> Tell(const std::string& key, const std::vector<IpAddress>& addresses,
                                TimePoint expires);

  /// libcurl has read the lines of Tell(). Until then every request has to bring them.
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

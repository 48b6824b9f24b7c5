#include "fetch/host_addresses.hpp"

#include <iterator>

namespace crawler {

bool HostAddresses::Knows(const std::string& key, TimePoint now) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return false;
  entries_.splice(entries_.end(), entries_, found->second);
  return found->second->confirmed && found->second->expires > now;
}

std::vector<std::string> HostAddresses::Tell(const std::string& key,
                                             const std::vector<IpAddress>& addresses,
                                             TimePoint expires) {
  std::vector<std::string> lines;
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    found->second->expires = expires;
  } else {
    entries_.push_back({key, expires});
    by_key_.emplace(entries_.back().key, std::prev(entries_.end()));
    if (entries_.size() > capacity_) {
      lines.push_back("-" + entries_.front().key);
      by_key_.erase(entries_.front().key);
      entries_.pop_front();
    }
  }
  std::string& line = lines.emplace_back(key);
  char separator = ':';
  for (const IpAddress& address : addresses) {
    line.append(1, separator).append(address.ToString());
    separator = ',';
  }
  return lines;
}

void HostAddresses::Confirm(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) found->second->confirmed = true;
}

}  // namespace crawler

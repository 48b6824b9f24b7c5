#include "fetch/lookup_cache.hpp"

#include <utility>

namespace crawler {

LookupCache::Answer LookupCache::Find(std::string_view host, HostResolver::Callback& done,
                                      bool* look_up) {
  *look_up = false;
  const std::string name(host);
  const auto found = entries_.find(name);
  if (found != entries_.end() && found->second.answer != nullptr &&
      found->second.answer->expires > Clock::System().Now()) {
    return found->second.answer;
  }
  if (found == entries_.end()) MakeRoom();
  Entry& entry = entries_[name];
  *look_up = entry.answer != nullptr || entry.waiting.empty();
  entry.answer = nullptr;
  entry.waiting.push_back(std::move(done));
  return nullptr;
}

std::vector<HostResolver::Callback> LookupCache::Put(const std::string& host, Answer answer) {
  const auto found = entries_.find(host);
  if (found == entries_.end()) return {};
  found->second.answer = std::move(answer);
  return std::exchange(found->second.waiting, {});
}

// Drops expired entries and, if that is not enough, any entry that is not being looked up.
void LookupCache::MakeRoom() {
  if (entries_.size() < max_entries_) return;
  const TimePoint now = Clock::System().Now();
  std::erase_if(entries_, [now](const auto& item) {
    return item.second.answer != nullptr && item.second.answer->expires <= now;
  });
  if (entries_.size() < max_entries_) return;
  std::erase_if(entries_, [](const auto& item) { return item.second.answer != nullptr; });
}

}  // namespace crawler

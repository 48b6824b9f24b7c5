#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fetch/resolver.hpp"

namespace crawler {

/// The answers of a resolver until they expire, and the callbacks that wait for one. Simultaneous
/// requests for one name share a lookup.
/// Threads: one at a time; resolvers have a lock.
class LookupCache {
 public:
  using Answer = std::shared_ptr<const ResolvedHost>;

  /// Holds about `max_entries` names.
  explicit LookupCache(std::size_t max_entries) : max_entries_(max_entries) {}

  /// The answer if it is known. Otherwise null: `done` was moved and waits, and `*look_up` says
  /// whether the name is to be looked up, or is already.
  Answer Find(std::string_view host, HostResolver::Callback& done, bool* look_up);

  /// Keeps the answer of a lookup; returns the callbacks that wait for it.
  std::vector<HostResolver::Callback> Put(const std::string& host, Answer answer);

  void clear() { entries_.clear(); }

 private:
  struct Entry {
    Answer answer;  // Null while it is being looked up.
    std::vector<HostResolver::Callback> waiting;
  };

  void MakeRoom();

  const std::size_t max_entries_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace crawler

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/status.hpp"

namespace crawler {

/// The delays that a user has set for some hosts. The rule that names a host most exactly decides:
/// the host itself, then the longest domain above it.
/// A plain value. Threads: reading is safe from any thread.
class HostDelays {
 public:
  /// Adds a rule; a second one for the same name replaces the first. `name` is a host
  /// ("www.example.org", "127.0.0.1"), "*.example.org" for all hosts below that name, or a
  /// registrable domain ("example.org") for itself and all hosts below it.
  /// kInvalidArgument if it is none of these.
  Status Add(std::string_view name, std::chrono::milliseconds delay);

  /// The delay for the host of `origin` (scheme://host[:port]), if a rule names it.
  std::optional<std::chrono::milliseconds> Find(std::string_view origin) const;
  bool empty() const { return hosts_.empty() && below_.empty(); }

 private:
  std::unordered_map<std::string, std::chrono::milliseconds> hosts_;
  std::unordered_map<std::string, std::chrono::milliseconds> below_;  // Of the hosts below a name.
};

}  // namespace crawler

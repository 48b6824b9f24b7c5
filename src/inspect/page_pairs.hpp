#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

/// A page as a catalogue has it.
struct PageVersion {
  std::string url, hash, title;
  std::int64_t id = 0, status = 0, size = 0;
  bool truncated = false;
};

/// Whether the content differs. A body that was cut says nothing of the rest.
inline bool HasChanged(const PageVersion& before, const PageVersion& after) {
  return before.hash != after.hash && !before.truncated && !after.truncated;
}

/// The pages of two catalogues side by side, in the order of their URLs: memory does not grow with
/// them. Calls `visit` for every URL; one of the versions is null if that crawl has no such page.
/// They are valid during the call. With a `url`, for that page alone.
Status ForEachPagePair(
    Database& before, Database& after, std::string_view url,
    const std::function<Status(const PageVersion* before, const PageVersion* after)>& visit);

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/link_graph.hpp"

namespace crawler {

/// Indexes what links say of the pages they lead to: the words of a link's text, in the language of
/// the page it leads to, counted once a link. Makes the anchor segment anew if links, redirects or
/// pages were added since it was made; otherwise there is nothing to do.
/// Holds about `max_memory` bytes. Ends with kCancelled when `stop` says so; a merge that has begun
/// goes on the next time. `*links` is how many were read.
Status IndexAnchors(Database& db, const UrlPages& urls, std::size_t max_memory,
                    const std::function<bool()>& stop, std::uint64_t* links);

}  // namespace crawler

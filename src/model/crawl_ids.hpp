#pragma once

#include <cstdint>

namespace crawler {

/// A URL of a crawl: its row in `urls`. Assigned in order of discovery, from 1; 0 means none.
using UrlId = std::uint32_t;
/// A host of a crawl, likewise: its row in `hosts`.
using HostId = std::uint32_t;

}  // namespace crawler

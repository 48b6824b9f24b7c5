#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "crawler/data.hpp"
#include "inspect/read_snapshot.hpp"

namespace crawler {

/// Writes the URLs of a crawl and the links between them, in kGraphml, kUrlList or kAdjacency. Node
/// n is the URL with id n. kCancelled if the sink wants no more.
Status WriteGraph(CatalogueSnapshot& snapshot, DataFormat format, const TextSink& write,
                  std::uint64_t* rows);

}  // namespace crawler

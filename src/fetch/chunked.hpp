#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "model/fetch_result.hpp"

namespace crawler {

/// The parts of a chunked body (RFC 9112, 7.1).
struct ChunkedBody {
  std::vector<FetchResult::Part> parts;  ///< The payload, neighbouring pieces in order.
  std::size_t payload_size = 0;
  std::size_t end = 0;         ///< Where the body ends in the input; its size if it is incomplete.
  bool complete = false;       ///< The last chunk and the end of the trailers were there.
  std::string_view malformed;  ///< Why the body is malformed, or empty. Static text.
};

/// Finds the chunks in `raw`, which is at most 4 GiB. Line ends may lack their CR, sizes may have
/// leading zeros, extensions and trailers are skipped. Linear in the size of `raw`.
ChunkedBody ReadChunks(std::string_view raw);

}  // namespace crawler

#pragma once

#include <cstddef>
#include <string_view>

namespace synthetic {

/// The parts of a request that the server looks at; views into what was parsed.
struct RequestHead {
  enum class State { kIncomplete, kComplete, kBad };
  State state = State::kIncomplete;
  std::string_view method, path;
  bool close = false;    ///< The client wants, or its version implies, no further request.
  bool gzip = false;     ///< In Accept-Encoding.
  std::size_t size = 0;  ///< Bytes of the head, with the empty line.
};

/// Reads the first request head of `bytes`. Heads beyond 64 KiB, requests with bodies and what is
/// not HTTP/1 are kBad: the connection cannot go on.
RequestHead ParseRequestHead(std::string_view bytes);

}  // namespace synthetic

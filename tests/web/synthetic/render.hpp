#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "web/synthetic/resource.hpp"

namespace synthetic {

/// Appends the body of `resource`, which is what `target` names. Deterministic.
void AppendBody(std::string& out, const Web& web, const Target& target, const Resource& resource);

/// What goes around a body.
struct Head {
  int status = 200;
  std::string_view content_type = "text/html; charset=utf-8";
  std::uint64_t length = 0;
  bool close = false;
  bool gzip = false;
  std::string extra;  ///< Whole lines, each with its CRLF.
};

/// Appends an HTTP/1.1 response head, up to and with the empty line.
void AppendHead(std::string& out, const Head& head);

std::string_view ContentType(const Resource& resource);

/// "http://host:port/path" of a target.
std::string UrlOf(const Web& web, const Target& target);

/// `seconds` after 1970 as HTTP writes dates: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(std::int64_t seconds);

/// `data` as one gzip member of stored blocks: valid, and made without a library.
std::string GzipStored(std::string_view data);

}  // namespace synthetic

#pragma once

#include <string>
#include <string_view>

#include "url/url.hpp"

namespace crawler {

/// Runs the standard's host parser on the bytes between the slashes (no port, no credentials) and
/// appends the serialised host. False if it is no host; `*out` then holds part of one.
/// `special`: the scheme is special, so the host is a domain or an address and not opaque.
bool AppendHost(std::string_view input, bool special, std::string* out, Url::HostKind* kind);

}  // namespace crawler

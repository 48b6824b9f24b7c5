#pragma once

#include <string>
#include <string_view>

#include "url/url.hpp"

namespace crawler {

/// Runs the host parser of the URL Standard on `input` (no port, no credentials) and appends the
/// serialised host. False if `input` is not a valid host; `*out` is then unspecified.
/// `special`: the scheme is special, so the host is a domain or an address and not opaque.
bool AppendHost(std::string_view input, bool special, std::string* out, Url::HostKind* kind);

}  // namespace crawler

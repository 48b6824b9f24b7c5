#pragma once

#include <string_view>

#include "base/status.hpp"
#include "url/url.hpp"

namespace crawler {

/// Parses a URL that a person has typed. kInvalidArgument if it cannot be requested; the message
/// tells a missing scheme from another scheme, and suggests the URL that was probably meant.
Result<Url> ParseGivenUrl(std::string_view text);

}  // namespace crawler

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "url/url.hpp"

namespace crawler {

/// Where the content of `url` is kept as a file: its folders, outermost first, and its name, last:
/// {"example.org", "docs", "a.html"}. Parts are of letters, digits and "-._~%" only, are not "." or
/// "..", and have at most 120 bytes; so no URL leaves the folder that it is written into. Different
/// URLs may have the same name. `media_type` gives a suffix to names without one.
std::vector<std::string> FileNameOf(const Url& url, std::string_view media_type);

}  // namespace crawler

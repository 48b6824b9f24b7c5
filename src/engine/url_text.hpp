#pragma once

#include <functional>
#include <string>

#include "base/status.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

/// Looks up the text of a known URL. Fails if the catalogue cannot be read.
using UrlTextLookup = std::function<Result<std::string>(UrlId)>;

}  // namespace crawler

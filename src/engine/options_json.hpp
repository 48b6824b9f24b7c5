#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/options.hpp"

namespace crawler {

/// The options of a crawl in the form that its folder stores: all but the folder itself, and
/// without secrets. Passwords and tokens are in environment variables that the options name. User
/// and password of a proxy are left out; a resume needs them again.
std::string ToJson(const CrawlOptions& options);

/// kCorruption if `json` is not what ToJson() writes; fields that are missing keep their defaults,
/// those that are unknown are ignored.
Result<CrawlOptions> OptionsFromJson(std::string_view json);

}  // namespace crawler

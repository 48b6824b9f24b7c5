#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/options.hpp"

namespace crawler {

/// The options of a crawl as its folder keeps them: all but the folder itself. Secrets are not in
/// them: options name the environment variables that hold them, and of a proxy its user and
/// password are left out, to be given again when the crawl is resumed.
std::string ToJson(const CrawlOptions& options);

/// kCorruption if `json` is not what ToJson() writes; fields that are missing keep their defaults,
/// those that are unknown are ignored.
Result<CrawlOptions> OptionsFromJson(std::string_view json);

}  // namespace crawler

#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "crawler/options.hpp"
#include "url/normalize.hpp"
#include "url/scope.hpp"
#include "url/url.hpp"

namespace crawler {

NormalizeOptions ToNormalizeOptions(const CrawlOptions& options);

/// The seeds of `options` in normal form. kInvalidArgument, naming it, if one is no http or https
/// URL.
Result<std::vector<Url>> ParseSeeds(const CrawlOptions& options);

/// The seeds that a search has found, in normal form.
std::set<std::string, std::less<>> SearchedUrls(const CrawlOptions& options);

/// Removes user and password from all seeds; false if no seed has any. They are never sent, so they
/// must not be stored either.
bool RemoveCredentials(std::vector<std::string>* seeds);

/// The scope of a crawl with its seeds in it. kInvalidArgument if a pattern or a seed is wrong.
Result<std::unique_ptr<Scope>> MakeScope(const CrawlOptions& options);

}  // namespace crawler

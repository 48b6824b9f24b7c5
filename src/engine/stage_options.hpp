#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "crawler/options.hpp"
#include "fetch/options.hpp"
#include "frontier/frontier_options.hpp"
#include "frontier/retry_policy.hpp"
#include "url/normalize.hpp"
#include "url/scope.hpp"
#include "url/url.hpp"

namespace crawler {

// The options of the public interface, and the parts and options of the stages that follow from
// them. Threads: safe.

/// kInvalidArgument, saying which, if an option makes no sense. Seeds, scope and network are
/// checked by the functions below.
Status CheckOptions(const CrawlOptions& options);

NormalizeOptions ToNormalizeOptions(const CrawlOptions& options);

/// The seeds of `options` in normal form. kInvalidArgument, naming it, if one is no http or https
/// URL.
Result<std::vector<Url>> ParseSeeds(const CrawlOptions& options);

/// The seeds that a search has found, in normal form.
std::set<std::string, std::less<>> SearchedUrls(const CrawlOptions& options);

/// Removes user and password from all seeds; false if no seed has any. They are never sent, so they
/// must not be stored either.
bool RemoveCredentials(std::vector<std::string>* seeds);

/// The scope of a crawl with its seeds in it. kInvalidArgument if a pattern is wrong.
Result<std::unique_ptr<Scope>> MakeScope(const CrawlOptions& options,
                                         const std::vector<Url>& seeds);

/// Whether requests contain secrets.
bool HasCredentials(const NetworkOptions& options);

/// The fetcher's options for those of the public interface. Credentials are for the origins of
/// `urls` and `from.credential_origins`, and no others. kInvalidArgument, saying which, if an
/// option makes no sense.
Result<FetchOptions> ToFetchOptions(const NetworkOptions& from,
                                    const std::vector<std::string>& urls);

RetryPolicy ToRetryPolicy(const CrawlOptions& from);

/// Requires: CheckOptions(). `connections`: requests at a time.
FrontierOptions ToFrontierOptions(const CrawlOptions& from, int connections,
                                  std::uint64_t hash_key);

}  // namespace crawler

#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"
#include "crawler/options.hpp"
#include "fetch/options.hpp"

namespace crawler {

/// Whether requests contain secrets.
bool HasCredentials(const NetworkOptions& options);

/// The fetcher's options for those of the public interface. Credentials are for the origins of
/// `urls` and `from.credential_origins`, and no others. kInvalidArgument, saying which, if an
/// option makes no sense.
Result<FetchOptions> ToFetchOptions(const NetworkOptions& from,
                                    const std::vector<std::string>& urls);

}  // namespace crawler

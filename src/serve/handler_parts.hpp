#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/data.hpp"
#include "inspect/catalogue_lists.hpp"
#include "serve/http_message.hpp"

namespace crawler {

// What handlers share.

/// How long a request waits for others before it is refused with 503.
inline constexpr std::chrono::milliseconds kPatience{3'000};

/// The response for a failure of our side or of the request.
HttpResponse FailureResponse(const Status& status);
HttpResponse BusyResponse();

/// A number of the query. `*value` stays as it is if it is not given. False if it is none, or not
/// in the range.
bool ReadNumber(const HttpRequest& request, std::string_view name, std::int64_t least,
                std::int64_t most, std::int64_t* value);

/// limit, offset, sort, order, q and status of the query. kInvalidArgument, saying what is wrong.
Result<ListRequest> ReadListRequest(const HttpRequest& request);

}  // namespace crawler

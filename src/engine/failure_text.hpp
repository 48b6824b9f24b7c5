#pragma once

#include <string>
#include <string_view>

#include "model/fetch_result.hpp"

namespace crawler {

// Failures of the web in words, for `crawler fetch` and `crawler crawl` alike.

/// "forbidden", "not found", …; empty for codes that few people meet. Static text.
std::string_view StatusText(int status);

/// "answered 403 (forbidden)". Continues a sentence that begins with a URL.
std::string DescribeStatus(int status);

/// Advice about a request that failed, as a sentence; empty if there is nothing
/// particular. `message` is FetchResult::message, or a text that contains it.
std::string FailureHint(FetchFailure failure, std::string_view message);

/// Likewise about a response with this status.
std::string StatusHint(int status);

/// Likewise about a refusal of robots.txt.
std::string RobotsHint();

}  // namespace crawler

#include "engine/robots_fetch.hpp"

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "fetch/http_fields.hpp"
#include "robots/robots_txt.hpp"

namespace crawler {
namespace {

bool IsRedirect(int status) { return status >= 300 && status < 400 && status != 304; }

// Whether the response can be used: a file must be whole, or cut at our limit; of other responses
// the status is enough. A file that broke off is not used: the missing part may be the line that
// refuses.
bool IsUsable(const FetchResult& result) {
  if (result.status == 0) return false;
  if (result.status >= 200 && result.status <= 299) {
    return result.failure == FetchFailure::kTooLarge ||
           (result.ok() && !result.decoding_incomplete);
  }
  // A redirect that breaks off was not followed, so the rules are not known.
  if (IsRedirect(result.status)) return result.ok();
  return result.ok() || result.failure == FetchFailure::kTooLarge ||
         result.failure == FetchFailure::kReadTimeout ||
         result.failure == FetchFailure::kDisconnected;
}

std::optional<std::chrono::seconds> MaxAge(const HeaderBlock& headers) {
  constexpr std::string_view kDirective = "max-age=";
  const std::string value = headers.Joined("Cache-Control");
  std::string_view rest = value;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view directive = TrimBlanks(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (directive.size() <= kDirective.size() ||
        !EqualsIgnoringCase(directive.substr(0, kDirective.size()), kDirective)) {
      continue;
    }
    std::uint32_t seconds = 0;
    const char* const begin = directive.data() + kDirective.size();
    if (std::from_chars(begin, directive.data() + directive.size(), seconds).ec == std::errc()) {
      return std::chrono::seconds(seconds);
    }
  }
  return std::nullopt;
}

}  // namespace

FetchRequest RobotsRequest(const Url& url) {
  FetchRequest request;
  ParseUrl(RobotsUrlOf(url), nullptr, &request.url);
  request.max_body = kMaxRobotsBytes;
  request.any_type = true;
  return request;
}

RobotsFetch ToRobotsFetch(const FetchResult& result) {
  RobotsFetch fetch;
  fetch.status = result.status;
  if (!IsUsable(result)) return fetch;  // kUnreachable
  fetch.outcome = IsRedirect(result.status) ? RobotsFetch::Outcome::kTooManyRedirects
                                            : RobotsFetch::Outcome::kResponse;
  fetch.max_age = MaxAge(result.headers);
  if (const auto retry_after = result.headers.Find("Retry-After")) {
    fetch.retry_after = ParseRetryAfter(*retry_after, result.started, kLongestRetryAfter);
  }
  return fetch;
}

}  // namespace crawler

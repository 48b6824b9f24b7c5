#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "model/fetch_result.hpp"
#include "model/headers.hpp"
#include "url/url.hpp"

namespace crawler {

/// How the end of a response body is found (RFC 9112, 6.3), or why it cannot be found.
struct BodyFraming {
  enum class Kind : std::uint8_t {
    kNone,        ///< There is no body.
    kLength,      ///< `length` bytes.
    kChunked,     ///< Chunks, the last of them empty.
    kUntilClose,  ///< All bytes until the connection closes.
    kBad,         ///< The head contradicts itself; `flaw` says how.
  };
  Kind kind = Kind::kNone;
  std::uint64_t length = 0;  ///< Size of a kLength body; larger values count as 2^64-1.
  std::string_view flaw;     ///< Static text.
  /// Both a length and chunks are announced: the chunks count; the connection must not be reused.
  bool ambiguous = false;
};

BodyFraming ReadFraming(const HeaderBlock& headers, int status, FetchRequest::Method method);

/// The status code of a status line, "HTTP/1.1 200 OK" or "HTTP/2 200"; 0 if there is no code of
/// three digits, or the version is not 1.0, 1.1, 2 or 3.
int ParseStatusLine(std::string_view line);

/// Whether the beginning of a body cannot be text: it holds a byte the MIME Sniffing Standard
/// calls binary, and does not start with the byte order mark of UTF-16.
bool LooksBinary(std::string_view body);

/// Longer Retry-After values count as this.
inline constexpr std::chrono::hours kLongestRetryAfter{24};

/// The time to wait that Retry-After asks for, as seconds or as a date: never negative, at most
/// `cap`. Nothing if it says neither.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, WallTime now,
                                                    std::chrono::seconds cap);

/// A date in one of the three forms of RFC 9110, 5.6.7. Dates before 1900 count as its beginning,
/// dates after 2200 as its end.
std::optional<WallTime> ParseHttpDate(std::string_view text);

/// The target of a redirect.
struct RedirectTarget {
  std::optional<Url> url;  ///< Resolved; may be of a scheme that is not followed.
  std::string_view flaw;   ///< Set when the Location fields contradict each other. Static text.
};

/// Reads the target of a 301, 302, 303, 307 or 308; nothing for other codes and for an empty or
/// invalid Location.
RedirectTarget ReadRedirect(const HeaderBlock& headers, int status, const Url& base);

}  // namespace crawler

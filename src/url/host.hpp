#pragma once

#include <string>
#include <string_view>

#include "url/url.hpp"

namespace crawler {

/// Runs the standard's host parser on the bytes between the slashes (no port, no credentials) and
/// appends the serialised host. False if it is no host; `*out` then holds part of one.
/// `special`: the scheme is special, so the host is a domain or an address and not opaque.
bool AppendHost(std::string_view input, bool special, std::string* out, Url::HostKind* kind);

/// Appends the result of "domain to ASCII" (not strict): UTS 46, non-transitional, for a domain in
/// UTF-8; ASCII is only put into lower case. False if the domain is invalid.
bool AppendDomainToAscii(std::string_view domain, std::string* out);

/// Names longer than this that are not ASCII are refused unread: punycode takes quadratic time, and
/// DNS ends at 253 characters.
inline constexpr std::size_t kMaxUnicodeDomain = 4096;

}  // namespace crawler

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crawler {

/// Appends the result of the URL Standard's "domain to ASCII", not strict: UTS 46,
/// non-transitional, for a domain in UTF-8 (bytes that are not UTF-8 become U+FFFD, which no domain
/// may contain). A domain in ASCII is only put into lower case; its xn-- labels are not checked.
/// False if the domain is invalid.
bool AppendDomainToAscii(std::string_view domain, std::string* out);

/// The longest domain outside of ASCII that is parsed, in bytes: punycode takes quadratic time, and
/// DNS ends at 253 characters.
inline constexpr std::size_t kMaxUnicodeDomain = 4096;

}  // namespace crawler

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawler {

using Ipv6Bytes = std::array<std::uint8_t, 16>;

/// Reads IPv6 text without brackets ("::1", "::ffff:192.0.2.1") as the URL Standard does; false,
/// with `*out` unspecified, if `text` is not an IPv6 address.
bool ParseIpv6Text(std::string_view text, Ipv6Bytes* out);

/// Appends the address with the longest run of zeros compressed (RFC 5952), without brackets.
void AppendIpv6Text(const Ipv6Bytes& address, std::string* out);

/// Appends dotted decimal.
void AppendIpv4Text(std::uint32_t address, std::string* out);

}  // namespace crawler

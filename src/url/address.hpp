#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

struct sockaddr;

namespace crawler {

class Url;

/// An IPv4 or IPv6 address in binary form. A v4-mapped IPv6 address (::ffff:a.b.c.d) is taken for
/// the IPv4 address it is, so there is one form to compare. Scope ids are not kept.
class IpAddress {
 public:
  static IpAddress V4(std::uint32_t host_order);
  static IpAddress V6(const std::array<std::uint8_t, 16>& bytes);

  /// "192.0.2.1" in plain dotted decimal, or IPv6 text with or without brackets; nothing for
  /// anything else. (ParseUrl() has already converted other spellings of IPv4.)
  static std::optional<IpAddress> FromText(std::string_view text);
  /// Nothing if the family is not AF_INET or AF_INET6, or `length` is too short for it.
  static std::optional<IpAddress> FromSockaddr(const sockaddr* address, std::size_t length);
  /// The host of `url` if it is an address.
  static std::optional<IpAddress> FromUrl(const Url& url);

  bool is_v4() const { return is_v4_; }
  /// Requires: is_v4().
  std::uint32_t v4() const;
  /// 4 or 16 bytes in network order. Valid as long as this object.
  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), is_v4_ ? 4u : 16u}; }
  /// "192.0.2.1", "2001:db8::1" (RFC 5952, no brackets).
  std::string ToString() const;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  IpAddress() = default;
  std::array<std::uint8_t, 16> bytes_{};
  bool is_v4_ = true;
};

/// A range of addresses, e.g. 10.0.0.0/8 or fd00::/8.
class Cidr {
 public:
  /// Requires: `bits` is at most the address' width.
  Cidr(const IpAddress& address, int bits) : address_(address), bits_(bits) {}
  /// "10.0.0.0/8", "fd00::/8", or one address. Bits behind the prefix are ignored.
  static Result<Cidr> Parse(std::string_view text);

  bool Contains(const IpAddress& address) const;

 private:
  IpAddress address_;
  int bits_;
};

/// The entry of the IANA special-purpose registries that covers an address, which is therefore not
/// on the public Internet. Static data: views stay valid.
struct SpecialPurpose {
  std::string_view name;   ///< "private use", "loopback", …
  std::string_view range;  ///< "10.0.0.0/8"
  /// The entry covers the IPv4 address embedded in the address (NAT64, 6to4, Teredo, ISATAP,
  /// v4-compatible), not the address itself.
  bool embedded = false;
};

/// The registry entry that covers `address`; nothing if it is an ordinary public address.
std::optional<SpecialPurpose> FindSpecialPurpose(const IpAddress& address);

/// The special-purpose ranges that a crawl may connect to (`--allow-net CIDR`), for tests and
/// intranets. Matches the address itself, never one embedded in it.
class AllowedNets {
 public:
  AllowedNets() = default;
  /// kInvalidArgument, naming the entry, if an entry is not a CIDR range.
  static Result<AllowedNets> Parse(std::span<const std::string> cidrs);

  void Add(const Cidr& cidr) { nets_.push_back(cidr); }
  bool Contains(const IpAddress& address) const;
  bool empty() const { return nets_.empty(); }

 private:
  std::vector<Cidr> nets_;
};

/// Nothing if a crawl may connect to `address`, because it is public or in `allowed`; otherwise why
/// not. Called for every address of every connection, reused connections included.
std::optional<SpecialPurpose> RefuseAddress(const IpAddress& address, const AllowedNets& allowed);

/// Checks a URL before any DNS lookup: refuses hosts that are a refused address, and the names
/// `localhost` and `*.localhost` (unless loopback is allowed). The addresses of an accepted name
/// are checked later with RefuseAddress(). Requires: url.followable().
std::optional<SpecialPurpose> RefuseHost(const Url& url, const AllowedNets& allowed);

}  // namespace crawler

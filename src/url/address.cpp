#include "url/address.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>

#include "url/ip_text.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

std::uint32_t LoadV4(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool SamePrefix(const std::uint8_t* a, const std::uint8_t* b, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (std::memcmp(a, b, whole) != 0) return false;
  const int left = bits % 8;
  return left == 0 || ((a[whole] ^ b[whole]) >> (8 - left)) == 0;
}

}  // namespace

IpAddress IpAddress::V4(std::uint32_t host_order) {
  IpAddress address;
  for (int i = 0; i < 4; ++i) {
    address.bytes_[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
  }
  return address;
}

IpAddress IpAddress::V6(const std::array<std::uint8_t, 16>& bytes) {
  static constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::memcmp(bytes.data(), kMapped, 12) == 0) return V4(LoadV4(&bytes[12]));
  IpAddress address;
  address.bytes_ = bytes;
  address.is_v4_ = false;
  return address;
}

std::optional<IpAddress> IpAddress::FromText(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  Ipv6Bytes bytes;
  if (text.find(':') != std::string_view::npos) {
    if (!ParseIpv6Text(text, &bytes)) return std::nullopt;
    return V6(bytes);
  }
  // The dotted decimal that IPv6 text may end with is the plain form of IPv4.
  const std::string mapped = "::ffff:" + std::string(text.substr(0, 16));
  if (!ParseIpv6Text(mapped, &bytes)) return std::nullopt;
  if (std::count(text.begin(), text.end(), '.') != 3) return std::nullopt;
  return V6(bytes);
}

std::optional<IpAddress> IpAddress::FromSockaddr(const sockaddr* address, std::size_t length) {
  // Copied out: callers hold the structure at any alignment.
  if (address == nullptr || length < sizeof(sa_family_t)) return std::nullopt;
  sa_family_t family;
  std::memcpy(&family, &address->sa_family, sizeof family);
  if (family == AF_INET && length >= sizeof(sockaddr_in)) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    return V4(ntohl(in.sin_addr.s_addr));
  }
  if (family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
    sockaddr_in6 in;
    std::memcpy(&in, address, sizeof in);
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), &in.sin6_addr, 16);
    return V6(bytes);
  }
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::FromUrl(const Url& url) {
  const Url::HostKind kind = url.host_kind();
  if (kind != Url::HostKind::kIpv4 && kind != Url::HostKind::kIpv6) return std::nullopt;
  return FromText(url.host());
}

std::uint32_t IpAddress::v4() const {
  assert(is_v4_);
  return LoadV4(bytes_.data());
}

std::string IpAddress::ToString() const {
  std::string text;
  if (is_v4_) {
    AppendIpv4Text(v4(), &text);
  } else {
    AppendIpv6Text(bytes_, &text);
  }
  return text;
}

Result<Cidr> Cidr::Parse(std::string_view text) {
  const auto fail = [text] {
    return Status(StatusCode::kInvalidArgument,
                  "'" + std::string(text) +
                      "' is no network: write an address or address/bits, e.g. 10.0.0.0/8");
  };
  const std::size_t slash = text.find('/');
  const std::string_view address_text = text.substr(0, slash);
  const std::optional<IpAddress> address = IpAddress::FromText(address_text);
  if (!address) return fail();
  int bits = address->is_v4() ? 32 : 128;
  if (slash == std::string_view::npos) return Cidr(*address, bits);
  const std::string_view digits = text.substr(slash + 1);
  int given = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), given);
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8: the mapping takes 96 bits.
  const bool mapped = address->is_v4() && address_text.find(':') != std::string_view::npos;
  if (mapped) given -= 96;
  if (error != std::errc() || end != digits.data() + digits.size() || given < 0 || given > bits) {
    return fail();
  }
  return Cidr(*address, given);
}

bool Cidr::Contains(const IpAddress& address) const {
  return address.is_v4() == address_.is_v4() &&
         SamePrefix(address.bytes().data(), address_.bytes().data(), bits_);
}

Result<AllowedNets> AllowedNets::Parse(std::span<const std::string> cidrs) {
  AllowedNets nets;
  for (const std::string& text : cidrs) {
    Result<Cidr> cidr = Cidr::Parse(text);
    if (!cidr.ok()) return cidr.status();
    nets.Add(*cidr);
  }
  return nets;
}

bool AllowedNets::Contains(const IpAddress& address) const {
  return std::any_of(nets_.begin(), nets_.end(),
                     [&](const Cidr& net) { return net.Contains(address); });
}

std::optional<SpecialPurpose> RefuseAddress(const IpAddress& address, const AllowedNets& allowed) {
  std::optional<SpecialPurpose> special = FindSpecialPurpose(address);
  if (special && allowed.Contains(address)) special.reset();
  return special;
}

std::optional<SpecialPurpose> RefuseHost(const Url& url, const AllowedNets& allowed) {
  if (const std::optional<IpAddress> address = IpAddress::FromUrl(url)) {
    return RefuseAddress(*address, allowed);
  }
  // RFC 6761: never asked of DNS, always this machine.
  std::string_view host = url.host();
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host != "localhost" && !host.ends_with(".localhost")) return std::nullopt;
  const IpAddress loopback4 = IpAddress::V4(0x7f000001);
  const IpAddress loopback6 = *IpAddress::FromText("::1");
  if (allowed.Contains(loopback4) || allowed.Contains(loopback6)) return std::nullopt;
  return FindSpecialPurpose(loopback4);
}

}  // namespace crawler

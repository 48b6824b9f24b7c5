// The IANA IPv4 and IPv6 special-purpose address registries (RFC 6890 and its updates), with the
// multicast and reserved ranges that the registries leave to others.
#include <array>
#include <cstdint>
#include <cstring>

#include "url/address.hpp"

namespace crawler {
namespace {

struct V4Entry {
  std::uint32_t first;
  int bits;
  std::string_view name;
  std::string_view range;
};

// Entries that the registry calls globally reachable and that are anycast services of the network
// itself (192.0.0.9, 192.0.0.10) are no web servers: the whole of 192.0.0.0/24 is refused. AS112
// (192.31.196.0/24, 192.175.48.0/24) and AMT (192.52.193.0/24) are global and pass.
constexpr V4Entry kV4Entries[] = {
    {0x00000000, 8, "this network", "0.0.0.0/8"},
    {0x0a000000, 8, "private use", "10.0.0.0/8"},
    {0x64400000, 10, "shared address space", "100.64.0.0/10"},
    {0x7f000000, 8, "loopback", "127.0.0.0/8"},
    {0xa9fe0000, 16, "link local", "169.254.0.0/16"},
    {0xac100000, 12, "private use", "172.16.0.0/12"},
    {0xc0000000, 24, "IETF protocol assignments", "192.0.0.0/24"},
    {0xc0000200, 24, "documentation", "192.0.2.0/24"},
    {0xc0586300, 24, "6to4 relay anycast", "192.88.99.0/24"},
    {0xc0a80000, 16, "private use", "192.168.0.0/16"},
    {0xc6120000, 15, "benchmarking", "198.18.0.0/15"},
    {0xc6336400, 24, "documentation", "198.51.100.0/24"},
    {0xcb007100, 24, "documentation", "203.0.113.0/24"},
    {0xe0000000, 4, "multicast", "224.0.0.0/4"},
    {0xffffffff, 32, "limited broadcast", "255.255.255.255/32"},
    {0xf0000000, 4, "reserved", "240.0.0.0/4"},
};

struct V6Entry {
  std::array<std::uint8_t, 8> first;  // Every prefix but the two of 128 bits ends within 64.
  int bits;
  std::string_view name;
  std::string_view range;
  bool global = false;
};

// The first match decides, so an exception stands before the range that contains it. ORCHIDv2 is
// global by the registry, but its identifiers are hashes that nothing routes.
constexpr V6Entry kV6Entries[] = {
    {{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}, 48, "local-use NAT64", "64:ff9b:1::/48"},
    {{0x01, 0x00}, 64, "discard only", "100::/64"},
    {{0x01, 0x00, 0, 0, 0, 0, 0, 0x01}, 64, "dummy prefix", "100:0:0:1::/64"},
    {{0x20, 0x01, 0x00, 0x00}, 32, "Teredo", "2001::/32"},
    {{0x20, 0x01, 0x00, 0x03}, 32, "AMT", "2001:3::/32", true},
    {{0x20, 0x01, 0x00, 0x04, 0x01, 0x12}, 48, "AS112", "2001:4:112::/48", true},
    {{0x20, 0x01, 0x00, 0x10}, 28, "deprecated ORCHID", "2001:10::/28"},
    {{0x20, 0x01, 0x00, 0x20}, 28, "ORCHIDv2", "2001:20::/28"},
    {{0x20, 0x01, 0x00, 0x30}, 28, "DETs", "2001:30::/28", true},
    {{0x20, 0x01, 0x00, 0x00}, 23, "IETF protocol assignments", "2001::/23"},
    {{0x20, 0x01, 0x0d, 0xb8}, 32, "documentation", "2001:db8::/32"},
    {{0x3f, 0xff, 0x00}, 20, "documentation", "3fff::/20"},
    {{0x5f, 0x00}, 16, "segment routing", "5f00::/16"},
    {{0xfc, 0x00}, 7, "unique local", "fc00::/7"},
    {{0xfe, 0x80}, 10, "link local", "fe80::/10"},
    {{0xfe, 0xc0}, 10, "deprecated site local", "fec0::/10"},
    {{0xff, 0x00}, 8, "multicast", "ff00::/8"},
};

std::uint64_t Load64(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

std::optional<SpecialPurpose> FindV4(std::uint32_t address) {
  for (const V4Entry& entry : kV4Entries) {
    if ((address ^ entry.first) >> (32 - entry.bits) == 0) {
      return SpecialPurpose{entry.name, entry.range};
    }
  }
  return std::nullopt;
}

// The IPv4 address that packets to an IPv6 address end up at, or may.
std::optional<std::uint32_t> EmbeddedV4(std::uint64_t high, std::uint64_t low) {
  const auto low32 = static_cast<std::uint32_t>(low);
  const std::uint64_t low_high = low >> 32;
  if (high == 0 && low_high == 0) return low32;                             // ::a.b.c.d (RFC 4291)
  if (high == 0 && low_high == 0xffff0000u) return low32;                   // SIIT (RFC 2765)
  if (high == 0x0064ff9b00000000u && low_high == 0) return low32;           // NAT64 (RFC 6052)
  if (high >> 48 == 0x2002) return static_cast<std::uint32_t>(high >> 16);  // 6to4 (RFC 3056)
  if ((low_high & 0xfcffffffu) == 0x00005efeu) return low32;                // ISATAP (RFC 5214)
  return std::nullopt;
}

}  // namespace

std::optional<SpecialPurpose> FindSpecialPurpose(const IpAddress& address) {
  if (address.is_v4()) return FindV4(address.v4());
  const std::uint64_t high = Load64(address.bytes().data());
  const std::uint64_t low = Load64(address.bytes().data() + 8);
  if (high == 0 && low == 0) return SpecialPurpose{"unspecified", "::/128"};
  if (high == 0 && low == 1) return SpecialPurpose{"loopback", "::1/128"};
  for (const V6Entry& entry : kV6Entries) {
    if ((high ^ Load64(entry.first.data())) >> (64 - entry.bits) != 0) continue;
    if (!entry.global) return SpecialPurpose{entry.name, entry.range};
    break;
  }
  if (const std::optional<std::uint32_t> v4 = EmbeddedV4(high, low)) {
    std::optional<SpecialPurpose> special = FindV4(*v4);
    if (special) special->embedded = true;
    return special;
  }
  return std::nullopt;
}

}  // namespace crawler

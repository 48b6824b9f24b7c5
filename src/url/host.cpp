#include "url/host.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "url/idna.hpp"
#include "url/ip_text.hpp"
#include "url/percent.hpp"

namespace crawler {
namespace {

// Properties of a byte in a host. A byte without any bit is copied into a domain unchanged.
enum HostByte : std::uint8_t {
  kForbiddenHost = 1,    // In any host.
  kForbiddenDomain = 2,  // In the host of a special scheme.
  kUpper = 4,
  kNotPlain = 8,  // '%' or not ASCII: decode first.
};

constexpr std::array<std::uint8_t, 256> MakeHostBytes() {
  std::array<std::uint8_t, 256> bytes{};
  for (std::size_t c = 0; c < 256; ++c) {
    if (c <= 0x20 || c == 0x7f) bytes[c] |= kForbiddenDomain;
    if (c >= 'A' && c <= 'Z') bytes[c] |= kUpper;
    if (c >= 0x80) bytes[c] |= kNotPlain;
  }
  for (const char c : std::string_view("\0\t\n\r #/:<>?@[\\]^|", 17)) {
    bytes[static_cast<unsigned char>(c)] |= kForbiddenHost | kForbiddenDomain;
  }
  bytes['%'] |= kForbiddenDomain | kNotPlain;
  return bytes;
}

constexpr std::array<std::uint8_t, 256> kHostBytes = MakeHostBytes();

// The bits of all bytes of `text` together.
unsigned HostBits(std::string_view text) {
  unsigned bits = 0;
  for (const char c : text) bits |= kHostBytes[static_cast<unsigned char>(c)];
  return bits;
}

void AppendLower(std::string_view text, std::string* out) {
  const std::size_t start = out->size();
  out->append(text);
  for (std::size_t i = start; i < out->size(); ++i) {
    char& c = (*out)[i];
    if (kHostBytes[static_cast<unsigned char>(c)] & kUpper) c = static_cast<char>(c | 0x20);
  }
}

// Parses one part of an IPv4 address: decimal, 0 octal or 0x hexadecimal; "0x" is zero. Values past
// 32 bits stay past 32 bits. False if it is no number.
bool ParseIpv4Number(std::string_view text, std::uint64_t* value) {
  if (text.empty()) return false;
  unsigned base = 10;
  if (text.size() >= 2 && text[0] == '0') {
    const bool hex = text[1] == 'x' || text[1] == 'X';
    base = hex ? 16 : 8;
    text.remove_prefix(hex ? 2 : 1);
  }
  std::uint64_t sum = 0;
  for (const char c : text) {
    const int digit = HexValue(c);
    if (digit < 0 || static_cast<unsigned>(digit) >= base) return false;
    sum = std::min<std::uint64_t>(sum * base + static_cast<unsigned>(digit), 1ull << 40);
  }
  *value = sum;
  return true;
}

// Whether the last label (before one trailing dot) is a number, which makes `domain` an IPv4
// address or nothing.
bool EndsInNumber(std::string_view domain) {
  if (domain.ends_with('.')) domain.remove_suffix(1);
  const std::size_t dot = domain.rfind('.');
  const std::string_view last = domain.substr(dot == std::string_view::npos ? 0 : dot + 1);
  if (last.empty() || last[0] < '0' || last[0] > '9') return false;
  if (last.find_first_not_of("0123456789") == std::string_view::npos) return true;
  std::uint64_t unused;
  return ParseIpv4Number(last, &unused);
}

bool ParseIpv4(std::string_view domain, std::uint32_t* address) {
  if (domain.ends_with('.')) domain.remove_suffix(1);
  std::uint64_t parts[4];
  std::size_t count = 0;
  for (std::size_t start = 0; start <= domain.size();) {
    const std::size_t dot = std::min(domain.find('.', start), domain.size());
    if (count == 4 || !ParseIpv4Number(domain.substr(start, dot - start), &parts[count++])) {
      return false;
    }
    start = dot + 1;
  }
  // The last part fills all bytes that are left.
  std::uint64_t value = parts[count - 1];
  if (value >= 1ull << (8 * (5 - count))) return false;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (parts[i] > 255) return false;
    value += parts[i] << (8 * (3 - i));
  }
  *address = static_cast<std::uint32_t>(value);
  return true;
}

bool AppendIpv6Host(std::string_view input, std::string* out) {
  if (!input.ends_with(']')) return false;
  Ipv6Bytes address;
  if (!ParseIpv6Text(input.substr(1, input.size() - 2), &address)) return false;
  out->push_back('[');
  AppendIpv6Text(address, out);
  out->push_back(']');
  return true;
}

// Slow path: a host of a special scheme with '%' or non-ASCII bytes.
bool AppendDecodedDomain(std::string_view input, std::string* out) {
  std::string decoded;
  AppendPercentDecoded(input, &decoded);
  return AppendDomainToAscii(decoded, out);
}

}  // namespace

bool AppendHost(std::string_view input, bool special, std::string* out, Url::HostKind* kind) {
  if (input.starts_with('[')) {
    *kind = Url::HostKind::kIpv6;
    return AppendIpv6Host(input, out);
  }
  *kind = Url::HostKind::kName;
  const unsigned bits = HostBits(input);
  if (!special) {
    if (bits & kForbiddenHost) return false;
    if (input.empty()) *kind = Url::HostKind::kEmpty;
    AppendPercentEncoded(input, PercentSet::kC0Control, out);
    return true;
  }
  const std::size_t start = out->size();
  if (bits & kNotPlain) {
    if (!AppendDecodedDomain(input, out)) return false;
    if (HostBits(std::string_view(*out).substr(start)) & kForbiddenDomain) return false;
  } else {
    if (bits & kForbiddenDomain) return false;
    if (bits & kUpper) {
      AppendLower(input, out);
    } else {
      out->append(input);
    }
  }
  const std::string_view domain = std::string_view(*out).substr(start);
  if (domain.empty()) return false;
  if (!EndsInNumber(domain)) return true;
  std::uint32_t address;
  if (!ParseIpv4(domain, &address)) return false;
  out->resize(start);
  AppendIpv4Text(address, out);
  *kind = Url::HostKind::kIpv4;
  return true;
}

}  // namespace crawler

#include "url/ip_text.hpp"

#include <charconv>
#include <cstddef>

#include "base/ascii.hpp"
#include "url/percent.hpp"

namespace crawler {
namespace {

// Dotted decimal at the end of an IPv6 address: four numbers up to 255, no leading zeros.
bool ParseEmbeddedIpv4(std::string_view text, std::uint8_t* out) {
  std::size_t i = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (i >= text.size() || text[i++] != '.')) return false;
    if (i >= text.size() || !IsDigit(text[i])) return false;
    int value = 0;
    for (const std::size_t start = i; i < text.size() && IsDigit(text[i]); ++i) {
      if (i > start && value == 0) return false;
      value = value * 10 + (text[i] - '0');
      if (value > 255) return false;
    }
    out[part] = static_cast<std::uint8_t>(value);
  }
  return i == text.size();
}

}  // namespace

bool ParseIpv6Text(std::string_view text, Ipv6Bytes* out) {
  std::array<std::uint16_t, 8> pieces{};
  std::size_t count = 0;      // Pieces read.
  std::size_t compress = 16;  // Piece before which "::" stands; 16 for none.
  std::size_t i = 0;
  if (text.starts_with(':')) {
    if (!text.starts_with("::")) return false;
    i = 2;
    compress = 0;
  }
  while (i < text.size()) {
    if (count == 8) return false;
    if (text[i] == ':') {
      if (compress != 16) return false;
      ++i;
      compress = count;
      continue;
    }
    const std::size_t start = i;
    unsigned value = 0;
    for (; i < text.size() && i < start + 4 && HexValue(text[i]) >= 0; ++i) {
      value = value * 16 + static_cast<unsigned>(HexValue(text[i]));
    }
    if (i < text.size() && text[i] == '.') {
      std::uint8_t v4[4];
      if (count > 6 || !ParseEmbeddedIpv4(text.substr(start), v4)) return false;
      pieces[count++] = static_cast<std::uint16_t>(v4[0] << 8 | v4[1]);
      pieces[count++] = static_cast<std::uint16_t>(v4[2] << 8 | v4[3]);
      break;
    }
    if (i == start) return false;
    if (i < text.size()) {
      if (text[i] != ':' || i + 1 == text.size()) return false;
      ++i;
    }
    pieces[count++] = static_cast<std::uint16_t>(value);
  }
  if (compress == 16 ? count != 8 : count == 8) return false;
  const std::size_t gap = 8 - count;
  for (std::size_t k = 0; k < 8; ++k) {
    std::uint16_t piece = 0;
    if (compress == 16 || k < compress) {
      piece = pieces[k];
    } else if (k >= compress + gap) {
      piece = pieces[k - gap];
    }
    (*out)[2 * k] = static_cast<std::uint8_t>(piece >> 8);
    (*out)[2 * k + 1] = static_cast<std::uint8_t>(piece & 0xff);
  }
  return true;
}

void AppendIpv6Text(const Ipv6Bytes& address, std::string* out) {
  unsigned pieces[8];
  for (std::size_t k = 0; k < 8; ++k) pieces[k] = address[2 * k] * 256u + address[2 * k + 1];
  std::size_t best = 8, best_length = 1;  // The first longest run of at least two zeros.
  for (std::size_t k = 0; k < 8;) {
    std::size_t end = k;
    while (end < 8 && pieces[end] == 0) ++end;
    if (end - k > best_length) {
      best = k;
      best_length = end - k;
    }
    k = end + 1;
  }
  for (std::size_t k = 0; k < 8; ++k) {
    if (k == best) {
      out->append(k == 0 ? "::" : ":");
      k += best_length - 1;
      continue;
    }
    char digits[4];
    const auto end = std::to_chars(digits, digits + 4, pieces[k], 16).ptr;
    out->append(digits, end);
    if (k < 7) out->push_back(':');
  }
}

void AppendIpv4Text(std::uint32_t address, std::string* out) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    char digits[3];
    const auto end = std::to_chars(digits, digits + 3, address >> shift & 0xff).ptr;
    out->append(digits, end);
    if (shift > 0) out->push_back('.');
  }
}

}  // namespace crawler

#include "fetch/guard.hpp"

#include <algorithm>
#include <iterator>

namespace crawler {
namespace {

constexpr std::uint16_t kBlockedPorts[] = {
    0,    1,    7,    9,    11,   13,   15,   17,   19,    20,   21,   22,   23,   25,   37,
    42,   43,   53,   69,   77,   79,   87,   95,   101,   102,  103,  104,  109,  110,  111,
    113,  115,  117,  119,  123,  135,  137,  139,  143,   161,  179,  389,  427,  465,  512,
    513,  514,  515,  526,  530,  531,  532,  540,  548,   554,  556,  563,  587,  601,  636,
    989,  990,  993,  995,  1719, 1720, 1723, 2049, 3659,  4045, 4190, 5060, 5061, 6000, 6379,
    6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211};
static_assert(std::is_sorted(std::begin(kBlockedPorts), std::end(kBlockedPorts)));

std::string Reason(const SpecialPurpose& special) {
  std::string reason(special.name);
  if (!special.range.empty()) reason.append(" (").append(special.range).append(")");
  if (special.embedded) reason += ", embedded in an IPv6 address";
  return reason;
}

}  // namespace

bool IsBlockedPort(std::uint16_t port) {
  return std::binary_search(std::begin(kBlockedPorts), std::end(kBlockedPorts), port);
}

std::optional<std::string> AddressGuard::RefuseUrl(const Url& url) const {
  if (IsBlockedPort(url.port())) {
    return "port " + std::to_string(url.port()) + " is not a web server's";
  }
  if (const std::optional<SpecialPurpose> special = RefuseHost(url, allowed_)) {
    return std::string(url.host()) + " is " + Reason(*special);
  }
  return std::nullopt;
}

std::optional<std::string> AddressGuard::Refuse(const IpAddress& address) const {
  if (const std::optional<SpecialPurpose> special = RefuseAddress(address, allowed_)) {
    return address.ToString() + " is " + Reason(*special);
  }
  return std::nullopt;
}

}  // namespace crawler

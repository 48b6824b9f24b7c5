#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "url/address.hpp"
#include "url/url.hpp"

namespace crawler {

/// Decides where a crawl may connect to: public addresses and those of `allowed`, but no port of a
/// protocol that could mistake a web request for its own. Checks the URL before anything else,
/// every address before connect(), and the address again before every request on a reused
/// connection.
/// Threads: safe from any thread; nothing changes after construction.
class AddressGuard {
 public:
  explicit AddressGuard(AllowedNets allowed) : allowed_(std::move(allowed)) {}

  /// Why `url` may not be requested, as far as known before a name lookup; nothing if it may.
  /// Requires: url.followable().
  std::optional<std::string> RefuseUrl(const Url& url) const;

  /// Why connecting to `address` is refused; nothing if it is allowed.
  std::optional<std::string> Refuse(const IpAddress& address) const;

 private:
  const AllowedNets allowed_;
};

/// Whether `port` belongs to a protocol other than the web's: the Fetch Standard's list, and the
/// line-based stores that would run an HTTP request's lines as commands.
bool IsBlockedPort(std::uint16_t port);

}  // namespace crawler

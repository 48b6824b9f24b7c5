#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "url/address.hpp"
#include "url/url.hpp"

namespace crawler {

/// Says where a crawl may connect to: ordinary public addresses and those of `allowed`, and no
/// port of a protocol that a web request could be mistaken for. Asked for the URL before anything
/// else, for every address before connect(), and again before every request on a reused
/// connection.
/// Threads: safe from any thread; nothing changes after construction.
class AddressGuard {
 public:
  explicit AddressGuard(AllowedNets allowed) : allowed_(std::move(allowed)) {}

  /// Why `url` is not to be asked for, before any name lookup; nothing if it may be.
  /// Requires: url.followable().
  std::optional<std::string> RefuseUrl(const Url& url) const;

  /// Why `address` is not to be connected to; nothing if it may be.
  std::optional<std::string> Refuse(const IpAddress& address) const;

 private:
  const AllowedNets allowed_;
};

/// Whether `port` belongs to a protocol other than the web's: the Fetch Standard's list, and the
/// line-based stores that would run an HTTP request's lines as commands.
bool IsBlockedPort(std::uint16_t port);

}  // namespace crawler

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/http_message.hpp"

namespace crawler {

/// Headers of every response: no script, style, frame or request but those of the page itself, no
/// sniffing, no referrer, no caching.
const std::vector<std::pair<std::string, std::string>>& DefaultHeaders();

/// For a stored copy of a page of the web: a frame without scripts and without requests.
inline constexpr const char* kSandboxPolicy =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

/// Whether `address`, an IP address, is a loopback address.
bool IsLoopback(const std::string& address);

/// In time that depends on the length of `given` alone.
bool EqualSecrets(std::string_view secret, std::string_view given);

/// Decides whether a request may be answered, by its head.
///
/// Without a token: the Host header must name a loopback address or "localhost" and the port, so
/// that no site can point its own name at the service (DNS rebinding). With a token: the header
/// `Authorization: Bearer TOKEN` is needed, but for the files of the page, /health and /ready.
/// Always: an Origin, if there is one, must be the service itself; nothing but the page is shown to
/// other sites; changes (POST) need the header `X-Crawler`, which no form of another site can send.
class RequestGuard {
 public:
  /// `token` may be empty.
  RequestGuard(std::string token, std::string address, int port);

  /// Nothing if the request may be answered.
  std::optional<HttpResponse> Check(const HttpRequest& request) const;

 private:
  std::optional<HttpResponse> CheckHost(const HttpRequest& request) const;
  std::optional<HttpResponse> CheckSite(const HttpRequest& request) const;

  const std::string token_;
  const std::string address_;
  const std::string port_;
};

}  // namespace crawler

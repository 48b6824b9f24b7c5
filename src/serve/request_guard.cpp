#include "serve/request_guard.hpp"

#include <nlohmann/json.hpp>

#include "base/ascii.hpp"
#include "url/address.hpp"

namespace crawler {
namespace {

bool IsPublic(std::string_view path) {
  return path == "/" || path.starts_with("/web/") || path == "/health" || path == "/ready";
}

bool IsPage(std::string_view path) { return path == "/" || path.starts_with("/web/"); }

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

}  // namespace

HttpResponse ErrorResponse(int status, std::string_view sentence) {
  HttpResponse response;
  response.status = status;
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  response.body =
      nlohmann::json{{"error", std::string(sentence)}}.dump(-1, ' ', false, kReplace) + "\n";
  return response;
}

const std::vector<std::pair<std::string, std::string>>& DefaultHeaders() {
  static const std::vector<std::pair<std::string, std::string>> headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
       "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
       "frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
      {"Cache-Control", "no-store"},
  };
  return headers;
}

bool IsLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

bool EqualSecrets(std::string_view secret, std::string_view given) {
  unsigned difference = secret.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference |= static_cast<unsigned char>(expected) ^ static_cast<unsigned char>(given[i]);
  }
  return difference == 0;
}

RequestGuard::RequestGuard(std::string token, std::string address, int port)
    : token_(std::move(token)), address_(std::move(address)), port_(std::to_string(port)) {}

std::optional<HttpResponse> RequestGuard::CheckHost(const HttpRequest& request) const {
  if (request.headers.count("host") != 1) {
    return ErrorResponse(400, "the request needs one Host header");
  }
  if (!token_.empty()) return std::nullopt;  // Another site does not know the token.
  const std::string host = ToLower(request.Header("host"));
  const std::string ours =
      address_.find(':') == std::string::npos ? address_ : "[" + address_ + "]";
  for (const std::string& name :
       {std::string("localhost"), std::string("127.0.0.1"), std::string("[::1]"), ours}) {
    if (host == name + ":" + port_ || (port_ == "80" && host == name)) return std::nullopt;
  }
  return ErrorResponse(403, "the Host header does not name this service");
}

std::optional<HttpResponse> RequestGuard::CheckSite(const HttpRequest& request) const {
  const std::string origin = ToLower(request.Header("origin"));
  const std::string host = ToLower(request.Header("host"));
  if (request.headers.count("origin") > 1 ||
      (!origin.empty() && origin != "http://" + host && origin != "https://" + host)) {
    return ErrorResponse(403, "requests of other sites are refused");
  }
  const std::string_view site = request.Header("sec-fetch-site");
  if ((site == "cross-site" || site == "same-site") && !IsPage(request.path)) {
    return ErrorResponse(403, "requests of other sites are refused");
  }
  if (request.method == "POST" && request.Header("x-crawler") != "1") {
    return ErrorResponse(403, "changes need the header `X-Crawler: 1`");
  }
  return std::nullopt;
}

std::optional<HttpResponse> RequestGuard::Check(const HttpRequest& request) const {
  if (std::optional<HttpResponse> refused = CheckHost(request)) return refused;
  if (request.method != "GET" && request.method != "POST") {
    HttpResponse refused = ErrorResponse(405, "only GET, HEAD and POST are answered");
    refused.headers.emplace_back("Allow", "GET, HEAD, POST");
    return refused;
  }
  if (std::optional<HttpResponse> refused = CheckSite(request)) return refused;
  if (token_.empty() || IsPublic(request.path)) return std::nullopt;
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = request.Header("authorization");
  if (given.starts_with(kBearer) && EqualSecrets(token_, given.substr(kBearer.size()))) {
    return std::nullopt;
  }
  HttpResponse refused = ErrorResponse(401, "a token is needed: `Authorization: Bearer TOKEN`");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

}  // namespace crawler

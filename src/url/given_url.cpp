#include "url/given_url.hpp"

#include <algorithm>
#include <string>

namespace crawler {
namespace {

// Whether `text` is a name with dots, localhost or an address: one that people leave the scheme
// off.
bool LooksLikeHost(const Url& url) {
  const std::string_view host = url.host();
  return url.host_kind() != Url::HostKind::kName || host == "localhost" ||
         host.find('.') != std::string_view::npos;
}

// "localhost:8080/x" is a URL of the scheme "localhost", by the standard.
bool IsPort(std::string_view rest) {
  const std::string_view digits = rest.substr(0, rest.find_first_of("/?#"));
  return !digits.empty() &&
         std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The URL that was probably meant, if `text` lacks only a scheme.
std::string WithScheme(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  Url url;
  if (ParseUrl("https://" + std::string(text), nullptr, &url) != UrlKind::kFollowable) return "";
  if (!LooksLikeHost(url) || text.find_first_of(" \t\n") != std::string_view::npos) return "";
  // Servers without a name, and those on other ports, rarely have a certificate.
  const bool plain =
      url.host_kind() != Url::HostKind::kName || url.has_port() || url.host() == "localhost";
  if (plain) ParseUrl("http://" + std::string(text), nullptr, &url);
  return std::string(url.href());
}

std::string ProblemOf(std::string_view text, UrlKind kind, const Url& url) {
  const std::string quoted = "'" + std::string(text) + "'";
  const bool has_scheme = text.find("://") != std::string_view::npos;
  const bool port = kind == UrlKind::kOtherScheme && IsPort(text.substr(text.find(':') + 1));
  if (kind == UrlKind::kOtherScheme && !port) {
    const std::string scheme(url.scheme());
    if (scheme == "file") {
      return quoted +
             " is a file of this machine, and only http and https URLs are fetched; serve its "
             "folder, e.g. with `python3 -m http.server`, and allow it with --allow-net "
             "127.0.0.0/8";
    }
    return quoted + " has the scheme " + scheme + ":, and only http and https URLs are fetched";
  }
  if (has_scheme) return quoted + " is not a valid URL";
  const std::string meant = WithScheme(text);
  if (!meant.empty()) return quoted + " has no scheme; did you mean " + meant + " ?";
  return quoted + " is not an http or https URL; write it whole, e.g. https://example.org/";
}

}  // namespace

Result<Url> ParseGivenUrl(std::string_view text) {
  Url url;
  const UrlKind kind = ParseUrl(text, nullptr, &url);
  if (kind == UrlKind::kFollowable) return url;
  return Status(StatusCode::kInvalidArgument, ProblemOf(text, kind, url));
}

}  // namespace crawler

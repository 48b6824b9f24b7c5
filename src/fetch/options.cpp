#include "fetch/options.hpp"

#include <algorithm>
#include <cstdlib>

#include "url/url.hpp"

namespace crawler {
namespace {

// "Name: value", with a name that RFC 9110 (5.6.2) allows and a value that is not empty.
bool IsHeaderLine(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, colon);
  const bool is_token = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
  return is_token && line.find_first_not_of(" \t", colon + 1) != std::string_view::npos;
}

std::string Base64(std::string_view bytes) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kAlphabet[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

enum class SecretKind { kBasic, kBearer, kHeader };

// Why `secret` is none of its kind; empty if it is. Never contains the secret.
std::string_view Complaint(std::string_view secret, SecretKind kind) {
  if (secret.find_first_of("\r\n") != std::string_view::npos) return "holds a line break";
  const std::size_t colon = secret.find(':');
  if (kind == SecretKind::kBasic && colon == std::string_view::npos) {
    return "should hold user:password";
  }
  if (kind == SecretKind::kHeader && !IsHeaderLine(secret)) return "should hold \"Name: value\"";
  return {};
}

std::string HeaderLine(std::string_view secret, SecretKind kind) {
  switch (kind) {
    case SecretKind::kBasic:
      return "Authorization: Basic " + Base64(secret);
    case SecretKind::kBearer:
      return "Authorization: Bearer " + std::string(secret);
    case SecretKind::kHeader:
      break;
  }
  return std::string(secret);
}

Result<Credential> FromEnvironment(std::string_view text, const std::string& variable,
                                   SecretKind kind) {
  Url url;
  if (ParseUrl(text, nullptr, &url) != UrlKind::kFollowable) {
    return Status(StatusCode::kInvalidArgument,
                  "credentials need an http or https URL, not '" + std::string(text) + "'");
  }
  // Safe as long as nobody changes the environment, which a library cannot check.
  const char* secret = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (secret == nullptr || *secret == '\0') {
    return Status(StatusCode::kInvalidArgument, "environment variable " + variable +
                                                    " is not set; it should hold the credentials "
                                                    "for " +
                                                    url.Origin());
  }
  if (const std::string_view complaint = Complaint(secret, kind); !complaint.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  "environment variable " + variable + " " + std::string(complaint));
  }
  return Credential{url.Origin(), HeaderLine(secret, kind)};
}

}  // namespace

Result<Credential> Credential::BasicFromEnvironment(std::string_view url,
                                                    const std::string& variable) {
  return FromEnvironment(url, variable, SecretKind::kBasic);
}

Result<Credential> Credential::BearerFromEnvironment(std::string_view url,
                                                     const std::string& variable) {
  return FromEnvironment(url, variable, SecretKind::kBearer);
}

Result<Credential> Credential::HeaderFromEnvironment(std::string_view url,
                                                     const std::string& variable) {
  return FromEnvironment(url, variable, SecretKind::kHeader);
}

}  // namespace crawler

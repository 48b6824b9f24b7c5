#include "fetch/options.hpp"

#include <cstdlib>

#include "url/url.hpp"

namespace crawler {
namespace {

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

Result<Credential> FromEnvironment(std::string_view text, const std::string& variable, bool basic) {
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
  const std::string_view value(secret);
  if (value.find_first_of("\r\n") != std::string_view::npos) {
    return Status(StatusCode::kInvalidArgument,
                  "environment variable " + variable + " holds a line break");
  }
  if (basic && value.find(':') == std::string_view::npos) {
    return Status(StatusCode::kInvalidArgument,
                  "environment variable " + variable + " should hold user:password");
  }
  return Credential{url.Origin(), basic ? "Authorization: Basic " + Base64(value)
                                        : "Authorization: Bearer " + std::string(value)};
}

}  // namespace

Result<Credential> Credential::BasicFromEnvironment(std::string_view url,
                                                    const std::string& variable) {
  return FromEnvironment(url, variable, true);
}

Result<Credential> Credential::BearerFromEnvironment(std::string_view url,
                                                     const std::string& variable) {
  return FromEnvironment(url, variable, false);
}

}  // namespace crawler

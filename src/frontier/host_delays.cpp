#include "frontier/host_delays.hpp"

#include "url/domain.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

// The host of scheme://host[:port], without the dot that a full name may end with.
std::string_view HostOf(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  if (scheme != std::string_view::npos) origin.remove_prefix(scheme + 3);
  const std::size_t bracket = origin.find(']');  // The colons of an IPv6 address are before it.
  const std::size_t colon = origin.find(':', bracket == std::string_view::npos ? 0 : bracket);
  origin = origin.substr(0, colon);
  if (origin.ends_with('.')) origin.remove_suffix(1);
  return origin;
}

const milliseconds* FindIn(const std::unordered_map<std::string, milliseconds>& rules,
                           std::string_view name) {
  const auto found = rules.find(std::string(name));
  return found == rules.end() ? nullptr : &found->second;
}

}  // namespace

Status HostDelays::Add(std::string_view name, milliseconds delay) {
  const bool wildcard = name.starts_with("*.");
  const std::string_view host = wildcard ? name.substr(2) : name;
  Url url;
  const std::string text = "http://" + std::string(host) + "/";
  const bool plain = host.find_first_of("/?#@\\* \t\r\n") == std::string_view::npos &&
                     (host.starts_with('[') || host.find(':') == std::string_view::npos);
  if (!plain || ParseUrl(text, nullptr, &url) != UrlKind::kFollowable || url.has_port() ||
      (wildcard && url.host_kind() != Url::HostKind::kName)) {
    return Status(StatusCode::kInvalidArgument,
                  "'" + std::string(name) +
                      "' names no host: write a host (www.example.org), *.example.org for the "
                      "hosts below it, or a registrable domain (example.org)");
  }
  const std::string known(HostOf(url.Origin()));
  if (!wildcard) hosts_[known] = delay;
  const bool domain = url.host_kind() == Url::HostKind::kName && RegistrableDomain(known) == known;
  if (wildcard || domain) below_[known] = delay;
  return Status::Ok();
}

std::optional<milliseconds> HostDelays::Find(std::string_view origin) const {
  if (empty()) return std::nullopt;
  std::string_view name = HostOf(origin);
  if (const milliseconds* const delay = FindIn(hosts_, name)) return *delay;
  while (!below_.empty()) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) break;
    name.remove_prefix(dot + 1);
    if (const milliseconds* const delay = FindIn(below_, name)) return *delay;
  }
  return std::nullopt;
}

}  // namespace crawler

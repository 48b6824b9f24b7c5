#include "url/url.hpp"

namespace crawler {

std::string_view Url::username() const {
  if (!has_credentials()) return {};
  const std::string_view userinfo = Slice(user_start_, host_start_ - 1);
  return userinfo.substr(0, userinfo.find(':'));
}

std::string_view Url::password() const {
  if (!has_credentials()) return {};
  const std::string_view userinfo = Slice(user_start_, host_start_ - 1);
  const std::size_t colon = userinfo.find(':');
  return colon == std::string_view::npos ? std::string_view() : userinfo.substr(colon + 1);
}

std::string_view Url::host_and_port() const {
  return Slice(host_start_, host_kind_ == HostKind::kNone ? host_end_ : path_start_);
}

std::uint16_t Url::port() const {
  if (port_ >= 0) return static_cast<std::uint16_t>(port_);
  const std::string_view name = scheme();
  if (name == "http" || name == "ws") return 80;
  if (name == "https" || name == "wss") return 443;
  return name == "ftp" ? 21 : 0;
}

std::string_view Url::query() const {
  return has_query() ? Slice(query_start_ + 1, query_end()) : std::string_view();
}

std::string_view Url::fragment() const {
  return has_fragment() ? std::string_view(href_).substr(fragment_start_ + 1) : std::string_view();
}

std::string Url::Origin() const {
  std::string origin;
  origin.reserve(scheme_end_ + 3 + (path_start_ - host_start_));
  return origin.append(scheme()).append("://").append(host_and_port());
}

void Url::Clear() {
  href_.clear();
  scheme_end_ = user_start_ = host_start_ = host_end_ = path_start_ = 0;
  query_start_ = fragment_start_ = kAbsent;
  port_ = -1;
  kind_ = UrlKind::kInvalid;
  host_kind_ = HostKind::kNone;
  opaque_path_ = false;
}

void Url::RemoveFragment() {
  if (!has_fragment()) return;
  href_.resize(fragment_start_);
  fragment_start_ = kAbsent;
}

}  // namespace crawler

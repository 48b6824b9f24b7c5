#include "url/url.hpp"

namespace crawler {

template <typename Text>
std::string_view BasicUrl<Text>::username() const {
  if (!has_credentials()) return {};
  const std::string_view userinfo = Slice(user_start_, host_start_ - 1);
  return userinfo.substr(0, userinfo.find(':'));
}

template <typename Text>
std::string_view BasicUrl<Text>::password() const {
  if (!has_credentials()) return {};
  const std::string_view userinfo = Slice(user_start_, host_start_ - 1);
  const std::size_t colon = userinfo.find(':');
  return colon == std::string_view::npos ? std::string_view() : userinfo.substr(colon + 1);
}

template <typename Text>
std::string_view BasicUrl<Text>::host_and_port() const {
  return Slice(host_start_, host_kind_ == HostKind::kNone ? host_end_ : path_start_);
}

template <typename Text>
std::uint16_t BasicUrl<Text>::port() const {
  if (port_ >= 0) return static_cast<std::uint16_t>(port_);
  const std::string_view name = scheme();
  if (name == "http" || name == "ws") return 80;
  if (name == "https" || name == "wss") return 443;
  return name == "ftp" ? 21 : 0;
}

template <typename Text>
std::string_view BasicUrl<Text>::query() const {
  return has_query() ? Slice(query_start_ + 1, query_end()) : std::string_view();
}

template <typename Text>
std::string_view BasicUrl<Text>::fragment() const {
  return has_fragment() ? std::string_view(href_).substr(fragment_start_ + 1) : std::string_view();
}

template <typename Text>
std::string BasicUrl<Text>::Origin() const {
  std::string origin;
  origin.reserve(scheme_end_ + 3 + (path_start_ - host_start_));
  return origin.append(scheme()).append("://").append(host_and_port());
}

template class BasicUrl<std::string>;
template class BasicUrl<std::string_view>;

void Url::Clear() {
  href_.clear();
  static_cast<UrlParts&>(*this) = UrlParts();
}

void Url::RemoveFragment() {
  if (!has_fragment()) return;
  href_.resize(fragment_start_);
  fragment_start_ = kAbsent;
}

void Url::RemoveCredentials() {
  if (!has_credentials()) return;
  const std::uint32_t size = host_start_ - user_start_;
  href_.erase(user_start_, size);
  for (std::uint32_t* part :
       {&host_start_, &host_end_, &path_start_, &query_start_, &fragment_start_}) {
    if (*part != kAbsent) *part -= size;
  }
}

}  // namespace crawler

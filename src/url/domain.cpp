#include "url/domain.hpp"

#include <libpsl.h>

#include <cstring>

namespace crawler {
namespace {

constexpr std::size_t kMaxName = 253;  // RFC 1035, without the root's dot.

// The system's list if it is newer than the one compiled into libpsl. Never freed, never changed.
const psl_ctx_t* PublicSuffixes() {
  static const psl_ctx_t* const list = [] {
    const psl_ctx_t* latest = psl_latest(nullptr);
    return latest != nullptr ? latest : psl_builtin();
  }();
  return list;
}

}  // namespace

std::string_view RegistrableDomain(std::string_view host) {
  std::string_view name = host;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || name.size() > kMaxName || name.front() == '.') return {};
  if (name.find("..") != std::string_view::npos) return {};
  char text[kMaxName + 1];
  std::memcpy(text, name.data(), name.size());
  text[name.size()] = '\0';
  const char* const domain = psl_registrable_domain(PublicSuffixes(), text);
  return domain == nullptr ? std::string_view()
                           : name.substr(static_cast<std::size_t>(domain - text));
}

std::string_view SiteOf(const UrlView& url) {
  if (url.host_kind() != UrlView::HostKind::kName) return url.host();
  const std::string_view domain = RegistrableDomain(url.host());
  return domain.empty() ? url.host() : domain;
}

}  // namespace crawler

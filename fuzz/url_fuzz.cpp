// ParseUrl(), NormalizeUrl() and what reads their results, on any bytes. The input is a base, a
// newline (which no URL can contain) and a reference.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "url/address.hpp"
#include "url/domain.hpp"
#include "url/link_resolver.hpp"
#include "url/normalize.hpp"
#include "url/query_encoder.hpp"
#include "url/url.hpp"

namespace {

using crawler::NormalizeOptions;
using crawler::NormalizeUrl;
using crawler::ParseUrl;
using crawler::Url;
using crawler::UrlKind;

void Require(bool holds) {
  if (!holds) std::abort();
}

bool SameParts(const Url& a, const Url& b) {
  return a.kind() == b.kind() && a.scheme() == b.scheme() && a.username() == b.username() &&
         a.password() == b.password() && a.host() == b.host() && a.host_kind() == b.host_kind() &&
         a.port() == b.port() && a.path() == b.path() && a.query() == b.query() &&
         a.has_query() == b.has_query() && a.fragment() == b.fragment() &&
         a.has_fragment() == b.has_fragment();
}

// A URL is printable ASCII and its parts make up the whole; parsed again it is itself.
void CheckUrl(const Url& url) {
  if (url.kind() == UrlKind::kInvalid) {
    Require(url.href().empty());
    return;
  }
  for (const char c : url.href()) Require(c >= 0x20 && c < 0x7f);
  Require(url.href().starts_with(url.scheme()));
  Require(url.href().size() >= url.path_and_query().size() + url.scheme().size());
  Url again;
  ParseUrl(url.href(), nullptr, &again);
  Require(again.href() == url.href());
  Require(SameParts(again, url));
  if (!url.followable()) return;
  Require(!url.host().empty());
  Require(url.path().starts_with('/'));
  Require(url.path().find("/../") == std::string_view::npos);
  (void)crawler::SiteOf(url);
  (void)crawler::RefuseHost(url, {});
  const bool literal =
      url.host_kind() == Url::HostKind::kIpv4 || url.host_kind() == Url::HostKind::kIpv6;
  Require(literal == crawler::IpAddress::FromUrl(url).has_value());
}

void CheckNormalForm(Url url, const NormalizeOptions& options) {
  NormalizeUrl(&url, options);
  CheckUrl(url);
  Require(!url.has_fragment());
  Require(!url.followable() || !url.has_credentials());
  const std::string once(url.href());
  NormalizeUrl(&url, options);
  Require(url.href() == once);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = std::min(input.find('\n'), input.size());
  const std::string_view reference = input.substr(std::min(newline + 1, input.size()));
  Url base, url;
  ParseUrl(input.substr(0, newline), nullptr, &base);
  CheckUrl(base);
  ParseUrl(reference, &base, &url);
  CheckUrl(url);
  CheckNormalForm(url, {});
  CheckNormalForm(url, {.drop_tracking = true, .drop_session_ids = true, .sort_query = true});

  static crawler::LinkResolver links;
  links.Reset(base);
  NormalizeUrl(&url);
  Require(links.Resolve(reference).url->href() == url.href());
  Require(!links.Resolve(reference).first);
  if (url.kind() != UrlKind::kInvalid) {
    Require(links.Resolve(url.href()).number == links.Resolve(reference).number);
    Require(links.Resolve(url.href()).url->href() == url.href());
  }
  const crawler::UrlView view(url.href(), url);
  Require(view.host() == url.host() && view.path_and_query() == url.path_and_query());
  Require(crawler::SiteOf(view) == crawler::SiteOf(url));

  static const auto encoder = crawler::QueryEncoder::ForEncoding("iso-2022-jp");
  ParseUrl(reference, &base, &url, encoder.get());
  CheckUrl(url);
  return 0;
}

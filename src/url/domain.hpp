#pragma once

#include <string_view>

#include "url/url.hpp"

namespace crawler {

/// The registrable domain of a host name by the Public Suffix List: "example.co.uk" for
/// "www.example.co.uk". A top-level domain that is not on the list counts as a public suffix of one
/// label. Empty if there is none: the name is itself a public suffix, has empty labels, or is too
/// long for DNS. `host` is a Url::host() that is a name, not an address.
/// Returns a view into `host`. Threads: safe from any thread. Allocates nothing.
std::string_view RegistrableDomain(std::string_view host);

/// The key of limits and politeness per domain: the registrable domain of the host, or the host
/// itself if it is an address or has no registrable domain. A view into the text of the URL.
std::string_view SiteOf(const UrlView& url);

}  // namespace crawler

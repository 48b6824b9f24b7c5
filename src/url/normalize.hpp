#pragma once

#include "url/url.hpp"

namespace crawler {

/// Optional steps of the normal form. Each step may give two pages of some site the same URL, so
/// all of them are off by default.
struct NormalizeOptions {
  /// Drop parameters that only tell where a click came from: `utm_*`, `gclid`, `fbclid`, …
  /// Default: keep them.
  bool drop_tracking = false;
  /// Drop parameters that only name a visit: `PHPSESSID`, `sessionid`, …, and `;jsessionid=…` of a
  /// path. Default: keep them.
  bool drop_session_ids = false;
  /// Sort the parameters of the query by name; those of one name keep their order.
  /// Default: leave the order.
  bool sort_query = false;
};

/// Brings `*url` into normal form: two URLs with the same normal form are the same page. ParseUrl()
/// has already removed the default port and dot segments. The normal form also has no fragment, no
/// user and no password; percent-encoding of unreserved characters is undone, and the remaining hex
/// digits are capitals. Normalising twice changes nothing. URLs that are not followable only lose
/// their fragment.
void NormalizeUrl(Url* url, const NormalizeOptions& options = {});

}  // namespace crawler

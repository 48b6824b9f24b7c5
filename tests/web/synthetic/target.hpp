#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace synthetic {

/// The kinds of things a host has, with their paths.
enum class Kind : std::uint8_t {
  kNothing,       ///< Any other path: 404.
  kPage,          ///< / is page 0, /p/N page N.
  kListed,        ///< /listed/N: in a sitemap, linked from nowhere.
  kCalendar,      ///< /calendar/YYYY/MM: links to the months beside it, for ever.
  kSegments,      ///< /segments/a/a/…: links to one level more, for ever.
  kRedirect,      ///< /redirect/CODE/N: leads to N - 1; 0 is a page.
  kLoop,          ///< /loop/CODE/N: leads to the next of the loop.
  kAway,          ///< /away: leads to another host.
  kCopy,          ///< /copy/N: the same content for each N.
  kFile,          ///< /file/N.png: no HTML.
  kMissing,       ///< /missing/N: linked, but 404.
  kRobots,        ///< /robots.txt
  kRobotsMoved,   ///< /robots-moved.txt
  kSitemap,       ///< /sitemap.xml is 0, /sitemap-N.xml N.
  kSitemapGzip,   ///< /sitemap-N.xml.gz
  kSitemapIndex,  ///< /sitemap-index.xml
};

/// One resource of the web. A plain value; every URL of the web has exactly one.
struct Target {
  std::uint32_t host = 0;  ///< Index in Web::hosts.
  Kind kind = Kind::kNothing;
  std::uint16_t code = 0;    ///< Of a redirect.
  std::uint64_t number = 0;  ///< Of a month: years * 12 + month - 1.

  auto operator<=>(const Target&) const = default;
};

/// What `path` names on `host`. Any bytes are fine: what is no path of ours is kNothing.
Target ParsePath(std::uint32_t host, std::string_view path);

/// Appends the path that names `target`; ParsePath() is the inverse.
void AppendPath(std::string& out, const Target& target);

}  // namespace synthetic

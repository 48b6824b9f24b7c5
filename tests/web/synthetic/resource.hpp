#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "web/synthetic/description.hpp"
#include "web/synthetic/target.hpp"

namespace synthetic {

enum class Content : std::uint8_t { kHtml, kText, kSitemap, kSitemapIndex, kPng };

struct Link {
  Target target;
  bool nofollow = false;
};

/// What a resource is, before it is written as HTML and HTTP: the server renders it, the
/// expectation follows its links, so that the two cannot disagree.
struct Resource {
  int status = 404;
  Content content = Content::kText;
  std::vector<Link> links;  ///< Of a page, in order; of a sitemap its entries.
  std::optional<Target> location, canonical;
  bool noindex = false;
  bool nofollow = false;
  bool in_header = false;   ///< The last two are said by X-Robots-Tag, not by the page.
  bool compressed = false;  ///< The file itself is gzip, whatever the client accepts.
};

/// Fills `resource` with what `target` is. A pure function of the web; `resource` is only reused
/// for its memory.
void Describe(const Web& web, const Target& target, Resource& resource);

/// The rules of the host's robots.txt, or nothing if it has none that could be read.
std::string RobotsText(const Web& web, std::uint32_t host);

/// Whether the first tries of `target` are answered with Host::fail_status.
bool FailsAtFirst(const Host& host, const Target& target);

/// A number that follows from these, evenly spread over 64 bits.
std::uint64_t Mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c);

}  // namespace synthetic

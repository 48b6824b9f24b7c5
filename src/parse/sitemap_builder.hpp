#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "parse/sitemap.hpp"

namespace crawler {

/// `text` without the white space round it, that of Unicode included.
std::string_view TrimUnicodeSpace(std::string_view text);

/// An entry as the file has it, not yet checked.
struct RawSitemapEntry {
  std::string url;
  std::string lastmod;
  std::string change_frequency;
  std::string priority;
};

/// Turns raw entries into a Sitemap, within limits.
class SitemapBuilder {
 public:
  SitemapBuilder(const Url& url, const SitemapLimits& limits) : limits_(limits), base_(url) {
    limits_.max_url_bytes = std::min(limits_.max_url_bytes, kMaxUrlInput);
  }

  const SitemapLimits& limits() const { return limits_; }
  void SetKind(SitemapKind kind) { sitemap_.kind = kind; }
  SitemapKind kind() const { return sitemap_.kind; }

  /// Keeps the entry, or counts it as skipped if its URL cannot be followed. False when there are
  /// too many, so that reading can stop.
  bool Add(const RawSitemapEntry& raw);

  /// Links of feeds are relative to this from now on; ignored unless it makes a URL.
  void SetBase(std::string_view base);

  /// Whether `text` is an absolute URL that can be followed.
  bool IsAbsolute(std::string_view text);

  /// Sets why reading ended; the first reason stays.
  void End(SitemapEnd end, std::string problem);
  bool ended() const { return sitemap_.end != SitemapEnd::kComplete; }

  size_t size() const { return sitemap_.entries.size(); }
  Sitemap Take() { return std::move(sitemap_); }

 private:
  SitemapLimits limits_;
  Url base_;
  Url parsed_;  // Reused for each entry.
  Sitemap sitemap_;
};

/// Reads `text`, UTF-8 that begins with '<'.
void ParseXmlSitemap(std::string_view text, SitemapBuilder& builder);

/// `text` with the most frequent mistakes of sitemaps repaired: an '&' that begins no reference, or
/// one to an entity of HTML, is escaped, and control characters that XML forbids are spaces. CDATA
/// sections and comments keep their '&'.
std::string RepairXml(std::string_view text);

/// Unpacks gzip, of one or more members, until `*out` has `limit` bytes. False if the data is
/// damaged or cut off; `*out` has the part before.
bool Gunzip(std::string_view bytes, size_t limit, std::string* out);

}  // namespace crawler

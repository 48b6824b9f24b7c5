#include "parse/sitemap.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "parse/charset.hpp"
#include "parse/sitemap_builder.hpp"
#include "url/utf8.hpp"

namespace crawler {
namespace {

bool IsUnicodeSpace(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200B) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000 || c == 0xFEFF;
}

ChangeFrequency ParseChangeFrequency(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kNames = {"always",  "hourly", "daily", "weekly",
                                                             "monthly", "yearly", "never"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    const bool same =
        std::equal(text.begin(), text.end(), kNames[i].begin(), kNames[i].end(),
                   [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
    if (same) return static_cast<ChangeFrequency>(i + 1);
  }
  return ChangeFrequency::kUnknown;
}

double ParsePriority(std::string_view text) {
  constexpr double kDefault = 0.5;
  double value = kDefault;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && value >= 0 && value <= 1 ? value : kDefault;
}

void ParseTextSitemap(std::string_view text, SitemapBuilder& builder) {
  RawSitemapEntry entry;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = TrimUnicodeSpace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    // A file that is no sitemap at all stays kUnknown, whatever its lines are.
    if (builder.IsAbsolute(line)) builder.SetKind(SitemapKind::kText);
    entry.url = line;  // Whole: the beginning of a line that is too long could be another URL.
    if (!builder.Add(entry)) return;
  }
}

// Reads `text`, UTF-8 without a byte order mark.
Sitemap ParseUtf8(std::string_view text, const Url& url, const SitemapLimits& limits) {
  SitemapBuilder builder(url, limits);
  const std::string_view trimmed = TrimUnicodeSpace(text);
  if (!trimmed.starts_with('<')) {
    ParseTextSitemap(trimmed, builder);
    return builder.Take();
  }
  ParseXmlSitemap(trimmed, builder);
  Sitemap sitemap = builder.Take();
  if (sitemap.end != SitemapEnd::kBroken || sitemap.kind == SitemapKind::kUnknown) return sitemap;

  const std::string repaired = RepairXml(trimmed);
  if (repaired == trimmed) return sitemap;
  SitemapBuilder second(url, limits);
  ParseXmlSitemap(repaired, second);
  if (second.size() <= sitemap.entries.size()) return sitemap;
  Sitemap mended = second.Take();
  if (mended.end == SitemapEnd::kComplete) {
    mended.end = SitemapEnd::kBroken;
    mended.problem = sitemap.problem + " (mended)";
  }
  return mended;
}

// Says why the end of the file was not reached, unless reading stopped before it.
void EndEarly(SitemapEnd end, std::string problem, Sitemap& sitemap) {
  if (sitemap.end != SitemapEnd::kComplete && sitemap.end != SitemapEnd::kBroken) return;
  sitemap.end = end;
  sitemap.problem = std::move(problem);
}

}  // namespace

std::string_view TrimUnicodeSpace(std::string_view text) {
  while (!text.empty()) {
    const Utf8Char first = DecodeUtf8(text, 0);
    if (!IsUnicodeSpace(first.code_point)) break;
    text.remove_prefix(first.length);
  }
  while (!text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80) --at;
    if (!IsUnicodeSpace(DecodeUtf8(text, at).code_point)) break;
    text = text.substr(0, at);
  }
  return text;
}

bool SitemapBuilder::IsAbsolute(std::string_view text) {
  return text.size() <= limits_.max_url_bytes &&
         ParseUrl(text, nullptr, &parsed_) == UrlKind::kFollowable;
}

void SitemapBuilder::SetBase(std::string_view base) {
  if (base.size() > limits_.max_url_bytes) return;
  if (ParseUrl(base, &base_, &parsed_) == UrlKind::kFollowable) base_ = parsed_;
}

bool SitemapBuilder::Add(const RawSitemapEntry& raw) {
  if (sitemap_.entries.size() >= limits_.max_urls) {
    End(SitemapEnd::kTooManyUrls,
        "more than " + std::to_string(limits_.max_urls) + " URLs; the rest is left out");
    return false;
  }
  // The sitemap protocol wants whole URLs; feeds may have relative ones.
  const bool is_feed = kind() == SitemapKind::kRss || kind() == SitemapKind::kAtom;
  const std::string_view url = TrimUnicodeSpace(raw.url);
  if (url.empty() || url.size() > limits_.max_url_bytes ||
      ParseUrl(url, is_feed ? &base_ : nullptr, &parsed_) != UrlKind::kFollowable ||
      parsed_.href().size() > limits_.max_url_bytes) {
    ++sitemap_.skipped;
    return true;
  }
  SitemapEntry& entry = sitemap_.entries.emplace_back();
  entry.url = parsed_.href();
  const std::string_view lastmod = TrimUnicodeSpace(raw.lastmod);
  if (ParseSitemapDate(lastmod)) entry.lastmod = lastmod;
  entry.change_frequency = ParseChangeFrequency(TrimUnicodeSpace(raw.change_frequency));
  entry.priority = ParsePriority(TrimUnicodeSpace(raw.priority));
  return true;
}

void SitemapBuilder::End(SitemapEnd end, std::string problem) {
  if (ended()) return;
  sitemap_.end = end;
  sitemap_.problem = std::move(problem);
}

std::string_view SitemapKindName(SitemapKind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"unknown", "urlset", "index",
                                                             "text",    "rss",    "atom"};
  return kNames[static_cast<size_t>(kind)];
}

Sitemap ParseSitemap(std::string_view bytes, std::string_view content_type, const Url& url,
                     const SitemapLimits& limits) {
  constexpr size_t kMostBytes = size_t{1} << 30;  // The most that expat can count.
  const size_t max_bytes = std::min(limits.max_bytes, kMostBytes);
  std::string unpacked;
  bool is_damaged = false;
  if (bytes.starts_with("\x1F\x8B")) {
    is_damaged = !Gunzip(bytes, max_bytes + 1, &unpacked);
    bytes = unpacked;
  }
  const bool is_cut = bytes.size() > max_bytes;
  bytes = bytes.substr(0, max_bytes);

  const Charset charset = SniffXmlCharset(bytes, content_type).charset;
  std::string buffer;
  const Utf8Text text = ToUtf8(bytes, charset, buffer, max_bytes);
  Sitemap sitemap = ParseUtf8(text.text, url, limits);

  if (is_damaged) EndEarly(SitemapEnd::kBroken, "the gzip data is damaged or cut off", sitemap);
  if (is_cut || text.truncated) {
    EndEarly(SitemapEnd::kTooLarge,
             "more than " + std::to_string(max_bytes) + " bytes; the rest is unread", sitemap);
  }
  return sitemap;
}

}  // namespace crawler

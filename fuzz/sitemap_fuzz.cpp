// The first byte chooses the limits, the rest is the file.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "parse/sitemap.hpp"
#include "parse/sitemap_builder.hpp"

namespace {

#define CHECK(condition) \
  if (!(condition)) std::abort()

crawler::SitemapLimits Limits(uint8_t choice) {
  crawler::SitemapLimits limits;
  limits.max_bytes = choice % 2 == 0 ? 100'000 : 300;
  limits.max_urls = choice % 4 < 2 ? 1000 : 2;
  limits.max_url_bytes = choice % 8 < 4 ? 2048 : 30;
  limits.max_depth = choice % 16 < 8 ? 100 : 4;
  return limits;
}

void CheckSitemap(const crawler::Sitemap& sitemap, const crawler::SitemapLimits& limits) {
  CHECK(sitemap.entries.size() <= limits.max_urls);
  CHECK((sitemap.end == crawler::SitemapEnd::kComplete) == sitemap.problem.empty());
  CHECK(sitemap.kind != crawler::SitemapKind::kUnknown || sitemap.entries.empty());
  crawler::Url url;
  for (const crawler::SitemapEntry& entry : sitemap.entries) {
    CHECK(entry.url.size() <= limits.max_url_bytes);
    CHECK(crawler::ParseUrl(entry.url, nullptr, &url) == crawler::UrlKind::kFollowable);
    CHECK(url.href() == entry.url);
    CHECK(entry.priority >= 0 && entry.priority <= 1);
    CHECK(entry.lastmod.empty() || crawler::ParseSitemapDate(entry.lastmod));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  crawler::Url base;
  crawler::ParseUrl("http://e.com/a/sitemap.xml", nullptr, &base);
  const crawler::SitemapLimits limits = Limits(data[0]);
  CheckSitemap(crawler::ParseSitemap(bytes, "", base, limits), limits);

  const std::string repaired = crawler::RepairXml(bytes);
  CHECK(crawler::RepairXml(repaired) == repaired);
  crawler::ParseSitemapDate(bytes);
  return 0;
}

#include <zlib.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "conformance/answers.hpp"
#include "conformance_data.hpp"
#include "parse/sitemap.hpp"

namespace crawler {
namespace {

// Cases with "gzip" give the unpacked body; a server would have sent this.
std::string Gzip(const std::string& bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot start");
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string_view EndName(SitemapEnd end) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "complete", "broken", "too large", "too many URLs", "too deep", "refused"};
  return kNames[static_cast<std::size_t>(end)];
}

}  // namespace

nlohmann::json AnswerSitemaps(const nlohmann::json& test_case) {
  std::string body = test_case.contains("body_b64")
                         ? DecodeBase64(test_case["body_b64"].get<std::string>())
                         : test_case.at("body").get<std::string>();
  if (test_case.value("gzip", false) && !body.starts_with("\x1F\x8B")) body = Gzip(body);
  Url url;
  ParseUrl(test_case.at("url").get<std::string>(), nullptr, &url);
  const Sitemap sitemap = ParseSitemap(body, test_case.value("content_type", ""), url);

  nlohmann::json answer = {{"urls", nlohmann::json::array()},
                           {"kind", SitemapKindName(sitemap.kind)},
                           {"end", EndName(sitemap.end)}};
  for (const SitemapEntry& entry : sitemap.entries) {
    answer["urls"].push_back(entry.url);
    answer["lastmod"].push_back(entry.lastmod.empty() ? nlohmann::json()
                                                      : nlohmann::json(entry.lastmod));
    answer["priority"].push_back(entry.priority);
  }
  return answer;
}

}  // namespace crawler

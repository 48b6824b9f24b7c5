#include "engine/page_row.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "parse/charset.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMaxHeaderBytes = 500;
constexpr std::size_t kMaxAlternates = 100;

// The headers that are stored with a page: about caching, content, security and the server. The
// WARC has all of them.
constexpr std::string_view kStoredHeaders[] = {
    "cache-control", "content-encoding", "content-language",
    "expires",       "server",           "strict-transport-security",
    "vary",          "x-powered-by",     "x-robots-tag"};

void AppendMember(std::string_view name, std::string* json) {
  json->push_back(json->empty() ? '{' : ',');
  AppendJson(name, json);
  json->push_back(':');
}

std::string HeadersJson(const HeaderBlock& headers) {
  std::string json;
  for (const std::string_view name : kStoredHeaders) {
    if (!headers.Find(name)) continue;
    AppendMember(name, &json);
    AppendJsonBytes(std::string_view(headers.Joined(name)).substr(0, kMaxHeaderBytes), &json);
  }
  if (!json.empty()) json.push_back('}');
  return json;
}

std::string HreflangJson(const Page& page) {
  std::string json;
  std::vector<std::string_view> seen;
  for (const Alternate& alternate : page.alternates) {
    const std::string_view language = alternate.hreflang;
    if (language.empty() || seen.size() == kMaxAlternates) continue;
    if (std::find(seen.begin(), seen.end(), language) != seen.end()) continue;
    seen.push_back(language);
    AppendMember(language, &json);
    AppendJsonBytes(alternate.url, &json);
  }
  if (!json.empty()) json.push_back('}');
  return json;
}

}  // namespace

PageRow ToPageRow(const PageUrl& url, const FetchResult& result, const Document& document,
                  const Sha256Digest& digest) {
  const HeaderBlock& headers = result.headers;
  const Page& page = document.page;
  PageRow row;
  row.url_id = url.id;
  row.url = url.text;
  row.domain = result.url.host();
  row.title = page.title;
  row.description = page.description;
  AppendHex(digest, &row.content_hash);
  row.status = result.status;
  row.crawled_at = ToMilliseconds(result.started);
  row.last_modified = headers.Find("Last-Modified").value_or("");
  row.etag = headers.Find("ETag").value_or("");
  row.depth = url.depth;
  row.score = url.score;
  row.size = result.body().size();
  row.content_type = document.media_type;
  row.charset = CharsetName(document.charset.charset);
  row.language = page.language;
  row.canonical = page.canonical;
  row.noindex = page.robots.noindex;
  row.nofollow = page.robots.nofollow;
  row.truncated = TruncationName(result.truncated);
  row.h1 = page.TextOf(page.h1);
  row.hreflang = HreflangJson(page);
  row.headers = HeadersJson(headers);
  return row;
}

UrlId DuplicateOf(const std::optional<ContentIndex::First>& first, UrlId page) {
  return first && first->url != page ? first->url : 0;
}

std::optional<std::string> PayloadHash(const EncodedCapture& capture, const Sha256Digest& digest) {
  if (capture.members.empty()) return std::nullopt;
  const Sha256Digest& payload = capture.payload_digest;
  if (payload == digest) return std::string();
  return std::string(payload.begin(), payload.end());
}

}  // namespace crawler

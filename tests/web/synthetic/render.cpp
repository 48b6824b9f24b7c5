#include "web/synthetic/render.hpp"

#include <array>
#include <ctime>

#include "web/synthetic/append_number.hpp"

namespace synthetic {
namespace {

constexpr std::string_view kWords[] = {
    "river",   "stone",  "garden", "window", "letter",  "music",   "harbour", "forest",
    "silver",  "winter", "summer", "travel", "engine",  "bridge",  "market",  "candle",
    "ocean",   "desert", "valley", "signal", "paper",   "copper",  "planet",  "shadow",
    "orchard", "castle", "island", "meadow", "thunder", "lantern", "village", "compass"};
constexpr std::string_view kEnd = "</p>\n</body></html>\n";

void AppendHref(std::string& out, const Web& web, const Target& page, const Target& target) {
  if (target.kind == Kind::kSegments && page.kind == Kind::kSegments) {
    out += "a/";  // Relative: the mistake that builds such paths in real sites.
    return;
  }
  if (target.host != page.host) out += web.Origin(target.host);
  AppendPath(out, target);
}

void AppendMeta(std::string& out, const Web& web, const Target& target, const Resource& r) {
  if (!r.in_header && (r.noindex || r.nofollow)) {
    out += "<meta name=\"robots\" content=\"";
    out += r.noindex ? (r.nofollow ? "noindex, nofollow" : "noindex") : "nofollow";
    out += "\">\n";
  }
  if (r.canonical) {
    out += "<link rel=\"canonical\" href=\"";
    AppendHref(out, web, target, *r.canonical);
    out += "\">\n";
  }
}

void AppendPage(std::string& out, const Web& web, const Target& target, const Resource& r) {
  const std::size_t start = out.size();
  // Copies are the same to the last byte, so they do not say who they are.
  const bool anonymous = target.kind == Kind::kCopy;
  const std::uint64_t number = anonymous ? 0 : target.number;
  std::string name;
  AppendPath(name, {target.host, target.kind, target.code, number});
  out += "<!DOCTYPE html>\n<html lang=\"en\"><head><title>";
  out += name;
  out += " of host ";
  AppendNumber(out, anonymous ? 0 : web.hosts[target.host].address);
  out += "</title>\n";
  AppendMeta(out, web, target, r);
  out += "</head><body>\n<h1>";
  out += name;
  out += "</h1>\n";
  for (const Link& link : r.links) {
    out += link.nofollow ? "<a rel=\"nofollow\" href=\"" : "<a href=\"";
    AppendHref(out, web, target, link.target);
    out += "\">";
    AppendNumber(out, link.target.number);
    out += "</a>\n";
  }
  out += "<p>";
  const std::size_t wanted = web.hosts[target.host].bytes;
  std::uint64_t chance = Mix(web.seed, anonymous ? 0 : target.host + 1, number, 3ULL << 32);
  while (out.size() - start + kEnd.size() + 8 < wanted) {
    out += kWords[chance >> 59];
    out += ' ';
    chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
  }
  while (out.size() - start + kEnd.size() < wanted) out += '.';
  out += kEnd;
}

void AppendSitemap(std::string& out, const Web& web, const Resource& r) {
  const bool index = r.content == Content::kSitemapIndex;
  out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += index ? "<sitemapindex" : "<urlset";
  out += " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
  for (const Link& link : r.links) {
    out += index ? "<sitemap><loc>" : "<url><loc>";
    out += UrlOf(web, link.target);
    out += index ? "</loc></sitemap>\n" : "</loc></url>\n";
  }
  out += index ? "</sitemapindex>\n" : "</urlset>\n";
}

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Other";
  }
}

constexpr std::array<std::uint32_t, 256> MakeCrcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
    table[i] = crc;
  }
  return table;
}

void AppendLittleEndian(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

}  // namespace

void AppendBody(std::string& out, const Web& web, const Target& target, const Resource& r) {
  const bool robots = target.kind == Kind::kRobots || target.kind == Kind::kRobotsMoved;
  if (r.status != 200) {
    out += "There is no page here.\n";
  } else if (robots) {
    out += RobotsText(web, target.host);
  } else if (r.content == Content::kHtml) {
    AppendPage(out, web, target, r);
  } else if (r.content == Content::kPng) {
    out += "\x89PNG\r\n\x1a\n and no more of it";
  } else if (r.compressed) {
    std::string plain;
    AppendSitemap(plain, web, r);
    out += GzipStored(plain);
  } else {
    AppendSitemap(out, web, r);
  }
}

void AppendHead(std::string& out, const Head& head) {
  out += "HTTP/1.1 ";
  AppendNumber(out, static_cast<std::uint64_t>(head.status));
  out += ' ';
  out += Reason(head.status);
  out += "\r\nContent-Type: ";
  out += head.content_type;
  out += "\r\nContent-Length: ";
  AppendNumber(out, head.length);
  out += "\r\n";
  if (head.gzip) out += "Content-Encoding: gzip\r\n";
  // HTTP/1.1 need not say keep-alive, but servers do, and wget2 keeps no connection without it.
  out += head.close ? "Connection: close\r\n" : "Connection: keep-alive\r\n";
  out += head.extra;
  out += "\r\n";
}

std::string_view ContentType(const Resource& r) {
  if (r.status != 200) return "text/plain";
  if (r.compressed) return "application/gzip";
  switch (r.content) {
    case Content::kHtml:
      return "text/html; charset=utf-8";
    case Content::kText:
      return "text/plain";
    case Content::kSitemap:
    case Content::kSitemapIndex:
      return "application/xml";
    case Content::kPng:
      return "image/png";
  }
  return "application/octet-stream";
}

std::string UrlOf(const Web& web, const Target& target) {
  std::string url = web.Origin(target.host);
  AppendPath(url, target);
  return url;
}

std::string HttpDate(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

std::string GzipStored(std::string_view data) {
  static constexpr std::array<std::uint32_t, 256> kTable = MakeCrcTable();
  constexpr std::size_t kBlock = 65'535;
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  std::uint32_t crc = ~0U;
  for (const char c : data) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 255] ^ (crc >> 8);
  const auto size = static_cast<std::uint32_t>(data.size());
  do {
    const std::string_view block = data.substr(0, kBlock);
    data.remove_prefix(block.size());
    out += data.empty() ? '\x01' : '\0';
    AppendLittleEndian(out, static_cast<std::uint32_t>(block.size()), 2);
    AppendLittleEndian(out, ~static_cast<std::uint32_t>(block.size()), 2);
    out += block;
  } while (!data.empty());
  AppendLittleEndian(out, ~crc, 4);
  AppendLittleEndian(out, size, 4);
  return out;
}

}  // namespace synthetic

#include "inspect/file_names.hpp"

#include <cstdint>
#include <utility>

namespace crawler {
namespace {

constexpr std::size_t kMaxPart = 120;
constexpr std::size_t kMaxFolders = 16;
constexpr std::size_t kMaxSuffix = 8;

constexpr std::pair<std::string_view, std::string_view> kSuffixes[] = {
    {"text/html", ".html"},      {"application/xhtml+xml", ".xhtml"},
    {"text/plain", ".txt"},      {"text/css", ".css"},
    {"text/xml", ".xml"},        {"application/xml", ".xml"},
    {"application/pdf", ".pdf"}, {"application/json", ".json"},
    {"image/png", ".png"},       {"image/jpeg", ".jpg"},
    {"image/gif", ".gif"},       {"image/svg+xml", ".svg"},
    {"image/webp", ".webp"},     {"text/javascript", ".js"},
};

// FNV-1a: it only has to tell names apart.
std::string ShortHash(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  std::string hex;
  for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[hash >> shift & 15];
  return hex;
}

// Windows and old archivers dislike names that begin or end with a dot.
std::string SafePart(std::string_view text) {
  std::string part;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~%").find(c) != std::string_view::npos;
    part += plain ? c : '_';
  }
  if (part.starts_with('.') || part.starts_with('-')) part.insert(0, "_");
  if (part.ends_with('.')) part += '_';
  if (part.size() > kMaxPart) {
    part.resize(kMaxPart - 9);
    part += "-" + ShortHash(text);
  }
  return part;
}

std::size_t SuffixAt(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const bool has_one = dot != name.npos && dot > 0 && name.size() - dot <= kMaxSuffix;
  return has_one ? dot : name.size();
}

std::string_view SuffixOf(std::string_view media_type) {
  for (const auto& [type, suffix] : kSuffixes) {
    if (type == media_type) return suffix;
  }
  return "";
}

}  // namespace

std::vector<std::string> FileNameOf(const Url& url, std::string_view media_type) {
  std::vector<std::string> parts = {SafePart(url.host_and_port())};
  std::string_view path = url.path();
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/')) {
    if (parts.size() > kMaxFolders) break;
    if (end > 0) parts.push_back(SafePart(path.substr(0, end)));
    path.remove_prefix(end + 1);
  }
  const bool has_name = !path.empty();
  std::string name = has_name ? SafePart(path) : "index";
  std::string suffix = name.substr(SuffixAt(name));
  name.resize(name.size() - suffix.size());
  if (suffix.empty()) suffix = SuffixOf(media_type);
  // Pages that differ in their query only have different names.
  if (!url.query().empty()) name += "-" + ShortHash(url.query());
  parts.push_back(name + suffix);
  return parts;
}

}  // namespace crawler

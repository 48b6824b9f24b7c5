#include "web/synthetic/target.hpp"

#include "web/synthetic/append_number.hpp"
#include "web/synthetic/description.hpp"

namespace synthetic {
namespace {

constexpr std::uint64_t kDeepest = 4'000;  // Segments of a path that are looked at.

struct Numbered {
  std::string_view prefix, suffix;
  Kind kind;
};

// Kinds whose path is a prefix, a number and a suffix.
constexpr Numbered kNumbered[] = {
    {"/p/", "", Kind::kPage},
    {"/listed/", "", Kind::kListed},
    {"/copy/", "", Kind::kCopy},
    {"/file/", ".png", Kind::kFile},
    {"/missing/", "", Kind::kMissing},
    {"/sitemap-", ".xml", Kind::kSitemap},
    {"/sitemap-", ".xml.gz", Kind::kSitemapGzip},
};

struct Fixed {
  std::string_view path;
  Kind kind;
};

constexpr Fixed kFixed[] = {
    {"/", Kind::kPage},
    {"/away", Kind::kAway},
    {"/robots.txt", Kind::kRobots},
    {"/robots-moved.txt", Kind::kRobotsMoved},
    {"/sitemap.xml", Kind::kSitemap},
    {"/sitemap-index.xml", Kind::kSitemapIndex},
};

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "301/4" behind /redirect/ and /loop/.
bool ParseHop(std::string_view rest, Target& target) {
  std::uint64_t code = 0;
  if (rest.size() < 5 || rest[3] != '/' || !ParseNumber(rest.substr(0, 3), code)) return false;
  if (code != 301 && code != 302 && code != 307 && code != 308) return false;
  target.code = static_cast<std::uint16_t>(code);
  return ParseNumber(rest.substr(4), target.number);
}

// "2026/07" behind /calendar/; years have four digits at least.
bool ParseMonth(std::string_view rest, std::uint64_t& months) {
  if (rest.size() < 7 || rest.size() > 12 || rest[rest.size() - 3] != '/') return false;
  std::uint64_t year = 0, month = 0;
  const std::string_view digits = rest.substr(rest.size() - 2);
  if (!ParseNumber(rest.substr(0, rest.size() - 3), year) || year < 1'000) return false;
  if (!ParseNumber(digits[0] == '0' ? digits.substr(1) : digits, month)) return false;
  if (month < 1 || month > 12) return false;
  months = year * 12 + month - 1;
  return true;
}

bool ParseSegments(std::string_view rest, std::uint64_t& depth) {
  depth = rest.size() / 2;
  if (rest.size() % 2 != 0 || depth > kDeepest) return false;
  for (std::size_t i = 0; i < rest.size(); i += 2) {
    if (rest[i] != 'a' || rest[i + 1] != '/') return false;
  }
  return true;
}

}  // namespace

Target ParsePath(std::uint32_t host, std::string_view path) {
  Target target{host, Kind::kNothing, 0, 0};
  for (const Fixed& fixed : kFixed) {
    if (path == fixed.path) return {host, fixed.kind, 0, 0};
  }
  for (const Numbered& numbered : kNumbered) {
    std::string_view rest = path;
    if (!TakePrefix(rest, numbered.prefix) || !rest.ends_with(numbered.suffix)) continue;
    rest.remove_suffix(numbered.suffix.size());
    // Page 0 and sitemap 0 have other names.
    const bool from_one = numbered.kind == Kind::kPage || numbered.kind == Kind::kSitemap;
    if (ParseNumber(rest, target.number) && !(from_one && target.number == 0)) {
      target.kind = numbered.kind;
      return target;
    }
  }
  std::string_view rest = path;
  if (TakePrefix(rest, "/redirect/")) {
    if (ParseHop(rest, target)) target.kind = Kind::kRedirect;
  } else if (TakePrefix(rest, "/loop/")) {
    if (ParseHop(rest, target)) target.kind = Kind::kLoop;
  } else if (TakePrefix(rest, "/calendar/")) {
    if (ParseMonth(rest, target.number)) target.kind = Kind::kCalendar;
  } else if (TakePrefix(rest, "/segments/")) {
    if (ParseSegments(rest, target.number)) target.kind = Kind::kSegments;
  }
  return target.kind == Kind::kNothing ? Target{host, Kind::kNothing, 0, 0} : target;
}

void AppendPath(std::string& out, const Target& target) {
  if (target.number == 0) {
    for (const Fixed& fixed : kFixed) {
      if (fixed.kind == target.kind) {
        out += fixed.path;
        return;
      }
    }
  }
  for (const Numbered& numbered : kNumbered) {
    if (numbered.kind == target.kind) {
      out += numbered.prefix;
      AppendNumber(out, target.number);
      out += numbered.suffix;
      return;
    }
  }
  if (target.kind == Kind::kRedirect || target.kind == Kind::kLoop) {
    out += target.kind == Kind::kRedirect ? "/redirect/" : "/loop/";
    AppendNumber(out, target.code);
    out += '/';
    AppendNumber(out, target.number);
  } else if (target.kind == Kind::kCalendar) {
    out += "/calendar/";
    AppendNumber(out, target.number / 12);
    out += target.number % 12 < 9 ? "/0" : "/";
    AppendNumber(out, target.number % 12 + 1);
  } else if (target.kind == Kind::kSegments) {
    out += "/segments/";
    for (std::uint64_t i = 0; i < target.number; ++i) out += "a/";
  } else {
    out += "/nothing";
  }
}

}  // namespace synthetic

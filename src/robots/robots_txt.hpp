#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "url/url.hpp"

namespace crawler {

/// Bytes of a robots.txt that are read; the rest is ignored (RFC 9309, 2.5).
inline constexpr std::size_t kMaxRobotsBytes = std::size_t{500} * 1024;

/// Whether a path may be fetched, and the line of robots.txt that says so.
struct RobotsVerdict {
  bool allowed = true;
  /// Line number, from 1; 0 if no rule matches, which allows the path.
  int line = 0;
  /// The line, without comment and surrounding blanks; if no line decided, the reason (may be
  /// empty). Points into the RobotsTxt or RobotsRecord that gave the verdict.
  std::string_view rule;
};

/// The rules of one robots.txt for one crawler: RFC 9309, and Google's open-source parser where the
/// RFC leaves room (misspelt keys, a missing colon, index.html).
/// Threads: immutable once parsed, so safe from any thread.
class RobotsTxt {
 public:
  /// A file without rules: everything is allowed.
  RobotsTxt() = default;

  /// Reads `body`, any bytes, for the crawler called `product`. Only the product token at its start
  /// counts (see ProductToken()), in any case; with none, only the groups for '*' apply.
  static RobotsTxt Parse(std::string_view body, std::string_view product);

  /// The longest rule that matches decides, Allow where two are equally long.
  /// `path_and_query` is as Url::path_and_query() gives it, percent-encoded or not.
  RobotsVerdict Check(std::string_view path_and_query) const;
  RobotsVerdict Check(const Url& url) const { return Check(url.path_and_query()); }

  /// The rules, in the order of their lines.
  std::vector<RobotsVerdict> Rules() const;

  /// The longest Crawl-delay of the groups that apply. Not negative, at most a day.
  std::optional<std::chrono::milliseconds> crawl_delay() const { return crawl_delay_; }

  /// The values of all Sitemap lines, as written, in order. They belong to no group.
  const std::vector<std::string>& sitemaps() const { return sitemaps_; }

 private:
  friend class RobotsParser;

  struct Rule {
    std::uint64_t head = 0;     // The first bytes, up to eight, that the path must begin with…
    std::uint64_t mask = 0;     // …and which bits of them count.
    std::uint32_t pattern = 0;  // Where in text_ the comparable pattern stands.
    std::uint32_t pattern_length = 0;
    std::uint32_t source = 0;  // Where in text_ the line stands.
    std::uint32_t source_length = 0;
    std::uint32_t priority = 0;
    int line = 0;
    bool allow = false;
  };

  std::string text_;
  std::vector<Rule> rules_;  // In the order in which they decide.
  std::vector<std::string> sitemaps_;
  std::optional<std::chrono::milliseconds> crawl_delay_;
};

/// The product token that `user_agent` begins with: letters, '_' and '-' (RFC 9309, 2.2.1).
/// "ExampleBot" for "ExampleBot/0.1 (+https://example.org/bot)". A view into it, perhaps empty.
std::string_view ProductToken(std::string_view user_agent);

}  // namespace crawler

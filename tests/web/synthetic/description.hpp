#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace synthetic {

enum class Shape : std::uint8_t { kRandom, kRing, kStar, kChain, kTree };
enum class Robots : std::uint8_t {
  kNone,  ///< 404.
  kRules,
  kUnauthorized,
  kForbidden,
  kThrottled,
  kBroken,  ///< 500.
  kUnavailable,
  kRedirect,
  kRedirectLoop,
  kClose,  ///< The request is read, the connection closed.
  kHuge,   ///< Rules, a megabyte of comments, then "Disallow: /", which is too far down to count.
};
enum class Sitemap : std::uint8_t { kNone, kPlain, kIndex, kGzip, kUnnamed };
enum class Dead : std::uint8_t { kNo, kRefuse, kHang, kClose };
enum class RetryForm : std::uint8_t { kSeconds, kDate };

/// What one host is like. docs/synthetic-web.md says what each field does; "every" fields count
/// page numbers (every=3: pages 2, 5, 8, …), 0 is never.
struct Host {
  std::uint32_t address = 1;  ///< 127.0.0.0 plus this.
  std::uint32_t port = 0;     ///< Which of the ports of the web, from 0.

  std::uint64_t pages = 10;  ///< 0: endless.
  std::uint64_t links = 3;
  std::uint64_t bytes = 0;  ///< Pages are filled up to this size.
  std::uint64_t cross = 0;  ///< Links of every page to other hosts.
  Shape shape = Shape::kRandom;

  std::uint64_t calendar = 0, segments = 0;  ///< Traps; 1 is on.
  std::uint64_t redirects = 0, loop = 0, away = 0;
  std::uint64_t copies = 0, files = 0, missing = 0;

  Robots robots = Robots::kNone;
  std::uint64_t robots_fails = 0, robots_latency = 0, crawl_delay = 0;
  std::vector<std::string> disallow, allow;
  Sitemap sitemap = Sitemap::kNone;
  std::uint64_t listed = 0;

  std::uint64_t latency = 0;  ///< Milliseconds; so are robots_latency and crawl_delay.
  std::uint64_t throttle = 0, throttle_every = 0, throttle_status = 429;
  std::uint64_t retry_after = 1;  ///< Seconds.
  RetryForm retry_form = RetryForm::kSeconds;
  std::uint64_t fail_every = 0, fail_tries = 1, fail_status = 500;
  Dead dead = Dead::kNo;
  std::uint64_t gzip = 0;

  std::uint64_t nofollow_every = 0;  ///< Links, by chance: one in this many.
  std::uint64_t noindex_every = 0, meta_nofollow_every = 0, header_every = 0, canonical_every = 0;
};

/// A whole web: pages are computed from it, never stored.
struct Web {
  std::uint64_t seed = 1;
  std::vector<Host> hosts;
  std::vector<std::uint16_t> ports{80};  ///< Known for certain once the server listens.

  /// "127.0.0.3:8080".
  std::string Authority(std::size_t host) const;
  /// "http://127.0.0.3:8080".
  std::string Origin(std::size_t host) const;
  /// How many ports the hosts use.
  std::size_t PortCount() const;
};

/// Adds what one line describes: "1-50 pages=100 links=5" or "3:1 dead=hang". An empty line and a
/// comment (#…) add nothing. Returns what is wrong with it, empty if nothing is.
std::string AddHosts(Web& web, std::string_view line);

/// The numbers of a list such as "1,3-5". False if it is none.
bool ParseRanges(std::string_view text, std::vector<std::uint32_t>& numbers);

/// A decimal number without sign, leading zeros or anything behind it.
bool ParseNumber(std::string_view text, std::uint64_t& number);

}  // namespace synthetic

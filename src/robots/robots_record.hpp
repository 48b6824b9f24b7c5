#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "robots/robots_txt.hpp"
#include "url/url.hpp"

namespace crawler {

/// The outcome of fetching a robots.txt, redirects followed. Rules reached through redirects hold
/// for the authority that was requested first.
struct RobotsFetch {
  enum class Outcome : std::uint8_t {
    kResponse,          ///< There was a final response with `status`.
    kUnreachable,       ///< DNS, connection, TLS, timeout, blocked address: no response.
    kTooManyRedirects,  ///< More than kMaxRobotsRedirects in a row, or a loop.
  };
  Outcome outcome = Outcome::kUnreachable;
  int status = 0;
  /// From Cache-Control: max-age, if given.
  std::optional<std::chrono::seconds> max_age;
  /// From Retry-After, if given.
  std::optional<std::chrono::seconds> retry_after;
};

/// Redirects in a row that are followed (RFC 9309, 2.3.1.2: at least five).
inline constexpr int kMaxRobotsRedirects = 5;

/// The policy for the pages of a host that follows from the outcome of a fetch.
enum class RobotsPolicy : std::uint8_t {
  kRules,      ///< 2xx: the file decides.
  kAllowAll,   ///< 4xx, a redirect that leads nowhere: there is no robots.txt.
  kRefuseAll,  ///< 5xx, 429, unreachable: the rules are unknown, so nothing is fetched for now.
};
RobotsPolicy PolicyOf(const RobotsFetch& fetch);

/// How long the outcome is valid before robots.txt is fetched again: max-age between five minutes
/// and 24 hours, which is also the default; for kRefuseAll a minute, doubled with each of
/// `failures` in a row up to an hour, or Retry-After if that is longer.
std::chrono::seconds LifetimeOf(const RobotsFetch& fetch, int failures);

/// The URL of the robots.txt that governs `url`. Also the key of its record: each authority
/// (scheme, host and port) has a file of its own.
std::string RobotsUrlOf(const Url& url);

/// The robots.txt of one authority: the policy, the rules, and when they expire.
/// Until the first Update() everything is refused.
/// Threads: one thread at a time. Check() and the getters are safe from several threads while no
/// thread calls Update().
class RobotsRecord {
 public:
  /// `product` is the crawler's product token or its whole user agent.
  explicit RobotsRecord(std::string product) : product_(std::move(product)) {}

  /// Takes over the outcome of a fetch that ended at `now`; `body` is decoded, of any Content-Type,
  /// and read for kRules only.
  void Update(const RobotsFetch& fetch, std::string_view body, TimePoint now);

  /// From this moment on robots.txt has to be fetched before the next page.
  TimePoint expires() const { return expires_; }

  RobotsPolicy policy() const { return policy_; }
  const RobotsTxt& rules() const { return rules_; }
  /// If no line decided, `rule` says why the policy holds.
  RobotsVerdict Check(const Url& url) const;

 private:
  const std::string product_;
  RobotsPolicy policy_ = RobotsPolicy::kRefuseAll;
  RobotsTxt rules_;
  std::string reason_ = "robots.txt has not been fetched";
  TimePoint expires_ = TimePoint::min();
  int failures_ = 0;
};

}  // namespace crawler

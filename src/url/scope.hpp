#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "url/url.hpp"

namespace crawler {

/// How far from its seeds a crawl may go.
enum class Reach : std::uint8_t {
  kPath,    ///< The folder of the seed, and the folders below it.
  kHost,    ///< The seed's host, any port.
  kDomain,  ///< The seed's registrable domain with all its hosts.
  kWeb,     ///< Anywhere.
};

/// The rule that decides which URLs a crawl takes. Patterns are RE2 expressions looked for anywhere
/// in the normalised URL.
struct ScopeOptions {
  /// Default: the hosts of the seeds.
  Reach reach = Reach::kHost;
  /// A URL in reach is taken only if one of these matches. Default: none, which takes all.
  std::vector<std::string> include;
  /// A URL that one of these matches is refused, even if `include` matches. Default: none.
  std::vector<std::string> exclude;
  /// Accepted schemes. Default: both.
  bool http = true;
  bool https = true;
  /// Longest URL, in bytes. Default: 2,048.
  std::size_t max_url_length = 2048;
  /// Most segments of a path; longer paths are usually an endless trap. Default: 24; 0 for no
  /// limit.
  std::size_t max_path_segments = 24;
  /// How often one segment may occur in a path; "/a/b/a/b/a/b/a/b" is a loop of relative links.
  /// Default: 3; 0 for no limit.
  std::size_t max_segment_repeats = 3;
};

/// The rule that decided about a URL.
enum class ScopeRule : std::uint8_t {
  kScheme,
  kLength,
  kTooManySegments,
  kRepeatedSegment,
  kExcluded,
  kReach,
  kIncluded,
};

/// The name of `rule` as reports show it, e.g. "repeated path segment".
std::string_view ScopeRuleName(ScopeRule rule);

struct ScopeVerdict {
  bool allowed;
  ScopeRule rule;
  /// The detail that the rule decided by: the pattern, the segment, the host. Points
  /// into the Scope, the text of the URL or static text.
  std::string_view detail;
};

/// Decides for each URL whether a crawl takes it, and by which rule.
/// Threads: Check() is safe from any thread while nobody calls AddSeed().
class Scope {
 public:
  /// kInvalidArgument, naming the pattern and its error, if a pattern is not an RE2 expression.
  static Result<std::unique_ptr<Scope>> Create(ScopeOptions options);
  ~Scope();

  /// Adds the URLs in reach of `seed` to the scope. URLs that are not followable add nothing.
  void AddSeed(const Url& seed);

  /// Decides about `url`, which is in normal form.
  ScopeVerdict Check(const UrlView& url) const;

 private:
  struct State;
  explicit Scope(std::unique_ptr<State> state);
  const std::unique_ptr<State> state_;
};

}  // namespace crawler

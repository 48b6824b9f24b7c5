#include "inspect/explain_rules.hpp"

#include <memory>
#include <string_view>

#include "engine/stage_options.hpp"
#include "model/fetch_result.hpp"
#include "robots/robots_txt.hpp"
#include "url/normalize.hpp"
#include "url/scope.hpp"

namespace crawler {
namespace {

std::string DescribeVerdict(const RobotsVerdict& verdict) {
  const std::string decision = verdict.allowed ? "allowed" : "refused";
  if (verdict.line == 0) return decision + ", no rule matches";
  return decision + " by line " + std::to_string(verdict.line) + ": " + std::string(verdict.rule);
}

// Where the scope of the options ends.
std::string ReachOf(CrawlScope scope) {
  switch (scope) {
    case CrawlScope::kPrefix:
      return "below the folder of a seed (--scope prefix)";
    case CrawlScope::kHost:
      return "on a host of the seeds (--scope host)";
    case CrawlScope::kDomain:
      return "on a domain of the seeds (--scope domain)";
    case CrawlScope::kWeb:
      break;
  }
  return "on the web (--scope web)";
}

std::string WhyOutOfScope(const CrawlOptions& options, ScopeRule rule, std::string_view detail) {
  const std::string what(detail);
  switch (rule) {
    case ScopeRule::kScheme:
      return "only http and https are fetched";
    case ScopeRule::kLength:
      return "the URL is too long";
    case ScopeRule::kTooManySegments:
      return "its path has too many segments, as endless links have";
    case ScopeRule::kRepeatedSegment:
      return "its path repeats '" + what + "' too often, as endless links do";
    case ScopeRule::kExcluded:
      return "--exclude " + what + " is found in it";
    case ScopeRule::kReach:
      return "it is not " + ReachOf(options.scope);
    case ScopeRule::kIncluded:
      break;
  }
  return "no --include pattern is found in it";
}

std::string OutOfScope(const CrawlOptions& options, ScopeRule rule, std::string_view detail) {
  return "out of scope: " + WhyOutOfScope(options, rule, detail);
}

}  // namespace

Result<std::string> ExplainScope(const CrawlOptions& options, const Url& url) {
  const Result<std::vector<Url>> seeds = ParseSeeds(options);
  if (!seeds.ok()) return seeds.status();
  const Result<std::unique_ptr<Scope>> scope = MakeScope(options, *seeds);
  if (!scope.ok()) return scope.status();
  const ScopeVerdict verdict = (*scope)->Check(url);
  if (!verdict.allowed) return OutOfScope(options, verdict.rule, verdict.detail);
  if (verdict.rule == ScopeRule::kIncluded) {
    return "in scope: --include " + std::string(verdict.detail) + " is found in it";
  }
  return "in scope: " + ReachOf(options.scope);
}

std::string ExplainSkip(const CrawlOptions& options, SkipReason reason, std::string_view detail) {
  switch (reason) {
    case SkipReason::kNone:
      return "";
    case SkipReason::kNofollow:
      return "every link to it says nofollow, or its page does";
    case SkipReason::kTooDeep:
      return "it is deeper than --max-depth allows";
    case SkipReason::kFrontierFull:
      return "as many URLs waited as --max-frontier allows";
    case SkipReason::kTooManyRedirects:
      return "it is behind too many redirects in a row";
    case SkipReason::kScheme:
      return OutOfScope(options, ScopeRule::kScheme, detail);
    case SkipReason::kUrlLength:
      return OutOfScope(options, ScopeRule::kLength, detail);
    case SkipReason::kTooManySegments:
      return OutOfScope(options, ScopeRule::kTooManySegments, detail);
    case SkipReason::kRepeatedSegment:
      return OutOfScope(options, ScopeRule::kRepeatedSegment, detail);
    case SkipReason::kExcluded:
      return OutOfScope(options, ScopeRule::kExcluded, detail);
    case SkipReason::kOutsideReach:
      return OutOfScope(options, ScopeRule::kReach, detail);
    case SkipReason::kNotIncluded:
      break;
  }
  return OutOfScope(options, ScopeRule::kIncluded, detail);
}

std::string ExplainTruncation(std::string_view name) {
  if (name.empty()) return "";
  if (name == TruncationName(Truncation::kLength)) return "it is larger than --max-page-bytes";
  if (name == TruncationName(Truncation::kTime)) return "it took longer than --timeout";
  return "the connection ended before the page did";
}

Result<std::string> ExplainRobots(Database& db, const CrawlOptions& options, const Url& url) {
  if (!options.network.obey_robots) return std::string("not asked (--no-robots)");
  std::string text = "not asked yet";
  const auto read = [&](Statement& row) {
    const std::string policy(row.Text(2));
    if (policy != "rules") {
      text = policy + ", status " + std::to_string(row.Int(1));
      return;
    }
    const std::string& agent = options.network.user_agent;
    const RobotsTxt robots = RobotsTxt::Parse(row.Text(0), agent.empty() ? "crawler" : agent);
    text = DescribeVerdict(robots.Check(url));
  };
  const std::string origin = url.Origin();
  Status status =
      ForEachRow(db, "SELECT rules, status_code, policy FROM robots_cache WHERE domain = ?", read,
                 std::string_view(origin));
  if (!status.ok()) return status;
  return text;
}

std::string ExplainSearch(const CrawlOptions& options, const Url& url) {
  const NormalizeOptions normalize = ToNormalizeOptions(options);
  for (const SearchedSeed& seed : options.searched_seeds) {
    Url found;
    if (ParseUrl(seed.url, nullptr, &found) != UrlKind::kFollowable) continue;
    NormalizeUrl(&found, normalize);
    if (found == url) {
      return "rank " + std::to_string(seed.rank) + " of the search \"" + seed.query + "\"";
    }
  }
  return {};
}

}  // namespace crawler

#include "engine/seed_watch.hpp"

#include <algorithm>
#include <utility>

#include "engine/batch_rows.hpp"
#include "engine/failure_text.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

constexpr std::string_view kRedirectPrefix = "to ";

// The text behind the name of the failure that visit details begin with: "dns: …".
std::string_view WithoutName(std::string_view detail, FetchFailure failure) {
  const std::string_view name = FetchFailureName(failure);
  if (detail.starts_with(name)) detail.remove_prefix(name.size());
  if (detail.starts_with(": ")) detail.remove_prefix(2);
  return detail;
}

std::string DescribeFailed(const SeedWatch::Attempt& last, std::string_view detail) {
  const std::string text(WithoutName(detail, last.failure));
  const std::string because = text.empty() ? "" : ": " + text;
  switch (last.failure) {
    case FetchFailure::kBlockedAddress:
      return "was refused" + because;
    case FetchFailure::kDns:
      return "cannot be reached: its host name is not known" +
             (text.empty() ? "" : " (" + text + ")");
    case FetchFailure::kRefused:
      return "cannot be reached: the connection was refused" +
             (text.empty() ? "" : " (" + text + ")");
    case FetchFailure::kTls:
      return "cannot be reached safely" + because;
    case FetchFailure::kTooLarge:
      return "is too large" + because;
    case FetchFailure::kUnwantedType:
      return "is not of a type that is crawled" + because;
    default:
      return "could not be fetched: " + std::string(detail);
  }
}

// The last failure of the host says most; with its robots.txt everything of the host fails.
std::string DescribeGivenUp(const SeedWatch::Attempt& last, std::string_view detail) {
  const std::size_t at = detail.rfind(kLastFailure);
  if (last.failure == FetchFailure::kNone || at == std::string_view::npos) {
    return "could not be fetched: " + std::string(detail);
  }
  return DescribeFailed(last, detail.substr(at + kLastFailure.size()));
}

std::string DescribeRedirect(std::string_view detail, const Scope& scope, std::string* hint) {
  const std::string target(
      detail.starts_with(kRedirectPrefix) ? detail.substr(kRedirectPrefix.size()) : detail);
  std::string what = "redirects to " + target;
  Url url;
  if (ParseUrl(target, nullptr, &url) != UrlKind::kFollowable) {
    return what + ", which is no http or https URL";
  }
  const ScopeVerdict verdict = scope.Check(url);
  if (verdict.allowed) return what + ", after too many redirects in a row";
  if (verdict.rule == ScopeRule::kReach) {
    *hint = "Begin at " + target + ", or take a larger --scope.";
    return what + ", which is outside the scope of the crawl";
  }
  return what + ", which the scope leaves out (" + std::string(ScopeRuleName(verdict.rule)) + ")";
}

}  // namespace

void SeedWatch::Add(UrlId id, std::string_view url) {
  MutexLock lock(mutex_);
  if (id == 0 || seeds_.size() >= kMostSeeds || !seed_of_.emplace(id, seeds_.size()).second) return;
  by_url_.emplace(id, seeds_.size());
  Seed& seed = seeds_.emplace_back();
  seed.url = url;
  seed.chain = {id};
  watched_.store(by_url_.size(), std::memory_order_relaxed);
}

void SeedWatch::SetSearched(std::set<std::string, std::less<>> urls) {
  MutexLock lock(mutex_);
  searched_ = std::move(urls);
}

void SeedWatch::Note(UrlId url, const Attempt& attempt) {
  if (!watching()) return;
  MutexLock lock(mutex_);
  const auto [begin, end] = by_url_.equal_range(url);
  std::vector<std::size_t> seeds;
  for (auto it = begin; it != end; ++it) seeds.push_back(it->second);
  if (attempt.final) by_url_.erase(begin, end);
  for (const std::size_t index : seeds) Note(attempt, index);
  watched_.store(by_url_.size(), std::memory_order_relaxed);
}

void SeedWatch::Note(const Attempt& attempt, std::size_t index) {
  Seed& seed = seeds_[index];
  seed.tried = true;
  seed.last = attempt;
  seed.detail = attempt.detail;
  seed.last.detail = {};
  if (!attempt.final) return;
  if (attempt.outcome == VisitOutcome::kPage || attempt.outcome == VisitOutcome::kUnchanged) {
    seed.state = State::kDone;
    return;
  }
  seed.state = State::kFailed;
  if (attempt.outcome != VisitOutcome::kRedirect) return;
  const UrlId target = attempt.redirect_to;
  seed.loops = std::find(seed.chain.begin(), seed.chain.end(), target) != seed.chain.end();
  if (target == 0 || seed.loops || attempt.target_skipped) return;
  // If the target is over already, nothing more is heard of it; it has its own story then.
  seed.state = State::kWaiting;
  seed.chain.push_back(target);
  by_url_.emplace(target, index);
}

std::optional<CrawlResult::SeedFailure> SeedWatch::TellFirst(UrlId url, const Attempt& attempt,
                                                             const Scope& scope) {
  if (!watching()) return std::nullopt;
  MutexLock lock(mutex_);
  const auto found = by_url_.find(url);
  if (found == by_url_.end() || told_ >= kMostTold) return std::nullopt;
  Seed& seed = seeds_[found->second];
  if (std::exchange(seed.told, true)) return std::nullopt;
  ++told_;
  Seed described = seed;
  described.last = attempt;
  described.detail = attempt.detail;
  return Describe(described, scope);
}

SeedWatch::Failures SeedWatch::Describe(const Scope& scope, bool unfinished) const {
  Failures failures;
  MutexLock lock(mutex_);
  for (const Seed& seed : seeds_) {
    const bool counts = seed.state == State::kFailed ||
                        (unfinished && seed.state == State::kWaiting && seed.tried &&
                         seed.last.outcome != VisitOutcome::kRedirect);
    if (!counts) continue;
    ++failures.all;
    if (failures.shown.size() < kMostShown) failures.shown.push_back(Describe(seed, scope));
  }
  return failures;
}

CrawlResult::SeedFailure SeedWatch::Describe(const Seed& seed, const Scope& scope) const {
  CrawlResult::SeedFailure failure;
  failure.url = seed.url;
  switch (seed.last.outcome) {
    case VisitOutcome::kRedirect:
      failure.what = seed.loops ? "redirects in a circle: " + seed.detail
                                : DescribeRedirect(seed.detail, scope, &failure.hint);
      break;
    case VisitOutcome::kRefused:
      failure.what = "is refused by " + seed.detail;
      failure.hint = RobotsHint();
      break;
    case VisitOutcome::kHttpError:
    case VisitOutcome::kThrottled:
    case VisitOutcome::kEmpty:
      failure.what = DescribeStatus(seed.last.status);
      if (!seed.detail.empty()) failure.what += ": " + seed.detail;
      failure.hint = StatusHint(seed.last.status);
      break;
    case VisitOutcome::kGivenUp:
      failure.what = DescribeGivenUp(seed.last, seed.detail);
      failure.hint = FailureHint(seed.last.failure, seed.detail);
      if (seed.last.failure == FetchFailure::kNone &&
          seed.last.given_up == GiveUpReason::kNoRobots) {
        failure.hint = "Nothing is fetched without a robots.txt. " + RobotsHint();
      }
      break;
    default:
      failure.what = DescribeFailed(seed.last, seed.detail);
      failure.hint = FailureHint(seed.last.failure, seed.detail);
  }
  if (seed.chain.size() > 1 && seed.last.outcome != VisitOutcome::kRedirect) {
    failure.what = "redirects to a URL that " + failure.what;
  }
  if (searched_.count(seed.url) > 0) failure.hint.clear();
  return failure;
}

}  // namespace crawler

#include "url/scope.hpp"

#include <re2/re2.h>

#include <functional>
#include <unordered_map>

#include "url/domain.hpp"

namespace crawler {
namespace {

struct ViewHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

using Patterns = std::vector<std::unique_ptr<RE2>>;

Status Compile(const std::vector<std::string>& sources, Patterns* patterns) {
  RE2::Options quiet;
  quiet.set_log_errors(false);
  for (const std::string& source : sources) {
    patterns->push_back(std::make_unique<RE2>(source, quiet));
    if (!patterns->back()->ok()) {
      return Status(StatusCode::kInvalidArgument,
                    "pattern '" + source + "': " + patterns->back()->error());
    }
  }
  return Status::Ok();
}

const RE2* FindMatch(const Patterns& patterns, std::string_view text) {
  const re2::StringPiece piece(text.data(), text.size());
  for (const std::unique_ptr<RE2>& pattern : patterns) {
    if (RE2::PartialMatch(piece, *pattern)) return pattern.get();
  }
  return nullptr;
}

// Calls `use` with each segment that is not empty until it returns false.
template <typename Use>
void ForEachSegment(std::string_view path, Use use) {
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0 && !use(path.substr(0, end))) return;
    path.remove_prefix(end);
  }
}

}  // namespace

struct Scope::State {
  ScopeOptions options;
  Patterns include;
  Patterns exclude;
  // From host or domain (by the reach) to its folders that are in scope.
  std::unordered_map<std::string, std::vector<std::string>, ViewHash, std::equal_to<>> seeds;

  std::string_view SeedKey(const UrlView& url) const {
    return options.reach == Reach::kDomain ? SiteOf(url) : url.host();
  }
  bool CheckTraps(const UrlView& url, ScopeVerdict* verdict) const;
  bool InReach(const UrlView& url) const;
};

bool Scope::State::CheckTraps(const UrlView& url, ScopeVerdict* verdict) const {
  // Held on the stack: the limit on segments bounds it, and without one the first 64 are looked at.
  constexpr std::size_t kMost = 64;
  std::string_view seen[kMost];
  std::size_t count = 0;
  bool passed = true;
  ForEachSegment(url.path(), [&](std::string_view segment) {
    std::size_t repeats = 1;
    for (std::size_t i = 0; i < std::min(count, kMost); ++i) repeats += seen[i] == segment;
    if (options.max_segment_repeats != 0 && repeats > options.max_segment_repeats) {
      *verdict = {false, ScopeRule::kRepeatedSegment, segment};
      passed = false;
    } else if (count < kMost) {
      seen[count] = segment;
    }
    ++count;
    if (options.max_path_segments != 0 && count > options.max_path_segments) {
      *verdict = {false, ScopeRule::kTooManySegments, segment};
      passed = false;
    }
    return passed;
  });
  return passed;
}

bool Scope::State::InReach(const UrlView& url) const {
  if (options.reach == Reach::kWeb) return true;
  const auto seed = seeds.find(SeedKey(url));
  if (seed == seeds.end()) return false;
  if (options.reach != Reach::kPath) return true;
  for (const std::string& folder : seed->second) {
    if (url.path().starts_with(folder)) return true;
  }
  return false;
}

Scope::Scope(std::unique_ptr<State> state) : state_(std::move(state)) {}
Scope::~Scope() = default;

Result<std::unique_ptr<Scope>> Scope::Create(ScopeOptions options) {
  auto state = std::make_unique<State>();
  state->options = std::move(options);
  Status status = Compile(state->options.include, &state->include);
  if (status.ok()) status = Compile(state->options.exclude, &state->exclude);
  if (!status.ok()) return status;
  return std::unique_ptr<Scope>(new Scope(std::move(state)));
}

void Scope::AddSeed(const Url& seed) {
  if (!seed.followable()) return;
  const std::string_view path = seed.path();
  state_->seeds[std::string(state_->SeedKey(seed))].emplace_back(
      path.substr(0, path.rfind('/') + 1));
}

ScopeVerdict Scope::Check(const UrlView& url) const {
  const State& state = *state_;
  const ScopeOptions& options = state.options;
  const std::string_view scheme = url.scheme();
  if (!(scheme == "https" && options.https) && !(scheme == "http" && options.http)) {
    return {false, ScopeRule::kScheme, scheme};
  }
  if (url.href().size() > options.max_url_length) return {false, ScopeRule::kLength, {}};
  ScopeVerdict verdict{};
  if (!state.CheckTraps(url, &verdict)) return verdict;
  if (const RE2* pattern = FindMatch(state.exclude, url.href())) {
    return {false, ScopeRule::kExcluded, pattern->pattern()};
  }
  if (!state.InReach(url)) return {false, ScopeRule::kReach, url.host()};
  if (state.include.empty()) return {true, ScopeRule::kReach, url.host()};
  if (const RE2* pattern = FindMatch(state.include, url.href())) {
    return {true, ScopeRule::kIncluded, pattern->pattern()};
  }
  return {false, ScopeRule::kIncluded, "no include pattern matches"};
}

std::string_view ScopeRuleName(ScopeRule rule) {
  switch (rule) {
    case ScopeRule::kScheme:
      return "scheme";
    case ScopeRule::kLength:
      return "URL length";
    case ScopeRule::kTooManySegments:
      return "too many path segments";
    case ScopeRule::kRepeatedSegment:
      return "repeated path segment";
    case ScopeRule::kExcluded:
      return "exclude pattern";
    case ScopeRule::kReach:
      return "reach";
    case ScopeRule::kIncluded:
      return "include pattern";
  }
  return "unknown";
}

}  // namespace crawler

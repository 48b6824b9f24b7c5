#include "engine/scope_options.hpp"

#include <string>
#include <utility>
#include <vector>

#include "url/given_url.hpp"

namespace crawler {
namespace {

Reach ToReach(CrawlScope scope) {
  switch (scope) {
    case CrawlScope::kPrefix:
      return Reach::kPath;
    case CrawlScope::kHost:
      return Reach::kHost;
    case CrawlScope::kDomain:
      return Reach::kDomain;
    case CrawlScope::kWeb:
      return Reach::kWeb;
  }
  return Reach::kHost;
}

}  // namespace

NormalizeOptions ToNormalizeOptions(const CrawlOptions& options) {
  return {options.drop_tracking, options.drop_session_ids, options.sort_query};
}

Result<std::vector<Url>> ParseSeeds(const CrawlOptions& options) {
  std::vector<Url> seeds;
  for (const std::string& text : options.seeds) {
    Result<Url> url = ParseGivenUrl(text);
    if (!url.ok()) return url.status();
    NormalizeUrl(&*url, ToNormalizeOptions(options));
    seeds.push_back(std::move(url).value());
  }
  return seeds;
}

std::set<std::string, std::less<>> SearchedUrls(const CrawlOptions& options) {
  std::set<std::string, std::less<>> urls;
  for (const SearchedSeed& seed : options.searched_seeds) {
    Url url;
    if (ParseUrl(seed.url, nullptr, &url) != UrlKind::kFollowable) continue;
    NormalizeUrl(&url, ToNormalizeOptions(options));
    urls.emplace(url.href());
  }
  return urls;
}

bool RemoveCredentials(std::vector<std::string>* seeds) {
  bool removed = false;
  for (std::string& seed : *seeds) {
    Url url;
    if (ParseUrl(seed, nullptr, &url) != UrlKind::kFollowable || !url.has_credentials()) continue;
    url.RemoveCredentials();
    seed = url.href();
    removed = true;
  }
  return removed;
}

Result<std::unique_ptr<Scope>> MakeScope(const CrawlOptions& options) {
  ScopeOptions scope_options;
  scope_options.reach = ToReach(options.scope);
  scope_options.include = options.include;
  scope_options.exclude = options.exclude;
  Result<std::unique_ptr<Scope>> scope = Scope::Create(std::move(scope_options));
  if (!scope.ok()) return scope;
  const Result<std::vector<Url>> seeds = ParseSeeds(options);
  if (!seeds.ok()) return seeds.status();
  for (const Url& url : *seeds) (*scope)->AddSeed(url);
  return scope;
}

}  // namespace crawler

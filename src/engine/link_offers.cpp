#include "engine/link_offers.hpp"

#include <charconv>

#include "base/json.hpp"
#include "url/domain.hpp"

namespace crawler {
namespace {

SkipReason ToSkipReason(ScopeRule rule) {
  switch (rule) {
    case ScopeRule::kScheme:
      return SkipReason::kScheme;
    case ScopeRule::kLength:
      return SkipReason::kUrlLength;
    case ScopeRule::kTooManySegments:
      return SkipReason::kTooManySegments;
    case ScopeRule::kRepeatedSegment:
      return SkipReason::kRepeatedSegment;
    case ScopeRule::kExcluded:
      return SkipReason::kExcluded;
    case ScopeRule::kReach:
      return SkipReason::kOutsideReach;
    case ScopeRule::kIncluded:
      return SkipReason::kNotIncluded;
  }
  return SkipReason::kOutsideReach;
}

}  // namespace

void LinkOffers::Clear() {
  candidates_.clear();
  targets_.clear();
  by_url_.clear();
  kept_used_ = 0;
}

std::string_view LinkOffers::Keep(std::string_view text) {
  if (kept_used_ == kept_.size()) kept_.push_back(std::make_unique<std::string>());
  std::string& place = *kept_[kept_used_++];
  place.assign(text);
  return place;
}

void LinkOffers::CheckLimits(const UrlView& url, Frontier::Offer* candidate) {
  candidate->skipped = SkipReason::kNone;
  if (candidate->via == Via::kSitemapFile) return;
  const ScopeVerdict verdict = scope_.Check(url);
  if (!verdict.allowed) {
    candidate->skipped = ToSkipReason(verdict.rule);
    if (!verdict.detail.empty()) candidate->skip_detail = Keep(verdict.detail);
    return;
  }
  if (max_depth_ >= 0 && candidate->depth > static_cast<std::uint32_t>(max_depth_)) {
    candidate->skipped = SkipReason::kTooDeep;
  }
}

void LinkOffers::Push(const UrlView& url, Via via, std::uint32_t depth, std::uint32_t redirects,
                      SkipReason reason) {
  Frontier::Offer candidate;
  candidate.url = url.href();
  candidate.origin = url.before_path();
  // Most links of a page lead to the host of the one before.
  const Frontier::Offer* const last = candidates_.empty() ? nullptr : &candidates_.back();
  candidate.site = last != nullptr && last->origin == candidate.origin ? last->site : SiteOf(url);
  candidate.depth = depth;
  candidate.redirects = redirects;
  candidate.via = via;
  candidate.skipped = reason;
  if (reason == SkipReason::kNone) CheckLimits(url, &candidate);
  candidates_.push_back(candidate);
}

void LinkOffers::AddLinks(const Page& page, std::uint32_t depth) {
  constexpr std::uint32_t kNone = 0xffffffff;
  by_target_.assign(page.targets.size(), kNone);
  for (const Link& link : page.links) {
    if (link.kind != UrlKind::kFollowable || !IsNavigation(link)) continue;
    const bool nofollow = link.nofollow() || page.robots.nofollow;
    std::uint32_t& known = by_target_[link.target];
    if (known == kNone) {
      known = static_cast<std::uint32_t>(candidates_.size());
      Push(page.View(page.targets[link.target]), Via::kLink, depth, 0,
           nofollow ? SkipReason::kNofollow : SkipReason::kNone);
      targets_.push_back({&link, nofollow});
      continue;
    }
    // A second link to the same page: one that may be followed is enough.
    Target& target = targets_[known];
    if (target.link->text.size == 0) target.link = &link;
    if (!target.nofollow || nofollow) continue;
    target.nofollow = false;
    CheckLimits(page.View(page.targets[link.target]), &candidates_[known]);
  }
}

void LinkOffers::Add(std::string_view url, Via via, std::uint32_t depth, std::uint32_t redirects,
                     SkipReason reason) {
  if (ParseUrl(url, nullptr, &url_) != UrlKind::kFollowable) return;
  NormalizeUrl(&url_, normalize_);
  const std::string_view text = Keep(url_.href());
  if (!by_url_.insert(text).second) return;
  Push(UrlView(text, url_), via, depth, redirects, reason);
  targets_.push_back({});
}

void LinkOffers::AddLink(std::string_view url, std::uint32_t depth, bool nofollow,
                         std::uint16_t worth) {
  const std::size_t before = candidates_.size();
  Add(url, Via::kLink, depth, 0, nofollow ? SkipReason::kNofollow : SkipReason::kNone);
  if (candidates_.size() == before) return;
  candidates_.back().worth = worth;
  targets_.back().nofollow = nofollow;
}

void LinkOffers::Weigh(Focus& focus, const Page& page, std::string_view language,
                       double relevance) {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Link* const link = targets_[i].link;
    candidates_[i].worth =
        link == nullptr ? focus.OfUrl(candidates_[i].url)
                        : focus.OfLink(relevance, language, page.TextOf(*link), candidates_[i].url);
  }
}

std::uint64_t LinkOffers::CountLinks(const std::vector<Frontier::Offered>& offered) const {
  std::uint64_t links = 0;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    links += candidates_[i].via == Via::kLink && offered[i].url != 0;
  }
  return links;
}

std::string LinkOffers::LinksJson(const Page& page, const std::vector<Frontier::Offered>& offered,
                                  std::uint64_t* count) const {
  std::string json;
  *count = 0;
  json.reserve(targets_.size() * 32);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (candidates_[i].via != Via::kLink || offered[i].url == 0) continue;
    ++*count;
    json.push_back(json.empty() ? '[' : ',');
    const Target& target = targets_[i];
    const std::string_view text =
        target.link == nullptr ? std::string_view() : page.TextOf(*target.link);
    char number[16];
    const char* const end = std::to_chars(number, number + sizeof number, offered[i].url).ptr;
    const std::string_view id(number, static_cast<std::size_t>(end - number));
    const std::uint16_t worth = candidates_[i].worth;
    if (text.empty() && !target.nofollow && worth == 0) {
      json.append(id);
      continue;
    }
    json.append("[").append(id).append(target.nofollow ? ",1," : ",0,");
    AppendJson(text, &json);
    if (worth != 0) json.append(",").append(std::to_string(worth));
    json.push_back(']');
  }
  if (!json.empty()) json.push_back(']');
  return json;
}

}  // namespace crawler

#include "engine/link_offers.hpp"

#include "url/domain.hpp"

namespace crawler {

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

std::string_view LinkOffers::Verdict(const Url& url, Via via, std::uint32_t depth) {
  if (via == Via::kSitemapFile) return {};
  const ScopeVerdict verdict = crawl_.scope->Check(url);
  if (!verdict.allowed) {
    std::string reason = "scope: ";
    reason.append(ScopeRuleName(verdict.rule));
    if (!verdict.detail.empty()) reason.append(" ").append(verdict.detail);
    return Keep(reason);
  }
  const int max_depth = crawl_.options.max_depth;
  if (max_depth >= 0 && depth > static_cast<std::uint32_t>(max_depth)) {
    return kReasonTooDeep;
  }
  return {};
}

void LinkOffers::AddUrl(const Url& url, std::string_view text, Via via, std::uint32_t depth,
                        std::uint32_t redirects, std::string_view reason) {
  // Views of the text that stays: the parts of `url` lie at the same places in it.
  const std::size_t origin_size = static_cast<std::size_t>(
      url.host_and_port().data() + url.host_and_port().size() - url.href().data());
  const std::string_view site = SiteOf(url);
  UrlCandidate candidate;
  candidate.url = text;
  candidate.origin = text.substr(0, origin_size);
  candidate.site = text.substr(static_cast<std::size_t>(site.data() - url.href().data()),
                               site.size());
  candidate.depth = depth;
  candidate.redirects = redirects;
  candidate.via = via;
  candidate.turned_away = reason.empty() ? Verdict(url, via, depth) : reason;
  candidate.too_deep = candidate.turned_away == kReasonTooDeep;
  candidates_.push_back(candidate);
}

void LinkOffers::AddLinks(const Page& page, std::uint32_t depth) {
  for (const Link& link : page.links) {
    if (link.kind != UrlKind::kFollowable || !IsNavigation(link.source)) continue;
    const std::string_view text = page.UrlOf(link);
    const bool nofollow = link.nofollow() || page.robots.nofollow;
    const auto [known, is_new] = by_url_.try_emplace(text, candidates_.size());
    if (!is_new) {
      // A second link to the same page: one that may be followed is enough.
      Target& target = targets_[known->second];
      if (target.link->text.size == 0) target.link = &link;
      if (target.nofollow && !nofollow) {
        target.nofollow = false;
        ParseUrl(text, nullptr, &url_);
        UrlCandidate& candidate = candidates_[known->second];
        candidate.turned_away = Verdict(url_, Via::kLink, depth);
        candidate.too_deep = candidate.turned_away == kReasonTooDeep;
      }
      continue;
    }
    ParseUrl(text, nullptr, &url_);
    AddUrl(url_, text, Via::kLink, depth, 0, nofollow ? "nofollow" : std::string_view());
    targets_.push_back({&link, nofollow});
  }
}

void LinkOffers::Add(std::string_view url, Via via, std::uint32_t depth, std::uint32_t redirects,
                     std::string_view reason) {
  if (ParseUrl(url, nullptr, &url_) != UrlKind::kFollowable) return;
  NormalizeUrl(&url_, crawl_.normalize);
  const std::string_view text = Keep(url_.href());
  if (!by_url_.try_emplace(text, candidates_.size()).second) return;
  AddUrl(url_, text, via, depth, redirects, reason);
  targets_.push_back({});
}

std::string LinkOffers::LinksJson(const Page& page, const std::vector<UrlId>& ids) const {
  std::string json;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].link == nullptr || ids[i] == 0) continue;
    json.push_back(json.empty() ? '[' : ',');
    const std::string_view text = page.TextOf(*targets_[i].link);
    if (text.empty() && !targets_[i].nofollow) {
      json.append(std::to_string(ids[i]));
      continue;
    }
    json.append("[").append(std::to_string(ids[i]));
    json.append(targets_[i].nofollow ? ",1," : ",0,");
    AppendJson(text, &json);
    json.push_back(']');
  }
  if (!json.empty()) json.push_back(']');
  return json;
}

}  // namespace crawler

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/focus.hpp"
#include "frontier/frontier.hpp"
#include "model/page.hpp"
#include "url/normalize.hpp"
#include "url/scope.hpp"
#include "url/url.hpp"

namespace crawler {

/// Makes candidates of the links of one page, or the entries of one sitemap: each target once, with
/// the verdict of scope, depth and nofollow. Keeps its memory from page to page.
/// Ownership: borrows the scope.
/// Lifetime: candidates point into the added pages and into this object; valid until Clear().
/// Threads: one at a time; have one for each thread.
class LinkOffers {
 public:
  /// `max_depth`: as CrawlOptions::max_depth; negative for no limit.
  LinkOffers(const Scope& scope, const NormalizeOptions& normalize, int max_depth)
      : scope_(scope), normalize_(normalize), max_depth_(max_depth) {}

  void Clear();
  /// Adds the links of `page` that lead to other pages. `page` must live until Clear().
  void AddLinks(const Page& page, std::uint32_t depth);
  /// Adds one URL in any form; nothing happens if it cannot be followed. Skipped for
  /// `reason` if there is one; a sitemap file is not checked against the scope.
  void Add(std::string_view url, Via via, std::uint32_t depth, std::uint32_t redirects = 0,
           SkipReason reason = SkipReason::kNone);

  /// Adds one link without its text.
  void AddLink(std::string_view url, std::uint32_t depth, bool nofollow, std::uint16_t worth);

  /// Sets the worth of each candidate; `relevance` is that of the page.
  void Weigh(Focus& focus, const Page& page, std::string_view language, double relevance);

  /// Sets the same worth for all candidates, e.g. that of a redirect for its target.
  void SetWorth(std::uint16_t worth) {
    for (Frontier::Offer& candidate : candidates_) candidate.worth = worth;
  }

  const std::vector<Frontier::Offer>& candidates() const { return candidates_; }

  /// The links that AddLinks() found as JSON, in the form of PageRow::links; `offered` are the
  /// results of the candidates. Empty if there are no links. `*count`: how many it lists.
  std::string LinksJson(const Page& page, const std::vector<Frontier::Offered>& offered,
                        std::uint64_t* count) const;

  /// How many links LinksJson() lists.
  std::uint64_t CountLinks(const std::vector<Frontier::Offered>& offered) const;

  /// The candidate is a link that asks not to be followed.
  bool nofollow(std::size_t candidate) const { return targets_[candidate].nofollow; }

 private:
  struct Target {
    const Link* link = nullptr;  // The first with a text.
    bool nofollow = false;
  };

  // Storage that stays where it is while candidates point at it.
  std::string_view Keep(std::string_view text);
  void Push(const UrlView& url, Via via, std::uint32_t depth, std::uint32_t redirects,
            SkipReason reason);
  // Sets why `candidate` is not to be fetched, if scope or depth say so.
  void CheckLimits(const UrlView& url, Frontier::Offer* candidate);

  const Scope& scope_;
  const NormalizeOptions normalize_;
  const int max_depth_;
  std::vector<Frontier::Offer> candidates_;
  std::vector<Target> targets_;
  std::vector<std::uint32_t> by_target_;         // Candidates of the targets of a page.
  std::unordered_set<std::string_view> by_url_;  // URLs that Add() has added.
  std::vector<std::unique_ptr<std::string>> kept_;
  std::size_t kept_used_ = 0;
  Url url_;
};

}  // namespace crawler

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/crawl_context.hpp"
#include "engine/focus.hpp"
#include "engine/url_registry.hpp"
#include "model/page.hpp"
#include "url/url.hpp"

namespace crawler {

/// Makes candidates of the links of one page, or the entries of one sitemap: each target once, with
/// the verdict of scope, depth and nofollow. Keeps its memory from page to page.
/// Lifetime: candidates point into what was added and into this object; valid until Clear().
/// Threads: one at a time; have one for each thread.
class LinkOffers {
 public:
  explicit LinkOffers(const CrawlContext& crawl) : crawl_(crawl) {}

  void Clear();
  /// Adds the links of `page` that lead to other pages. `page` must live until Clear().
  void AddLinks(const Page& page, std::uint32_t depth);
  /// Adds one URL in any form; nothing happens if it cannot be followed. Skipped for
  /// `reason` if there is one; a sitemap file is not checked against the scope.
  void Add(std::string_view url, Via via, std::uint32_t depth, std::uint32_t redirects = 0,
           SkipReason reason = SkipReason::kNone);

  /// Adds one link without its text.
  void AddLink(std::string_view url, std::uint32_t depth, bool nofollow, std::uint16_t worth);

  /// Says what each candidate promises, `relevance` being that of the page.
  void Weigh(Focus& focus, const Page& page, std::string_view language, double relevance);

  /// All of them promise the same, e.g. where a redirect leads as much as where it came from.
  void Promise(std::uint16_t worth) {
    for (UrlCandidate& candidate : candidates_) candidate.worth = worth;
  }

  const std::vector<UrlCandidate>& candidates() const { return candidates_; }

  /// The links that AddLinks() found as JSON, in the form of PageRow::links; `ids` are those the
  /// candidates were given. Empty if there are none.
  std::string LinksJson(const Page& page, const std::vector<UrlId>& ids) const;

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
  void CheckLimits(const UrlView& url, UrlCandidate* candidate);

  const CrawlContext& crawl_;
  std::vector<UrlCandidate> candidates_;
  std::vector<Target> targets_;
  std::vector<std::uint32_t> by_target_;         // Candidates of the targets of a page.
  std::unordered_set<std::string_view> by_url_;  // What Add() has added.
  std::vector<std::unique_ptr<std::string>> kept_;
  std::size_t kept_used_ = 0;
  Url url_;
};

}  // namespace crawler

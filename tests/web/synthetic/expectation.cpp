#include "web/synthetic/expectation.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "web/synthetic/resource.hpp"

namespace synthetic {
namespace {

constexpr std::uint64_t kTries = 4;             // One, and three more.
constexpr std::uint64_t kHeadTimeout = 20'000;  // Milliseconds until an answer has to begin.

struct TargetHash {
  std::size_t operator()(const Target& t) const {
    return Mix(t.host, static_cast<std::uint64_t>(t.kind), t.code, t.number);
  }
};

// RFC 9309, 2.2.2: the longest rule that matches decides, Allow between equals.
bool RulesAllow(const Host& host, const Target& target) {
  std::string path;
  AppendPath(path, target);
  const auto longest = [&](const std::vector<std::string>& prefixes) {
    std::int64_t most = -1;
    for (const std::string& prefix : prefixes) {
      if (path.starts_with(prefix)) most = std::max(most, std::int64_t(prefix.size()));
    }
    return most;
  };
  return longest(host.allow) >= longest(host.disallow);
}

class Crawl {
 public:
  Crawl(const Web& web, const ExpectOptions& options, std::vector<Expected>& expected)
      : web_(web), options_(options), expected_(expected), met_(web.hosts.size(), false) {
    for (const std::uint32_t seed : options.seeds) in_scope_.insert(web.hosts[seed].address);
  }

  bool Run() {
    for (const std::uint32_t seed : options_.seeds) Offer({seed, Kind::kPage, 0, 0}, 0);
    while (!queue_.empty() && depths_.size() <= options_.max_urls) {
      const auto [target, depth] = queue_.front();
      queue_.pop_front();
      if (depth == depths_[target]) Visit(target, depth);  // Else a shorter way was found.
    }
    return queue_.empty();
  }

 private:
  // Whether its host lets itself be asked for pages at all.
  bool HostAnswers(const Host& host) const {
    if (host.dead != Dead::kNo) return false;
    if (host.latency >= kHeadTimeout) return false;
    if (!options_.robots) return true;
    if (host.robots_latency >= kHeadTimeout) return false;
    const bool fails = host.robots == Robots::kThrottled || host.robots == Robots::kBroken ||
                       host.robots == Robots::kUnavailable || host.robots == Robots::kClose;
    return !fails || (host.robots_fails > 0 && host.robots_fails < kTries);
  }

  bool Allowed(const Host& host, const Target& target) const {
    const bool none = host.robots == Robots::kNone || host.robots == Robots::kUnauthorized ||
                      host.robots == Robots::kForbidden || host.robots == Robots::kRedirectLoop;
    return !options_.robots || none || RulesAllow(host, target);
  }

  // Links are followed breadth first, redirects and sitemaps at once; whatever turns out to be
  // nearer than it was thought to be is visited again, so that depths are the least there are.
  void Offer(const Target& target, std::int64_t depth, bool at_once = false) {
    if (!options_.whole_web && !in_scope_.contains(web_.hosts[target.host].address)) return;
    if (target.kind == Kind::kSegments && target.number > options_.max_repeats) return;
    if (options_.max_depth >= 0 && depth > options_.max_depth) return;
    const auto [known, is_new] = depths_.try_emplace(target, depth);
    if (!is_new && known->second <= depth) return;
    known->second = depth;
    if (at_once) {
      queue_.push_front({target, depth});
    } else {
      queue_.push_back({target, depth});
    }
  }

  void Visit(const Target& target, std::int64_t depth) {
    const Host& host = web_.hosts[target.host];
    if (!HostAnswers(host)) {
      const bool asked = !options_.robots;
      Note({target, asked ? Fate::kDead : Fate::kUnreachable, false});
      return;
    }
    if (!met_[target.host]) {
      met_[target.host] = true;
      if (options_.sitemaps && options_.robots) ReadSitemaps(target.host);
    }
    if (!Allowed(host, target)) {
      Note({target, Fate::kRefused, false});
      return;
    }
    if (FailsAtFirst(host, target) && host.fail_tries >= kTries) {
      Note({target, Fate::kDead, false});
      return;
    }
    Resource& resource = resource_;
    Describe(web_, target, resource);
    Note({target, FateOf(resource), resource.noindex});
    if (resource.location) Offer(*resource.location, depth, true);
    if (resource.content != Content::kHtml || resource.nofollow) return;
    for (const Link& link : resource.links) {
      if (!link.nofollow) Offer(link.target, depth + 1);
    }
  }

  void Note(const Expected& item) {
    if (noted_.insert(item.target).second) expected_.push_back(item);
  }

  static Fate FateOf(const Resource& resource) {
    if (resource.location) return Fate::kRedirect;
    if (resource.status != 200) return Fate::kError;
    return resource.content == Content::kHtml ? Fate::kPage : Fate::kOther;
  }

  void ReadSitemaps(std::uint32_t index) {
    std::vector<Target> sitemaps;
    for (const Target& candidate :
         {Target{index, Kind::kSitemap, 0, 0}, Target{index, Kind::kSitemapGzip, 0, 1},
          Target{index, Kind::kSitemapIndex, 0, 0}}) {
      Resource resource;
      Describe(web_, candidate, resource);
      if (resource.status == 200) sitemaps.push_back(candidate);
    }
    for (std::size_t i = 0; i < sitemaps.size(); ++i) {
      if (!Allowed(web_.hosts[index], sitemaps[i])) continue;
      Resource resource;
      Describe(web_, sitemaps[i], resource);
      Note({sitemaps[i], Fate::kSitemap, false});
      for (const Link& link : resource.links) {
        if (resource.content == Content::kSitemapIndex) {
          sitemaps.push_back(link.target);
        } else {
          Offer(link.target, 1, true);  // As near as what seeds link to.
        }
      }
    }
  }

  const Web& web_;
  const ExpectOptions& options_;
  std::vector<Expected>& expected_;
  std::vector<bool> met_;
  Resource resource_;  // Reused for its memory.
  std::set<std::uint32_t> in_scope_;
  std::unordered_map<Target, std::int64_t, TargetHash> depths_;
  std::unordered_set<Target, TargetHash> noted_;
  std::deque<std::pair<Target, std::int64_t>> queue_;
};

}  // namespace

std::string Expect(const Web& web, const ExpectOptions& options, std::vector<Expected>& expected) {
  if (Crawl(web, options, expected).Run()) return {};
  return "more than " + std::to_string(options.max_urls) +
         " URLs: an endless web needs --max-depth";
}

const char* FateName(Fate fate) {
  switch (fate) {
    case Fate::kPage:
      return "page";
    case Fate::kRedirect:
      return "redirect";
    case Fate::kError:
      return "error";
    case Fate::kOther:
      return "other";
    case Fate::kDead:
      return "dead";
    case Fate::kRefused:
      return "refused";
    case Fate::kUnreachable:
      return "unreachable";
    case Fate::kSitemap:
      return "sitemap";
  }
  return "?";
}

}  // namespace synthetic

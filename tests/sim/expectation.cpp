// The expected pages of a crawl.
#include <algorithm>
#include <deque>
#include <map>

#include "sim/oracles.hpp"
#include "url/url.hpp"

namespace crawler::sim {
namespace {

/// Whether something is obtained in the end.
enum class Chance { kNo, kMaybe, kYes };

class Walk {
 public:
  Walk(const SimulatedWeb& web, const CrawlOptions& options, const Promises& promises,
       bool optimistic)
      : web_(web), options_(options), promises_(promises), optimistic_(optimistic) {
    for (const std::string& seed : options.seeds) {
      const Url url = ParsedUrl(seed);
      const SimulatedHost* const host = web.FindHost(url.Origin());
      seed_origins_.insert(url.Origin());
      if (host != nullptr) seed_sites_.insert(host->site);
    }
  }

  std::set<std::string> Run() {
    for (const std::string& seed : options_.seeds)
      Offer(std::string(ParsedUrl(seed).href()), 0, true);
    while (!queue_.empty()) {
      const std::string url = queue_.front();
      queue_.pop_front();
      Visit(url, depths_.at(url));
    }
    return pages_;
  }

 private:
  bool Obtained(Chance chance) const {
    return chance == Chance::kYes || (chance == Chance::kMaybe && optimistic_);
  }

  bool InScope(const SimulatedHost& host) const {
    switch (options_.scope) {
      case CrawlScope::kHost:
      case CrawlScope::kPrefix:
        return seed_origins_.contains(host.origin);
      case CrawlScope::kDomain:
        return seed_sites_.contains(host.site);
      case CrawlScope::kWeb:
        break;
    }
    return true;
  }

  void Offer(const std::string& url, int depth, bool is_seed = false) {
    const SimulatedHost* const host = web_.FindHost(ParsedUrl(url).Origin());
    if (host == nullptr || (!is_seed && !InScope(*host))) return;
    if (options_.max_depth >= 0 && depth > options_.max_depth) return;
    const auto [known, is_new] = depths_.emplace(url, depth);
    if (!is_new && known->second <= depth) return;
    known->second = depth;
    queue_.push_back(url);
  }

  // What becomes of a resource whose host answers to `count_throttles` requests like to failures.
  Chance ChanceOf(const SimulatedHost& host, const Resource* resource, bool count_throttles) const {
    Chance chance = Chance::kYes;
    int throttling = 0;  // A second request to wait for a URL may count against it.
    for (const Outage& outage : host.outages) {
      if (!outage.fault.throttles() || count_throttles || ++throttling > 1) chance = Chance::kMaybe;
    }
    if (throttling > 0 && resource != nullptr && !resource->faults.empty()) chance = Chance::kMaybe;
    if (resource == nullptr) return chance;
    int failures = 0;
    bool last_is_cut = false, some_are_cut = false;
    const auto count = [&](const Fault& fault) {
      if (fault.throttles() && !count_throttles) return;
      ++failures;
      last_is_cut = fault.failure == FetchFailure::kReadTimeout ||
                    fault.failure == FetchFailure::kDisconnected;
      some_are_cut |= last_is_cut;
    };
    for (const Fault& fault : resource->faults) {
      if (failures < promises_.attempts) count(fault);
    }
    while (resource->forever && failures < promises_.attempts) count(*resource->forever);
    if (failures >= promises_.attempts) {
      // The last attempt takes what came of a body. In an outage attempts fail as well, so that any
      // may be the last.
      const bool partial = chance == Chance::kYes ? last_is_cut : some_are_cut;
      if (resource->kind == Resource::Kind::kPage && partial) return chance;
      // Half a sitemap has some of its entries; half a robots.txt is none.
      const bool is_sitemap = !resource->sitemap_entries.empty();
      return is_sitemap && partial ? Chance::kMaybe : Chance::kNo;
    }
    return chance;
  }

  Chance RobotsChance(const SimulatedHost& host) const {
    if (!options_.network.obey_robots) return Chance::kYes;
    const Resource* file = FileOf(host, "/robots.txt");
    Chance chance = ChanceOf(host, file, true);
    if (file != nullptr && file->kind == Resource::Kind::kRedirect) {
      file = web_.Find(file->location);
      chance = std::min(chance, ChanceOf(host, file, true));
    }
    const bool is_error = file != nullptr && file->kind == Resource::Kind::kError;
    if (is_error && (file->status >= 500 || file->status == 429)) return Chance::kNo;
    return chance;
  }

  static const Resource* FileOf(const SimulatedHost& host, std::string_view path) {
    const auto found = host.resources.find(path);
    return found == host.resources.end() ? nullptr : &found->second;
  }

  void ReadSitemaps(const SimulatedHost& host) {
    if (!options_.sitemaps || !options_.network.obey_robots) return;
    if (!hosts_.insert(host.origin).second) return;
    std::vector<std::string> sitemaps = {host.origin + "/sitemap.xml"};
    if (host.rules && !host.rules->sitemaps.empty()) sitemaps = host.rules->sitemaps;
    for (const std::string& url : sitemaps) {
      const Resource* const sitemap = web_.Find(url);
      if (sitemap == nullptr || !Obtained(ChanceOf(host, sitemap, false))) continue;
      if (host.rules && !host.rules->Allows(ParsedUrl(url).path_and_query())) continue;
      for (const std::string& entry : sitemap->sitemap_entries) Offer(entry, 1);
    }
  }

  void Visit(const std::string& url, int depth) {
    const Url parsed = ParsedUrl(url);
    const SimulatedHost& host = *web_.FindHost(parsed.Origin());
    if (!Obtained(RobotsChance(host))) return;
    ReadSitemaps(host);
    if (options_.network.obey_robots && host.rules &&
        !host.rules->Allows(parsed.path_and_query())) {
      return;
    }
    const Resource* const resource = web_.Find(url);
    if (resource == nullptr || !Obtained(ChanceOf(host, resource, false))) return;
    if (resource->kind == Resource::Kind::kRedirect) {
      const Url base = parsed;
      Url target;
      if (ParseUrl(resource->location, &base, &target) != UrlKind::kFollowable) return;
      Offer(std::string(target.href_without_fragment()), depth);
    } else if (resource->kind == Resource::Kind::kPage) {
      pages_.insert(url);
      for (const SimulatedLink& link : resource->links) {
        if (!link.nofollow) Offer(link.target, depth + 1);
      }
    }
  }

  const SimulatedWeb& web_;
  const CrawlOptions& options_;
  const Promises& promises_;
  const bool optimistic_;
  std::set<std::string> seed_origins_, seed_sites_, hosts_, pages_;
  std::map<std::string, int> depths_;
  std::deque<std::string> queue_;
};

}  // namespace

Expectation ExpectPages(const SimulatedWeb& web, const CrawlOptions& options,
                        const Promises& promises) {
  return {Walk(web, options, promises, false).Run(), Walk(web, options, promises, true).Run()};
}

std::vector<std::string> JudgePages(const Expectation& expected,
                                    const std::vector<std::string>& pages) {
  std::vector<std::string> problems;
  const std::set<std::string> found(pages.begin(), pages.end());
  if (found.size() != pages.size()) problems.emplace_back("a page is stored twice");
  for (const std::string& url : expected.must) {
    if (!found.contains(url)) problems.push_back(url + " is missing");
  }
  for (const std::string& url : found) {
    if (!expected.may.contains(url)) problems.push_back(url + " must not be a page");
  }
  return problems;
}

}  // namespace crawler::sim

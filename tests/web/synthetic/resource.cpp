#include "web/synthetic/resource.hpp"

#include <algorithm>

namespace synthetic {
namespace {

constexpr std::uint64_t kEndless = 1ULL << 52;  // Page numbers of endless graphs fold back here.
constexpr std::uint64_t kFirstMonth = 2026 * 12;
constexpr std::uint16_t kCodes[] = {301, 302, 307, 308};

std::uint64_t Scramble(std::uint64_t x) {  // The finaliser of splitmix64: all bits depend on all.
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

bool Every(std::uint64_t number, std::uint64_t every) {
  return every != 0 && number % every == every - 1;
}

/// Writes the links of one page of a host's graph.
class Graph {
 public:
  Graph(const Web& web, const Target& page, Resource& resource)
      : web_(web), host_(web.hosts[page.host]), page_(page), resource_(resource) {}

  void AddLinks() {
    const std::uint64_t n = page_.number;
    switch (host_.shape) {
      case Shape::kRandom:
        AddRandom();
        break;
      case Shape::kRing:
        for (std::uint64_t j = 1; j <= host_.links; ++j) AddPage((n + j) % limit());
        break;
      case Shape::kStar:
        if (n != 0) AddPage(0);
        for (std::uint64_t i = 1; n == 0 && i < host_.pages; ++i) AddPage(i);
        break;
      case Shape::kChain:
        if (n + 1 < limit()) AddPage(n + 1);
        break;
      case Shape::kTree:
        for (std::uint64_t j = 0; j < host_.links; ++j) {
          if (Child(host_.links, j) < limit()) AddPage(Child(host_.links, j));
        }
        break;
    }
    AddCross();
  }

  std::uint64_t limit() const { return host_.pages == 0 ? kEndless : host_.pages; }

 private:
  std::uint64_t Chance(std::uint64_t salt) const {
    return Mix(web_.seed, page_.host, page_.number, salt);
  }

  // The numbers of an endless tree grow beyond any bound: those become random ones.
  std::uint64_t Child(std::uint64_t fan, std::uint64_t j) const {
    if (page_.number >= kEndless / (fan + 1)) return Chance(j) % kEndless;
    return page_.number * fan + 1 + j;
  }

  void AddPage(std::uint64_t number) { Add({page_.host, Kind::kPage, 0, number}); }

  void Add(const Target& target) {
    const std::uint64_t salt = (1ULL << 32) + resource_.links.size();
    const bool nofollow = host_.nofollow_every != 0 && Chance(salt) % host_.nofollow_every == 0;
    resource_.links.push_back({target, nofollow});
  }

  // Half of the links span a tree, so that every page is reached; the others lead anywhere.
  void AddRandom() {
    const std::uint64_t fan = (host_.links + 1) / 2;
    // In an endless graph they lead to what is about as far out.
    const std::uint64_t range =
        std::min(limit(), host_.pages == 0 ? 4 * page_.number + 10 : limit());
    for (std::uint64_t j = 0; j < host_.links; ++j) {
      const bool has_child = j < fan && Child(fan, j) < limit();
      AddPage(has_child ? Child(fan, j) : Chance(j) % range);
    }
  }

  void AddCross() {
    const std::uint64_t others = web_.hosts.size() - 1;
    for (std::uint64_t j = 0; others > 0 && j < host_.cross; ++j) {
      const std::uint64_t chance = Chance((2ULL << 32) + j);
      const auto other =
          static_cast<std::uint32_t>((page_.host + 1 + chance % others) % web_.hosts.size());
      const std::uint64_t pages = web_.hosts[other].pages == 0 ? 1'000 : web_.hosts[other].pages;
      Add({other, Kind::kPage, 0, (chance >> 32) % pages});
    }
  }

  const Web& web_;
  const Host& host_;
  const Target page_;
  Resource& resource_;
};

// The front page leads to everything a host has beside its graph.
void AddFeatures(const Host& host, std::uint32_t index, std::vector<Link>& links) {
  const auto add = [&](Kind kind, std::uint64_t number, std::uint16_t code = 0) {
    links.push_back({{index, kind, code, number}, false});
  };
  if (host.calendar != 0) add(Kind::kCalendar, kFirstMonth);
  if (host.segments != 0) add(Kind::kSegments, 0);
  for (const std::uint16_t code : kCodes) {
    if (host.redirects != 0) add(Kind::kRedirect, host.redirects, code);
    if (host.loop != 0) add(Kind::kLoop, 0, code);
  }
  if (host.away != 0) add(Kind::kAway, 0);
  for (std::uint64_t i = 0; i < host.copies; ++i) add(Kind::kCopy, i);
  for (std::uint64_t i = 0; i < host.files; ++i) add(Kind::kFile, i);
  for (std::uint64_t i = 0; i < host.missing; ++i) add(Kind::kMissing, i);
}

void DescribePage(const Web& web, const Target& target, Resource& r) {
  const Host& host = web.hosts[target.host];
  Graph graph(web, target, r);
  const std::uint64_t n = target.number;
  if (n >= graph.limit()) return;
  r.status = 200;
  r.content = Content::kHtml;
  graph.AddLinks();
  if (n == 0) AddFeatures(host, target.host, r.links);
  r.noindex = Every(n, host.noindex_every);
  r.nofollow = Every(n, host.meta_nofollow_every);
  if (Every(n, host.header_every)) r.noindex = r.nofollow = r.in_header = true;
  if (n > 0 && Every(n, host.canonical_every)) {
    r.canonical = Target{target.host, Kind::kPage, 0, n - 1};
  }
}

void DescribeRedirect(const Web& web, const Target& target, Resource& r) {
  const Host& host = web.hosts[target.host];
  Target to = target;
  if (target.kind == Kind::kAway) {
    const auto other = std::find_if(web.hosts.begin(), web.hosts.end(), [&](const Host& candidate) {
      return candidate.address == host.away;
    });
    if (host.away == 0 || other == web.hosts.end()) return;
    to = {static_cast<std::uint32_t>(other - web.hosts.begin()), Kind::kPage, 0, 0};
  } else if (target.kind == Kind::kLoop) {
    if (target.number >= host.loop) return;
    to.number = (target.number + 1) % host.loop;
  } else {
    if (target.number > host.redirects || host.redirects == 0) return;
    if (target.number == 0) {  // The end of the chain.
      r.status = 200;
      r.content = Content::kHtml;
      return;
    }
    --to.number;
  }
  r.status = target.kind == Kind::kAway ? 302 : target.code;
  r.location = to;
}

void DescribeSitemap(const Host& host, const Target& target, Resource& r) {
  const std::uint32_t index = target.host;
  const auto list = [&](std::uint64_t first, std::uint64_t step) {
    r.status = 200;
    r.content = Content::kSitemap;
    r.compressed = target.kind == Kind::kSitemapGzip;
    for (std::uint64_t i = first; i < host.listed; i += step) {
      r.links.push_back({{index, Kind::kListed, 0, i}, false});
    }
  };
  const bool whole = host.sitemap == Sitemap::kPlain || host.sitemap == Sitemap::kUnnamed;
  if (target.kind == Kind::kSitemapIndex && host.sitemap == Sitemap::kIndex) {
    r.status = 200;
    r.content = Content::kSitemapIndex;
    r.links.push_back({{index, Kind::kSitemap, 0, 1}, false});
    r.links.push_back({{index, Kind::kSitemapGzip, 0, 2}, false});
  } else if (target.kind == Kind::kSitemap && target.number == 0 && whole) {
    list(0, 1);
  } else if (target.kind == Kind::kSitemapGzip && target.number == 1 &&
             host.sitemap == Sitemap::kGzip) {
    list(0, 1);
  } else if (host.sitemap == Sitemap::kIndex) {  // The two halves of the index.
    if (target.kind == Kind::kSitemap && target.number == 1) list(0, 2);
    if (target.kind == Kind::kSitemapGzip && target.number == 2) list(1, 2);
  }
}

void DescribeRobots(const Host& host, const Target& target, Resource& r) {
  const auto redirect = [&](Kind kind) {
    r.status = 302;
    r.location = Target{target.host, kind, 0, 0};
  };
  const bool moved = target.kind == Kind::kRobotsMoved;
  switch (host.robots) {
    case Robots::kRules:
    case Robots::kHuge:
    case Robots::kClose:  // What it says should it heal.
      if (!moved) r.status = 200;
      break;
    case Robots::kRedirect:
      if (moved) {
        r.status = 200;
      } else {
        redirect(Kind::kRobotsMoved);
      }
      break;
    case Robots::kRedirectLoop:
      redirect(moved ? Kind::kRobots : Kind::kRobotsMoved);
      break;
    case Robots::kUnauthorized:
      r.status = 401;
      break;
    case Robots::kForbidden:
      r.status = 403;
      break;
    case Robots::kThrottled:
    case Robots::kBroken:
    case Robots::kUnavailable:
      r.status = 200;  // Once it has healed; the server fails it until then.
      break;
    case Robots::kNone:
      break;
  }
}

void DescribeTrap(const Host& host, const Target& target, Resource& r) {
  const auto add = [&](std::uint64_t number) {
    r.links.push_back({{target.host, target.kind, 0, number}, false});
  };
  const bool is_month = target.kind == Kind::kCalendar;
  if ((is_month ? host.calendar : host.segments) == 0) return;
  r.status = 200;
  r.content = Content::kHtml;
  add(target.number + 1);
  if (is_month && target.number > 1'000 * 12) add(target.number - 1);
}

}  // namespace

std::uint64_t Mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return Scramble(Scramble(Scramble(seed + a) + b) + c);
}

bool FailsAtFirst(const Host& host, const Target& target) {
  return target.kind == Kind::kPage && Every(target.number, host.fail_every);
}

std::string RobotsText(const Web& web, std::uint32_t index) {
  const Host& host = web.hosts[index];
  std::string text = "User-agent: *\n";
  for (const std::string& prefix : host.disallow) text += "Disallow: " + prefix + "\n";
  for (const std::string& prefix : host.allow) text += "Allow: " + prefix + "\n";
  if (host.crawl_delay > 0) {
    const std::string thousandths = std::to_string(1'000 + host.crawl_delay % 1'000);
    text += "Crawl-delay: " + std::to_string(host.crawl_delay / 1'000) + "." +
            thousandths.substr(1) + "\n";
  }
  const auto name_sitemap = [&](const Target& target) {
    text += "Sitemap: " + web.Origin(index);
    AppendPath(text, target);
    text += '\n';
  };
  if (host.sitemap == Sitemap::kPlain) name_sitemap({index, Kind::kSitemap, 0, 0});
  if (host.sitemap == Sitemap::kGzip) name_sitemap({index, Kind::kSitemapGzip, 0, 1});
  if (host.sitemap == Sitemap::kIndex) name_sitemap({index, Kind::kSitemapIndex, 0, 0});
  if (host.robots == Robots::kHuge) {
    while (text.size() < 1'000'000) text += "# A comment among very many that say nothing.\n";
    text += "User-agent: *\nDisallow: /\n";
  }
  return text;
}

void Describe(const Web& web, const Target& target, Resource& r) {
  const Host& host = web.hosts[target.host];
  std::vector<Link> links = std::move(r.links);
  links.clear();
  r = Resource{};
  r.links = std::move(links);
  switch (target.kind) {
    case Kind::kPage:
      return DescribePage(web, target, r);
    case Kind::kCalendar:
    case Kind::kSegments:
      return DescribeTrap(host, target, r);
    case Kind::kRedirect:
    case Kind::kLoop:
    case Kind::kAway:
      return DescribeRedirect(web, target, r);
    case Kind::kRobots:
    case Kind::kRobotsMoved:
      return DescribeRobots(host, target, r);
    case Kind::kSitemap:
    case Kind::kSitemapGzip:
    case Kind::kSitemapIndex:
      return DescribeSitemap(host, target, r);
    case Kind::kListed:
    case Kind::kCopy:
      if (target.number >= (target.kind == Kind::kCopy ? host.copies : host.listed)) return;
      r.status = 200;
      r.content = Content::kHtml;
      return;
    case Kind::kFile:
      if (target.number >= host.files) return;
      r.status = 200;
      r.content = Content::kPng;
      return;
    case Kind::kMissing:
    case Kind::kNothing:
      return;
  }
}

}  // namespace synthetic

#include "sim/random_web.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/random.hpp"

namespace crawler::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = SimulatedCrawl::Interruption::Kind;

class WebMaker {
 public:
  WebMaker(std::uint64_t seed, Weather weather) : random_(seed), weather_(weather), web_(seed) {}

  SimulatedWeb Make() {
    MakeHosts();
    for (auto& [origin, host] : web_.hosts()) MakeResources(&host);
    for (auto& [origin, host] : web_.hosts()) LinkPages(&host);
    for (auto& [origin, host] : web_.hosts()) {
      MakeRobots(&host);
      if (weather_ != Weather::kFine) MakeFaults(&host);
      if (weather_ == Weather::kStorms) MakeOutages(&host);
    }
    return std::move(web_);
  }

 private:
  void MakeHosts() {
    const int hosts = random_.Between(1, 7);
    const int domains = random_.Between(1, hosts);
    const int addresses = random_.Between(1, hosts);
    for (int i = 0; i < hosts; ++i) {
      SimulatedHost& host = web_.AddHost("h" + std::to_string(i) + ".d" +
                                         std::to_string(random_.Below(domains)) + ".example");
      host.address =
          IpAddress::V4(0x05000001u + static_cast<std::uint32_t>(random_.Below(addresses)));
      host.latency =
          milliseconds(random_.Chance(10) ? random_.Between(500, 4'000) : random_.Between(1, 200));
    }
  }

  std::string RandomPath(int number) {
    static const std::vector<std::string> forms = {"/p",   "/dir/p",  "/dir/sub/p",
                                                   "/x/p", "/x/ok/p", "/q?n="};
    return random_.Pick(forms) + std::to_string(number);
  }

  void MakeResources(SimulatedHost* host) {
    const int count = random_.Between(1, 25);
    Remember(*host, "/", host->AddPage("/"));
    for (int i = 0; i < count; ++i) {
      const std::string path = RandomPath(i);
      Resource resource = host->AddPage(path);
      const int kind = random_.Between(0, 99);
      if (kind < 10) {
        resource.kind = Resource::Kind::kRedirect;
      } else if (kind < 14) {
        resource.kind = Resource::Kind::kFile;
      } else if (kind < 19) {
        resource.kind = Resource::Kind::kError;
        resource.status = random_.Pick(std::vector<int>{400, 403, 404, 410});
      } else if (kind < 24) {
        resource.text = "The same text on many pages.";
        resource.title = "Copy";
      }
      Remember(*host, path, host->Add(path, std::move(resource)));
    }
  }

  void Remember(const SimulatedHost& host, const std::string& path, const Resource& resource) {
    urls_.push_back(host.Url(path));
    if (resource.kind == Resource::Kind::kPage) pages_.push_back(host.Url(path));
  }

  // Most links stay within a host.
  const std::string& RandomTarget(const SimulatedHost& host) {
    for (int tries = 0; tries < 20; ++tries) {
      const std::string& url = random_.Pick(urls_);
      if (random_.Chance(20) || url.starts_with(host.origin + "/")) return url;
    }
    return random_.Pick(urls_);
  }

  void LinkPages(SimulatedHost* host) {
    for (auto& [path, resource] : host->resources) {
      if (resource.kind == Resource::Kind::kRedirect) {
        // Chains and loops come by themselves.
        resource.location = RandomTarget(*host);
      }
      if (resource.kind != Resource::Kind::kPage) continue;
      const int count = path == "/" ? random_.Between(3, 12) : random_.Between(0, 6);
      for (int i = 0; i < count; ++i) AddLink(*host, &resource);
    }
  }

  void AddLink(const SimulatedHost& host, Resource* page) {
    SimulatedLink link;
    link.target = RandomTarget(host);
    if (random_.Chance(3))
      link.target = host.origin + "/missing" + std::to_string(random_.Below(9));
    link.href = link.target;
    if (link.target.starts_with(host.origin + "/") && random_.Chance(60)) {
      link.href = link.target.substr(host.origin.size());
    }
    if (random_.Chance(15)) link.href += "#part";
    link.nofollow = random_.Chance(5);
    page->links.push_back(std::move(link));
  }

  void MakeRobots(SimulatedHost* host) {
    const int kind = random_.Between(0, 99);
    if (kind < 40) return;  // 404.
    if (kind < 46) {
      Resource error;
      error.kind = Resource::Kind::kError;
      error.status = random_.Chance(70) ? 403 : 503;
      host->Add("/robots.txt", std::move(error));
      return;
    }
    RobotsRules rules;
    if (random_.Chance(50)) rules.disallow.push_back("/x/");
    if (random_.Chance(20)) rules.disallow.push_back("/dir/sub/");
    if (random_.Chance(30)) rules.allow.push_back("/x/ok/");
    if (random_.Chance(30)) rules.crawl_delay = milliseconds(random_.Between(1, 40) * 100);
    if (random_.Chance(50)) MakeSitemap(host, &rules);
    host->SetRobots(std::move(rules));
    if (!random_.Chance(15)) return;
    Resource redirect;
    redirect.kind = Resource::Kind::kRedirect;
    redirect.location = host->Url("/robots-here.txt");
    host->Add("/robots-here.txt", host->resources.at("/robots.txt"));
    host->Add("/robots.txt", std::move(redirect));
  }

  void MakeSitemap(SimulatedHost* host, RobotsRules* rules) {
    Resource sitemap;
    sitemap.kind = Resource::Kind::kText;
    sitemap.body = "<?xml version=\"1.0\"?>\n<urlset>\n";
    for (const std::string& url : urls_) {
      if (!url.starts_with(host->origin + "/") || !random_.Chance(20)) continue;
      sitemap.sitemap_entries.push_back(url);
      sitemap.body += "<url><loc>" + url + "</loc></url>\n";
    }
    sitemap.body += "</urlset>\n";
    const bool named = random_.Chance(50);
    if (named) rules->sitemaps.push_back(host->Url("/map.xml"));
    host->Add(named ? "/map.xml" : "/sitemap.xml", std::move(sitemap));
  }

  Fault PassingFault() {
    switch (random_.Below(8)) {
      case 0:
        return Fault::Status(429, std::to_string(random_.Between(1, 30)));
      case 1:
        return Fault::Status(429);
      case 2:
        return Fault::Status(503, std::to_string(random_.Between(1, 30)));
      case 3:
        return Fault::Status(503);
      case 4:
        return Fault::Failure(FetchFailure::kReadTimeout);
      case 5:
        return Fault::Failure(FetchFailure::kDisconnected);
      default:
        return Fault::Status(random_.Chance(50) ? 500 : 502);
    }
  }

  void MakeFaults(SimulatedHost* host) {
    for (auto& [path, resource] : host->resources) {
      if (path == "/robots-here.txt" || !random_.Chance(12)) continue;
      const int count = random_.Between(1, 3);
      for (int i = 0; i < count; ++i) resource.faults.push_back(PassingFault());
      if (path == "/robots.txt" || !random_.Chance(30)) continue;
      resource.forever = random_.Chance(70) ? Fault::Status(random_.Chance(50) ? 500 : 503)
                                            : Fault::Failure(FetchFailure::kDisconnected);
    }
  }

  void MakeOutages(SimulatedHost* host) {
    if (!random_.Chance(40)) return;
    static const std::vector<FetchFailure> failures = {FetchFailure::kRefused, FetchFailure::kDns,
                                                       FetchFailure::kConnectTimeout,
                                                       FetchFailure::kResponseTimeout};
    Outage outage;
    outage.from = seconds(random_.Chance(30) ? 0 : random_.Between(1, 40));
    outage.to = outage.from + seconds(random_.Between(1, 120));
    if (random_.Chance(10)) outage.to = std::chrono::hours(24 * 365);
    outage.fault = random_.Chance(70) ? Fault::Failure(random_.Pick(failures))
                                      : Fault::Status(random_.Chance(50) ? 500 : 503);
    host->outages.push_back(std::move(outage));
  }

  Random random_;
  const Weather weather_;
  SimulatedWeb web_;
  std::vector<std::string> urls_, pages_;
};

std::string DescribeRecord(const SimulatedNetwork& network) {
  std::string text;
  for (const RecordedRequest& request : network.record()) {
    text += "process " + std::to_string(request.process) + " " +
            std::to_string(request.started / milliseconds(1)) + " to " +
            std::to_string(request.ended / milliseconds(1)) + " ms " + request.url + " " +
            std::to_string(request.status) + " " + std::string(FetchFailureName(request.failure)) +
            (request.delivered ? "\n" : " (undelivered)\n");
  }
  return text;
}

std::string FrontPage(const SimulatedHost& host) { return host.Url("/"); }

}  // namespace

SimulatedWeb RandomWeb(std::uint64_t seed, Weather weather) {
  return WebMaker(seed, weather).Make();
}

CrawlOptions RandomOptions(std::uint64_t seed, const SimulatedWeb& web) {
  Random random(seed ^ 0x6F7074696F6E73u);
  std::vector<std::string> fronts;
  for (const auto& [origin, host] : web.hosts()) fronts.push_back(FrontPage(host));
  std::vector<std::string> seeds = {random.Pick(fronts)};
  if (random.Chance(50)) seeds = fronts;
  CrawlOptions options = SimulatedOptions(std::move(seeds));
  options.scope = random.Pick(std::vector<CrawlScope>{CrawlScope::kHost, CrawlScope::kDomain,
                                                      CrawlScope::kWeb, CrawlScope::kWeb});
  options.max_per_domain = 0;
  options.first_failures = 0;  // Outages may come first, and what they cost must be foreseeable.
  options.order = random.Pick(std::vector<CrawlOrder>{CrawlOrder::kPriority, CrawlOrder::kPriority,
                                                      CrawlOrder::kBfs, CrawlOrder::kDfs});
  options.delay = milliseconds(random.Pick(std::vector<int>{0, 100, 1'000, 1'000, 3'000}));
  if (random.Chance(30)) {
    const std::string& origin = web.hosts().begin()->first;
    const std::string host = origin.substr(origin.find("//") + 2);
    options.host_delays = {{host.substr(0, host.find(':')),
                            milliseconds(random.Pick(std::vector<int>{0, 500, 4'000}))}};
  }
  options.per_host = random.Chance(70) ? 1 : random.Between(2, 4);
  options.hosts_per_domain = random.Between(1, 4);
  options.hosts_per_address = random.Between(1, 4);
  options.max_crawl_delay = milliseconds(random.Chance(30) ? 1'500 : 30'000);
  options.connections = random.Chance(30) ? random.Between(1, 4) : 64;
  options.sitemaps = random.Chance(70);
  options.warc = random.Chance(20);
  options.index = random.Chance(10);
  return options;
}

std::vector<std::string> SimulateSeed(std::uint64_t seed, std::string* story) {
  Random random(seed ^ 0x696E74657272u);
  const auto weather = static_cast<Weather>(random.Below(3));
  const SimulatedWeb web = RandomWeb(seed, weather);
  SimulatedCrawl crawl(web, RandomOptions(seed, web));
  std::optional<CrawlResult> result;
  std::uint64_t step = 0;
  for (int interruptions = random.Between(0, 4); interruptions > 0; --interruptions) {
    step += random.Below(30);
    result = crawl.Run(SimulatedCrawl::Interruption{static_cast<Kind>(random.Below(3)), step});
    if (result && result->outcome == CrawlResult::Outcome::kFinished) break;
    if (random.Chance(50)) crawl.network().Sleep(seconds(random.Between(1, 100)));
  }
  // Hosts that stay away leave a crawl incomplete, which is an end like any other.
  const auto ended = [&result] {
    return result && (result->outcome == CrawlResult::Outcome::kFinished ||
                      result->outcome == CrawlResult::Outcome::kIncomplete);
  };
  if (!ended()) result = crawl.Run();
  std::vector<std::string> problems;
  if (!ended()) {
    problems.push_back("the crawl is not finished: " + (result ? result->message : "killed"));
  }
  for (std::string& problem : crawl.Problems()) problems.push_back(std::move(problem));
  const Expectation expected = ExpectPages(web, crawl.options());
  for (std::string& problem : JudgePages(expected, crawl.Pages())) {
    problems.push_back(std::move(problem));
  }
  if (story != nullptr) *story = web.Describe() + DescribeRecord(crawl.network());
  return problems;
}

}  // namespace crawler::sim

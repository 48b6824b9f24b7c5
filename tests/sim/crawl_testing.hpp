#pragma once

#include <string>
#include <vector>

#include "sim/simulated_crawl.hpp"

namespace crawler::sim {

// Webs for tests with exact expectations.

/// `prefix`0, `prefix`1, …
inline std::vector<std::string> Paths(const std::string& prefix, int count) {
  std::vector<std::string> paths;
  for (int i = 0; i < count; ++i) paths.push_back(prefix + std::to_string(i));
  return paths;
}

/// Adds a host whose front page links to `good` pages and to `bad` ones that meet `fault` for ever.
inline SimulatedHost& AddStar(SimulatedWeb* web, const std::string& name, int good, int bad = 0,
                              const Fault& fault = Fault::Status(500)) {
  SimulatedHost& host = web->AddHost(name);
  std::vector<std::string> links = Paths("/bad", bad);
  for (const std::string& path : links) host.AddPage(path).forever = fault;
  for (const std::string& path : Paths("/good", good)) {
    host.AddPage(path);
    links.push_back(path);
  }
  host.AddPage("/", links);
  return host;
}

/// A crawl of one host without sitemaps.
inline CrawlOptions OptionsFor(const std::string& seed, std::chrono::milliseconds delay = {}) {
  CrawlOptions options = SimulatedOptions({seed});
  options.delay = delay;
  options.sitemaps = false;
  return options;
}

/// How often `url` was asked for.
inline int RequestsFor(SimulatedCrawl& crawl, const std::string& url) {
  int count = 0;
  for (const RecordedRequest& request : crawl.network().record()) count += request.url == url;
  return count;
}

/// Something of everything, but without chance: 13 pages from http://a.one.example/.
inline SimulatedWeb MixedWeb() {
  SimulatedWeb web;
  SimulatedHost& a = AddStar(&web, "a.one.example", 4, 1);
  a.resources.at("/good1").faults = {Fault::Status(500)};
  a.resources.at("/good2").faults = {Fault::Status(429, "5")};
  RobotsRules rules;
  rules.disallow = {"/good3"};
  rules.crawl_delay = std::chrono::milliseconds(1'500);
  a.SetRobots(rules);
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "http://b.one.example/";
  a.Add("/away", redirect);
  a.resources.at("/good0").links.push_back({"/away", "http://a.one.example/away", false});
  AddStar(&web, "b.one.example", 4)
      .resources.at("/good1")
      .links.push_back({"http://c.two.example/", "http://c.two.example/", false});
  AddStar(&web, "c.two.example", 3);
  return web;
}

}  // namespace crawler::sim

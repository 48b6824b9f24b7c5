// The synthetic web judges others, so its own rules (docs/synthetic-web.md) are tested here: names
// are unique, graphs have the pages they say, and fates follow from the rules.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "web/synthetic/description.hpp"
#include "web/synthetic/expectation.hpp"
#include "web/synthetic/render.hpp"
#include "web/synthetic/request_head.hpp"
#include "web/synthetic/resource.hpp"
#include "web/synthetic/running_web.hpp"

namespace synthetic {
namespace {

using namespace std::string_literals;

Web MakeWeb(const std::vector<std::string>& lines) {
  Web web;
  for (const std::string& line : lines) EXPECT_EQ(AddHosts(web, line), "");
  return web;
}

// The URLs of a crawl, without "http://127.0.0.", and their fates.
std::map<std::string, std::string> Fates(const Web& web, ExpectOptions options = {}) {
  if (options.seeds.empty()) options.seeds = {0};
  std::vector<Expected> expected;
  EXPECT_EQ(Expect(web, options, expected), "");
  std::map<std::string, std::string> fates;
  for (const Expected& item : expected) {
    const std::string url = UrlOf(web, item.target).substr(std::string("http://127.0.0.").size());
    EXPECT_TRUE(fates.emplace(url, FateName(item.fate)).second) << url << " twice";
  }
  return fates;
}

std::size_t Count(const std::map<std::string, std::string>& fates, const std::string& fate) {
  return static_cast<std::size_t>(
      std::count_if(fates.begin(), fates.end(), [&](const auto& f) { return f.second == fate; }));
}

std::string Body(const Web& web, const Target& target) {
  Resource resource;
  Describe(web, target, resource);
  std::string body;
  AppendBody(body, web, target, resource);
  return body;
}

TEST(SyntheticTarget, PathsAndTargetsAreTheSame) {
  const Target targets[] = {
      {0, Kind::kPage, 0, 0},          {0, Kind::kPage, 0, 1},
      {0, Kind::kPage, 0, 1ULL << 52}, {0, Kind::kListed, 0, 0},
      {0, Kind::kCopy, 0, 7},          {0, Kind::kFile, 0, 3},
      {0, Kind::kMissing, 0, 0},       {0, Kind::kSegments, 0, 0},
      {0, Kind::kSegments, 0, 5},      {0, Kind::kRedirect, 308, 0},
      {0, Kind::kLoop, 301, 12},       {0, Kind::kAway, 0, 0},
      {0, Kind::kRobots, 0, 0},        {0, Kind::kRobotsMoved, 0, 0},
      {0, Kind::kSitemap, 0, 0},       {0, Kind::kSitemap, 0, 1},
      {0, Kind::kSitemapGzip, 0, 2},   {0, Kind::kSitemapIndex, 0, 0},
      {0, Kind::kCalendar, 0, 24'312}, {0, Kind::kCalendar, 0, 24'323},
  };
  std::set<std::string> paths;
  for (const Target& target : targets) {
    std::string path;
    AppendPath(path, target);
    EXPECT_EQ(ParsePath(0, path), target) << path;
    EXPECT_TRUE(paths.insert(path).second) << path;
  }
}

TEST(SyntheticTarget, AResourceHasOneName) {
  for (const char* path : {"",
                           "x",
                           "//",
                           "/p/0",
                           "/p/01",
                           "/p/",
                           "/p/1/",
                           "/p/1?x",
                           "/p/-1",
                           "/p/+1",
                           "/p/1 ",
                           "/p/99999999999999999999999",
                           "/sitemap-0.xml",
                           "/sitemap-.xml",
                           "/calendar/2026/1",
                           "/calendar/2026/13",
                           "/calendar/2026/00",
                           "/calendar/02026/01",
                           "/segments/a",
                           "/segments/b/",
                           "/redirect/303/1",
                           "/redirect/301/",
                           "/redirect/301",
                           "/loop/301/x"}) {
    EXPECT_EQ(ParsePath(0, path).kind, Kind::kNothing) << path;
  }
}

TEST(SyntheticTarget, AnyBytesHaveAnOutcome) {
  std::mt19937_64 random(1);
  const std::string alphabet = "/pcalendar0123456789.xmlgz-\0\xff%"s;
  for (int i = 0; i < 20'000; ++i) {
    std::string path = "/";
    for (std::size_t n = random() % 30; n > 0; --n) path += alphabet[random() % alphabet.size()];
    const Target target = ParsePath(0, path);
    if (target.kind == Kind::kNothing) continue;
    std::string again;
    AppendPath(again, target);
    EXPECT_EQ(again, path);
  }
}

TEST(SyntheticDescription, SaysWhatIsWrong) {
  for (const char* line : {"x",
                           "0",
                           "3-1",
                           "1-70000",
                           "1:99",
                           "1 pages",
                           "1 pages=",
                           "1 pages=0",
                           "1 pages=x",
                           "1 colour=red",
                           "1 shape=cube",
                           "1 robots=200 disallow=p",
                           "1 robots=200 disallow=/a*",
                           "1 disallow=/p",
                           "1 crawl-delay=1",
                           "1 sitemap=plain",
                           "1 fail-status=404",
                           "1 throttle-status=500",
                           "1 shape=star pages=endless",
                           "1 links=99999999"}) {
    Web web;
    EXPECT_NE(AddHosts(web, line), "") << line;
    EXPECT_TRUE(web.hosts.empty()) << line;
  }
}

TEST(SyntheticDescription, RangesAndComments) {
  Web web = MakeWeb({"", "# all", "1-3,9:1\tpages=7  # some", "4 pages=endless"});
  ASSERT_EQ(web.hosts.size(), 5u);
  EXPECT_EQ(web.hosts[3].address, 9u);
  EXPECT_EQ(web.hosts[3].port, 1u);
  EXPECT_EQ(web.hosts[0].pages, 7u);
  EXPECT_EQ(web.hosts[4].pages, 0u);
  EXPECT_EQ(web.PortCount(), 2u);
  web.ports = {8080, 8081};
  EXPECT_EQ(web.Origin(3), "http://127.0.0.9:8081");
}

TEST(SyntheticGraph, EveryShapeReachesAllOfItsPages) {
  for (const char* shape : {"random", "ring", "star", "chain", "tree"}) {
    for (const char* size : {"1", "2", "17", "1000"}) {
      for (const char* links : {"1", "3", "20"}) {
        const Web web =
            MakeWeb({std::string("1 shape=") + shape + " pages=" + size + " links=" + links});
        const auto fates = Fates(web);
        EXPECT_EQ(fates.size(), web.hosts[0].pages) << shape << size;
        EXPECT_EQ(Count(fates, "page"), web.hosts[0].pages) << shape << size;
      }
    }
  }
}

TEST(SyntheticGraph, PagesHaveTheirLinksAndBytes) {
  const Web web = MakeWeb({"1 pages=1000000 links=20 bytes=1600", "2 pages=endless links=7"});
  for (const std::uint64_t n : {0ULL, 1ULL, 999'999ULL}) {
    Resource resource;
    Describe(web, {0, Kind::kPage, 0, n}, resource);
    EXPECT_EQ(resource.links.size(), 20u);
    for (const Link& link : resource.links) EXPECT_LT(link.target.number, 1'000'000u);
    EXPECT_EQ(Body(web, {0, Kind::kPage, 0, n}).size(), 1600u);
  }
  Resource resource;
  Describe(web, {0, Kind::kPage, 0, 1'000'000}, resource);
  EXPECT_EQ(resource.status, 404);
  Describe(web, {1, Kind::kPage, 0, (1ULL << 52) - 1}, resource);
  EXPECT_EQ(resource.links.size(), 7u);
}

TEST(SyntheticGraph, FollowsFromTheSeed) {
  Web web = MakeWeb({"1 pages=1000 links=6"});
  const std::string body = Body(web, {0, Kind::kPage, 0, 600});
  EXPECT_EQ(Body(web, {0, Kind::kPage, 0, 600}), body);
  web.seed = 2;
  EXPECT_NE(Body(web, {0, Kind::kPage, 0, 600}), body);
}

TEST(SyntheticGraph, CopiesAreTheSameToTheLastByte) {
  const Web web = MakeWeb({"1-2 copies=3 bytes=500"});
  EXPECT_EQ(Body(web, {0, Kind::kCopy, 0, 0}), Body(web, {0, Kind::kCopy, 0, 2}));
  EXPECT_EQ(Body(web, {0, Kind::kCopy, 0, 0}), Body(web, {1, Kind::kCopy, 0, 1}));
  EXPECT_NE(Body(web, {0, Kind::kPage, 0, 1}), Body(web, {1, Kind::kPage, 0, 1}));
}

TEST(SyntheticExpectation, FeaturesOfAHost) {
  const Web web = MakeWeb({"1 pages=1 redirects=2 loop=2 copies=1 files=1 missing=1 segments=1"});
  const auto fates = Fates(web);
  EXPECT_EQ(Count(fates, "redirect"), 4u * 2 + 4u * 2);
  EXPECT_EQ(fates.at("1/redirect/307/0"), "page");
  EXPECT_EQ(fates.at("1/file/0.png"), "other");
  EXPECT_EQ(fates.at("1/missing/0"), "error");
  EXPECT_EQ(fates.at("1/segments/a/a/a/"), "page");  // docs/urls.md: a segment at most 3 times.
  EXPECT_FALSE(fates.contains("1/segments/a/a/a/a/"));
}

// RFC 9309, 2.2.2: the longest match decides.
TEST(SyntheticExpectation, RobotsRules) {
  const Web web = MakeWeb({"1 pages=30 shape=star robots=200 disallow=/p/1 allow=/p/12"});
  const auto fates = Fates(web);
  EXPECT_EQ(fates.at("1/p/1"), "refused");
  EXPECT_EQ(fates.at("1/p/11"), "refused");
  EXPECT_EQ(fates.at("1/p/12"), "page");
  EXPECT_EQ(fates.at("1/p/2"), "page");
  ExpectOptions rude;
  rude.robots = false;
  EXPECT_EQ(Count(Fates(web, rude), "page"), 30u);
}

TEST(SyntheticExpectation, WhatIsBehindARefusedPageIsNotKnown) {
  const Web web = MakeWeb({"1 pages=5 shape=chain robots=200 disallow=/p/2"});
  const auto fates = Fates(web);
  EXPECT_EQ(fates.size(), 3u);
  EXPECT_EQ(fates.at("1/p/2"), "refused");
}

// docs/politeness.md, the table on robots.txt.
TEST(SyntheticExpectation, StatesOfRobots) {
  const std::pair<const char*, const char*> cases[] = {
      {"robots=404", "page"},
      {"robots=401", "page"},
      {"robots=403", "page"},
      {"robots=redirect-loop", "page"},
      {"robots=redirect disallow=/", "refused"},
      {"robots=huge", "page"},
      {"robots=200 disallow=/", "refused"},
      {"robots=500", "unreachable"},
      {"robots=503", "unreachable"},
      {"robots=429", "unreachable"},
      {"robots=close", "unreachable"},
      {"robots=503 robots-fails=2", "page"},
      {"robots=503 robots-fails=2 disallow=/", "refused"},
      {"robots=503 robots-fails=4", "unreachable"},
      {"robots=200 robots-latency=30000", "unreachable"},
      {"dead=hang", "unreachable"},
      {"dead=refuse", "unreachable"},
  };
  for (const auto& [line, fate] : cases) {
    EXPECT_EQ(Fates(MakeWeb({std::string("1 ") + line})).at("1/"), fate) << line;
  }
}

// DESIGN, failures of the web: three retries, then a dead letter; throttling costs none.
TEST(SyntheticExpectation, FailuresHealOrDoNot) {
  const std::string ring = "1 shape=ring pages=6 fail-every=3 ";
  EXPECT_EQ(Count(Fates(MakeWeb({ring + "fail-tries=3"})), "page"), 6u);
  const auto fates = Fates(MakeWeb({ring + "fail-tries=4"}));
  EXPECT_EQ(fates.at("1/p/2"), "dead");
  EXPECT_EQ(Count(fates, "page"), 4u);
  EXPECT_EQ(Count(Fates(MakeWeb({"1 shape=ring pages=6 throttle=20"})), "page"), 6u);
}

TEST(SyntheticExpectation, ScopeAndCrossLinks) {
  const Web web = MakeWeb({"1-3 pages=50 cross=2", "1:1 pages=3"});
  ExpectOptions options;
  for (const auto& [url, fate] : Fates(web)) EXPECT_TRUE(url.starts_with("1")) << url;
  options.whole_web = true;
  EXPECT_EQ(Count(Fates(web, options), "page"), 153u);
}

TEST(SyntheticExpectation, NofollowAndSitemaps) {
  const Web web =
      MakeWeb({"1 pages=5 shape=chain meta-nofollow-every=3 robots=200 sitemap=index "
               "listed=5 noindex-every=2"});
  const auto fates = Fates(web);
  EXPECT_EQ(fates.at("1/p/2"), "page");
  EXPECT_FALSE(fates.contains("1/p/3"));  // Only page 2 leads there, and says nofollow.
  EXPECT_EQ(Count(fates, "sitemap"), 3u);
  EXPECT_EQ(fates.at("1/listed/4"), "page");
  const Web chain = MakeWeb({"1 pages=100 shape=chain nofollow-every=1"});
  EXPECT_EQ(Fates(chain).size(), 1u);
}

TEST(SyntheticExpectation, EndlessWebsNeedADepth) {
  const Web web = MakeWeb({"1 pages=endless shape=tree links=2 calendar=1"});
  ExpectOptions options;
  options.seeds = {0};
  options.max_urls = 1'000;
  std::vector<Expected> expected;
  EXPECT_NE(Expect(web, options, expected), "");
  options.max_depth = 3;
  const auto fates = Fates(web, options);
  EXPECT_EQ(Count(fates, "page"), 15u + 5u);  // A tree of four levels; January and two each side.
}

TEST(SyntheticRequest, Heads) {
  using State = RequestHead::State;
  const auto parse = [](std::string_view text) { return ParseRequestHead(text); };
  const RequestHead head =
      parse("GET /p/1 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br, GZIP;q=0.5\r\n\r\nGET /");
  EXPECT_EQ(head.state, State::kComplete);
  EXPECT_EQ(head.path, "/p/1");
  EXPECT_TRUE(head.gzip);
  EXPECT_FALSE(head.close);
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\nAccept-Encoding: gzip;q=0\r\n\r\n").gzip);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\n\r\n").close);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").close);
  EXPECT_TRUE(parse("GET / HTTP/1.1\r\nconnection: Close\r\n\r\n").close);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: x\r\n").state, State::kIncomplete);
  for (const std::string bad :
       {"GET / HTTP/2\r\n\r\n", "GET /\r\n\r\n", "\r\n\r\n", "GET / x HTTP/1.1\r\n\r\n",
        "GET http://x/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    EXPECT_EQ(parse(bad).state, State::kBad) << bad;
  }
  EXPECT_EQ(parse(std::string(70'000, 'x')).state, State::kBad);
}

TEST(SyntheticRender, Dates) {  // RFC 9110, 5.6.7.
  EXPECT_EQ(HttpDate(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

// One request on a connection of its own; the whole answer.
std::string Get(const std::string& url) {
  const std::size_t slash = url.find('/', 7), colon = url.find(':', 7);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1))));
  EXPECT_EQ(inet_pton(AF_INET, url.substr(7, colon - 7).c_str(), &address.sin_addr), 1);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    const std::string request = "GET " + url.substr(slash) + " HTTP/1.0\r\n\r\n";
    send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    char buffer[4096];
    for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) answer.append(buffer, n);
  }
  close(fd);
  return answer;
}

TEST(SyntheticRunningWeb, ServesWhatItExpects) {
  const std::string log = testing::TempDir() + "synthetic_running_web_log";
  {
    RunningWeb web({"1 pages=20", "2 pages=3 latency=5", "3 dead=refuse"}, log);
    const std::vector<std::string> pages = web.Expected(Fate::kPage);
    EXPECT_EQ(pages.size(), 20u);
    for (const std::string& url : pages)
      EXPECT_TRUE(Get(url).starts_with("HTTP/1.1 200 OK")) << url;
    EXPECT_TRUE(Get(web.Url(1, "/p/3")).starts_with("HTTP/1.1 404 "));
    EXPECT_EQ(Get(web.Url(2)), "");
  }
  std::ifstream lines(log);
  const std::string text{std::istreambuf_iterator<char>(lines), {}};
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 20 + 1);
  std::filesystem::remove(log);
}

TEST(SyntheticRunningWeb, RefusesWrongDescriptions) {
  EXPECT_THROW(RunningWeb({"1 pages=x"}), std::runtime_error);
  EXPECT_THROW(RunningWeb({"1", "1"}), std::runtime_error);
  EXPECT_THROW(RunningWeb({}), std::runtime_error);
}

}  // namespace
}  // namespace synthetic

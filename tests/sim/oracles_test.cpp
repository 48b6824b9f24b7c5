// The oracles find every broken promise: requests are made by hand that break one each.
#include "sim/oracles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/simulated_crawl.hpp"

namespace crawler::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OraclesTest : public ::testing::Test {
 protected:
  OraclesTest() {
    for (const char* name : {"a.one.example", "b.one.example", "c.two.example"}) {
      SimulatedHost& host = web_.AddHost(name);
      host.latency = milliseconds(100);
      for (const char* path : {"/", "/1", "/2", "/no/3"}) host.AddPage(path);
    }
    options_ = SimulatedOptions({"http://a.one.example/"});
    options_.scope = CrawlScope::kWeb;
  }

  SimulatedHost& Host(const std::string& name) { return web_.hosts().at("http://" + name); }

  void Ask(const std::string& url) { fetcher_->Start(RequestFor("http://" + url), {}); }
  // Asks and waits for the answer.
  void Get(const std::string& url) {
    Ask(url);
    fetcher_->RunUntilIdle();
  }
  void Sleep(Duration time) { network_.Sleep(time); }
  void KillProcess() {
    kills_.insert(network_.process());
    network_.BeginProcess();
    fetcher_ = std::make_unique<SimulatedFetcher>(network_);
  }

  std::vector<std::string> Problems() { return JudgeRecord(network_, options_, kills_); }

  SimulatedWeb web_;
  CrawlOptions options_;
  SimulatedNetwork network_{web_};
  std::unique_ptr<SimulatedFetcher> fetcher_ = std::make_unique<SimulatedFetcher>(network_);
  std::set<int> kills_;
};

TEST_F(OraclesTest, APoliteCrawlIsWithoutFault) {
  for (const char* path : {"/robots.txt", "/", "/1", "/2"}) {
    Get(std::string("a.one.example") + path);
    Sleep(seconds(1));
  }
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(OraclesTest, TheDelay) {
  Get("a.one.example/robots.txt");
  Sleep(seconds(1));
  Get("a.one.example/");
  Sleep(milliseconds(799));
  Get("a.one.example/1");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("/1 at")));
}

TEST_F(OraclesTest, TheDelayHoldsAcrossProcesses) {
  Get("a.one.example/robots.txt");
  Sleep(seconds(1));
  Ask("a.one.example/");
  KillProcess();
  Sleep(milliseconds(500));
  Get("a.one.example/");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("the delay is 1000 ms")));
}

TEST_F(OraclesTest, CrawlDelayUpToItsLimit) {
  RobotsRules rules;
  rules.crawl_delay = seconds(5);
  Host("a.one.example").SetRobots(rules);
  Get("a.one.example/robots.txt");
  Sleep(seconds(4));
  Get("a.one.example/");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("the delay is 5000 ms")));
  options_.max_crawl_delay = seconds(3);
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(OraclesTest, RetryAfter) {
  Host("a.one.example").resources.at("/").faults = {Fault::Status(429, "20"), Fault::Status(429)};
  Get("a.one.example/robots.txt");
  Sleep(seconds(1));
  Get("a.one.example/");
  Sleep(seconds(19));
  Get("a.one.example/1");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("was told to wait")));
}

TEST_F(OraclesTest, RetriesComeLaterEachTimeAndEnd) {
  Host("a.one.example").resources.at("/").forever = Fault::Status(500);
  options_.delay = milliseconds(0);
  Get("a.one.example/robots.txt");
  for (const int wait : {750, 1'500, 3'000}) {
    Get("a.one.example/");
    Sleep(milliseconds(wait));
  }
  Get("a.one.example/");
  EXPECT_THAT(Problems(), IsEmpty());
  Sleep(milliseconds(6'000));
  Get("a.one.example/");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("has failed 4 times before")));
}

TEST_F(OraclesTest, ARetryThatComesTooSoon) {
  Host("a.one.example").resources.at("/").forever = Fault::Status(500);
  options_.delay = milliseconds(0);
  Get("a.one.example/robots.txt");
  Get("a.one.example/");
  Sleep(milliseconds(749));
  Get("a.one.example/");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("it must wait 750 ms")));
}

TEST_F(OraclesTest, NothingIsAskedTwiceUnlessAKillForgotIt) {
  Get("a.one.example/robots.txt");
  Sleep(seconds(1));
  Get("a.one.example/");
  Sleep(seconds(3));
  const std::vector<std::string> fine = Problems();
  EXPECT_THAT(fine, IsEmpty());
  Get("a.one.example/1");
  KillProcess();
  Sleep(seconds(1));
  Get("a.one.example/1");  // Lost with the kill.
  EXPECT_THAT(Problems(), IsEmpty());
  Sleep(seconds(1));
  Get("a.one.example/");  // Committed long before it.
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("was answered before")));
}

// Without a page a resume tries the seeds again; with one it does not.
TEST_F(OraclesTest, ACrawlWithoutAPageMayBeginAgain) {
  for (const bool has_page : {false, true}) {
    SimulatedNetwork network(web_);
    const auto get = [&network](const std::string& url) {
      SimulatedFetcher fetcher(network);
      fetcher.Start(RequestFor("http://" + url), {});
      fetcher.RunUntilIdle();
      network.Sleep(seconds(2));
    };
    get("a.one.example/robots.txt");
    get("a.one.example/missing");
    if (has_page) get("a.one.example/1");
    network.BeginProcess();
    get("a.one.example/missing");
    const std::vector<std::string> problems = JudgeRecord(network, options_, {});
    EXPECT_EQ(problems.empty(), !has_page);
  }
}

TEST_F(OraclesTest, RobotsFirstAndObeyed) {
  RobotsRules rules;
  rules.disallow = {"/no/"};
  Host("a.one.example").SetRobots(rules);
  Get("a.one.example/");
  Sleep(seconds(1));
  Get("a.one.example/robots.txt");
  Sleep(seconds(1));
  Get("a.one.example/no/3");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("comes before robots.txt is known"),
                                      HasSubstr("is refused by robots.txt")));
  options_.network.obey_robots = false;
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(OraclesTest, RequestsAtATime) {
  options_.delay = milliseconds(0);
  for (const char* name : {"a.one.example", "b.one.example", "c.two.example"}) {
    Host(name).address = IpAddress::V4(0x05000001);
    Get(std::string(name) + "/robots.txt");
  }
  Ask("a.one.example/");
  Ask("b.one.example/");
  Ask("c.two.example/");
  fetcher_->RunUntilIdle();
  EXPECT_THAT(Problems(), IsEmpty());
  options_.hosts_per_domain = 1;
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("one of 2 requests to the domain one.example")));
  options_.hosts_per_domain = 4;
  options_.hosts_per_address = 2;
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("one of 3 requests to the address")));
  options_.hosts_per_address = 16;
  Ask("a.one.example/1");
  Ask("a.one.example/2");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("one of 2 requests to the host")));
}

TEST_F(OraclesTest, DelaysOfDomains) {
  Ask("a.one.example/robots.txt");
  Sleep(milliseconds(249));
  Ask("b.one.example/robots.txt");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("the delay of the domain is 250 ms")));
}

TEST_F(OraclesTest, RedirectsOfRobotsBelongToIt) {
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "http://a.one.example/elsewhere.txt";
  Host("a.one.example").Add("/robots.txt", redirect);
  Get("a.one.example/robots.txt");
  Get("a.one.example/elsewhere.txt");
  EXPECT_THAT(Problems(), IsEmpty());
}

// Neither the redirect nor the file behind it tells the crawler where a.one.example is.
TEST_F(OraclesTest, ARobotsFileOfAnotherHostTellsNoAddress) {
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "http://b.one.example/elsewhere.txt";
  Host("a.one.example").Add("/robots.txt", redirect);
  Host("a.one.example").address = Host("c.two.example").address;
  options_.hosts_per_address = 1;
  Get("c.two.example/robots.txt");
  Get("a.one.example/robots.txt");
  Get("b.one.example/elsewhere.txt");
  Sleep(seconds(1));
  Ask("c.two.example/");
  Get("a.one.example/");
  EXPECT_THAT(Problems(), IsEmpty());
  Sleep(seconds(1));
  Ask("c.two.example/1");
  Get("a.one.example/1");
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("one of 2 requests to the address"),
                                      HasSubstr("the delay of the address is 1000 ms")));
}

// A kill forgets that a slow host was asked, and where it is; the delay of the quick one counts.
TEST_F(OraclesTest, RequestsThatAKillForgetsAreNotKnownToTheirAddress) {
  options_.delay = milliseconds(200);
  options_.host_delays = {{"a.one.example", seconds(5)}};
  options_.hosts_per_address = 1;
  Host("a.one.example").address = Host("c.two.example").address;
  Get("a.one.example/robots.txt");
  Sleep(seconds(5));
  Get("a.one.example/");
  SimulatedNetwork ended(network_), killed(network_);
  ended.BeginProcess();
  killed.BeginProcess();
  for (SimulatedNetwork* const network : {&ended, &killed}) {
    SimulatedFetcher fetcher(*network);
    for (const char* path : {"robots.txt", ""}) {
      network->Sleep(milliseconds(100));
      fetcher.Start(RequestFor(std::string("http://c.two.example/") + path), {});
      fetcher.RunUntilIdle();
    }
  }
  EXPECT_THAT(JudgeRecord(ended, options_),
              ElementsAre(HasSubstr("the delay of the address is 5000 ms")));
  EXPECT_THAT(JudgeRecord(killed, options_, {0}), IsEmpty());
}

TEST_F(OraclesTest, PagesMissingSuperfluousAndStoredTwice) {
  Host("a.one.example").AddPage("/", {"/1", "/none"});
  const Expectation expected = ExpectPages(web_, options_);
  const std::string front = "http://a.one.example/", one = "http://a.one.example/1";
  EXPECT_THAT(expected.must, ElementsAre(front, one));
  EXPECT_EQ(expected.must, expected.may);
  EXPECT_THAT(JudgePages(expected, {one, front}), IsEmpty());
  EXPECT_THAT(JudgePages(expected, {front}), ElementsAre(one + " is missing"));
  EXPECT_THAT(JudgePages(expected, {front, one, "http://x/"}),
              ElementsAre("http://x/ must not be a page"));
  EXPECT_THAT(JudgePages(expected, {front, one, one}), ElementsAre("a page is stored twice"));
}

TEST_F(OraclesTest, ExpectationsKnowDepthScopeRobotsAndFaults) {
  SimulatedHost& host = Host("a.one.example");
  RobotsRules rules;
  rules.disallow = {"/no/"};
  host.SetRobots(rules);
  host.AddPage("/", {"/1", "/no/3", "http://c.two.example/"});
  host.AddPage("/1", {"/2"});
  host.resources.at("/2").faults = {Fault::Status(500), Fault::Status(500), Fault::Status(500)};
  const std::string a = "http://a.one.example", c = "http://c.two.example/";
  EXPECT_THAT(ExpectPages(web_, options_).must, ElementsAre(a + "/", a + "/1", a + "/2", c));
  options_.max_depth = 1;
  EXPECT_THAT(ExpectPages(web_, options_).must, ElementsAre(a + "/", a + "/1", c));
  options_.max_depth = -1;
  options_.scope = CrawlScope::kHost;
  EXPECT_THAT(ExpectPages(web_, options_).must, ElementsAre(a + "/", a + "/1", a + "/2"));
  host.resources.at("/2").forever = Fault::Status(500);
  EXPECT_THAT(ExpectPages(web_, options_).may, ElementsAre(a + "/", a + "/1"));
  host.outages = {{seconds(0), seconds(9), Fault::Failure(FetchFailure::kRefused)}};
  EXPECT_THAT(ExpectPages(web_, options_).must, IsEmpty());
  EXPECT_THAT(ExpectPages(web_, options_).may, ElementsAre(a + "/", a + "/1"));
}

}  // namespace
}  // namespace crawler::sim

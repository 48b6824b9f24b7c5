#include "sim/simulated_web.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parse/html_extractor.hpp"
#include "robots/robots_txt.hpp"

namespace crawler::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

SimulatedWeb::Answer Ask(const SimulatedWeb& web, std::string_view url, int before = 0,
                         Moment now = Moment(0)) {
  return web.Ask(RequestFor(url), before, now);
}

TEST(SimulatedWeb, PagesAreHtmlThatTheRealParserReads) {
  SimulatedWeb web;
  SimulatedHost& host = web.AddHost("a.example");
  Resource& page = host.AddPage("/", {"/x?a=1&b=2", "http://b.example/"});
  page.links.push_back({"y#part", "http://a.example/y", true});

  const FetchResult result = Ask(web, "http://a.example/").result;
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.headers.Find("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(result.headers.Find("content-length"), std::to_string(result.raw_body.size()));
  EXPECT_EQ(result.remote_address, host.address);

  Page read;
  HtmlExtractor().Extract(result.body(), result.url, &read);
  std::vector<std::string> links;
  for (const Link& link : read.links) {
    links.emplace_back(read.View(read.targets[link.target]).href());
    EXPECT_EQ(link.nofollow(), links.back() == "http://a.example/y");
  }
  EXPECT_THAT(links,
              ElementsAre("http://a.example/x?a=1&b=2", "http://b.example/", "http://a.example/y"));
}

TEST(SimulatedWeb, WhatIsNotThereAnswers404AndUnknownHostsDoNotResolve) {
  SimulatedWeb web;
  web.AddHost("a.example");
  EXPECT_EQ(Ask(web, "http://a.example/none").result.status, 404);
  EXPECT_EQ(Ask(web, "http://b.example/").result.failure, FetchFailure::kDns);
}

TEST(SimulatedWeb, RobotsRulesMeanTheSameToTheRealParser) {
  RobotsRules rules;
  rules.disallow = {"/x/", "/long"};
  rules.allow = {"/x/ok"};
  rules.crawl_delay = milliseconds(1'050);
  rules.sitemaps = {"http://a.example/map.xml"};
  const RobotsTxt parsed = RobotsTxt::Parse(rules.ToText(), "crawler");
  for (const char* path : {"/", "/x", "/x/", "/x/1", "/x/ok", "/x/ok/2", "/long", "/longer"}) {
    EXPECT_EQ(rules.Allows(path), parsed.Check(path).allowed) << path;
  }
  EXPECT_FALSE(rules.Allows("/x/1"));
  EXPECT_EQ(parsed.crawl_delay(), rules.crawl_delay);
  EXPECT_EQ(parsed.sitemaps(), rules.sitemaps);
}

TEST(SimulatedWeb, FaultsComeFirstAndOutagesHideThem) {
  SimulatedWeb web;
  SimulatedHost& host = web.AddHost("a.example");
  Resource& page = host.AddPage("/");
  page.faults = {Fault::Status(500), Fault::Status(429, "7")};
  host.outages = {{seconds(10), seconds(20), Fault::Failure(FetchFailure::kRefused)}};

  EXPECT_EQ(Ask(web, "http://a.example/", 0).result.status, 500);
  EXPECT_TRUE(Ask(web, "http://a.example/", 0).reached);
  const FetchResult throttled = Ask(web, "http://a.example/", 1).result;
  EXPECT_EQ(throttled.status, 429);
  EXPECT_EQ(throttled.headers.Find("retry-after"), "7");
  EXPECT_EQ(Ask(web, "http://a.example/", 2).result.status, 200);

  for (const auto& [at, refused] : {std::pair(seconds(9), false), std::pair(seconds(10), true),
                                    std::pair(seconds(19), true), std::pair(seconds(20), false)}) {
    const SimulatedWeb::Answer answer = Ask(web, "http://a.example/", 2, at);
    EXPECT_EQ(answer.result.failure == FetchFailure::kRefused, refused) << at.count();
    EXPECT_EQ(answer.reached, !refused);
    EXPECT_EQ(answer.result.remote_address.has_value(), !refused);
  }
}

TEST(SimulatedWeb, CutBodiesKeepTheirLinks) {
  SimulatedWeb web;
  Resource& page = web.AddHost("a.example").AddPage("/", {"/1", "/2"});
  page.forever = Fault::Failure(FetchFailure::kDisconnected);
  const FetchResult result = Ask(web, "http://a.example/", 9).result;
  EXPECT_EQ(result.failure, FetchFailure::kDisconnected);
  EXPECT_EQ(result.truncated, Truncation::kDisconnect);
  EXPECT_LT(result.body().size(), RenderPage(page).size());
  EXPECT_NE(result.body().find("href=\"/2\""), std::string_view::npos);
}

TEST(SimulatedWeb, TimeOutsTakeTheirTime) {
  SimulatedWeb web;
  SimulatedHost& host = web.AddHost("a.example");
  host.latency = milliseconds(10);
  host.AddPage("/connect").forever = Fault::Failure(FetchFailure::kConnectTimeout);
  host.AddPage("/response").forever = Fault::Failure(FetchFailure::kResponseTimeout);
  host.AddPage("/read").forever = Fault::Failure(FetchFailure::kReadTimeout);
  host.AddPage("/well");
  EXPECT_EQ(Ask(web, "http://a.example/connect").latency, seconds(10));
  EXPECT_EQ(Ask(web, "http://a.example/response").latency, seconds(20));
  EXPECT_EQ(Ask(web, "http://a.example/read").latency, seconds(30));
  web.AddHost("slow.example").latency = seconds(30);
  EXPECT_EQ(Ask(web, "http://slow.example/").result.failure, FetchFailure::kResponseTimeout);
  EXPECT_EQ(Ask(web, "http://slow.example/").latency, seconds(20));
  const Duration well = Ask(web, "http://a.example/well").latency;
  EXPECT_GE(well, milliseconds(10));
  EXPECT_LE(well, milliseconds(20));
}

TEST(SimulatedWeb, RedirectsUnwantedFilesAndConditionalRequests) {
  SimulatedWeb web;
  SimulatedHost& host = web.AddHost("a.example");
  Resource redirect;
  redirect.kind = Resource::Kind::kRedirect;
  redirect.location = "/to";
  host.Add("/from", redirect);
  Resource file;
  file.kind = Resource::Kind::kFile;
  host.Add("/file", file);
  host.AddPage("/to").etag = "\"1\"";

  EXPECT_EQ(Ask(web, "http://a.example/from").result.redirect->href(), "http://a.example/to");
  EXPECT_EQ(Ask(web, "http://a.example/file").result.failure, FetchFailure::kUnwantedType);
  FetchRequest request = RequestFor("http://a.example/file");
  request.any_type = true;
  EXPECT_TRUE(web.Ask(request, 0, Moment(0)).result.ok());

  request = RequestFor("http://a.example/to");
  request.etag = "\"1\"";
  EXPECT_EQ(web.Ask(request, 0, Moment(0)).result.status, 304);
  request.etag = "\"0\"";
  EXPECT_EQ(web.Ask(request, 0, Moment(0)).result.status, 200);
}

}  // namespace
}  // namespace crawler::sim

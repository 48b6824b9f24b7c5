// The answers of other parsers; check.py of the conformance data judges the same through the
// conformance program.
#include <gtest/gtest.h>

#include <set>

#include "conformance_data.hpp"
#include "robots/robots_txt.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

using nlohmann::json;

bool Allowed(const RobotsTxt& robots, const std::string& text) {
  Url base, url;
  ParseUrl("http://example.com/", nullptr, &base);
  ParseUrl(text, &base, &url);
  return robots.Check(url).allowed;
}

TEST(Conformance, CoreAndGoogleOnly) {
  CRAWLER_REQUIRE_CONFORMANCE("robots/dev.jsonl");
  std::size_t count = 0;
  for (const json& c : ReadConformanceLines("robots/dev.jsonl")) {
    const std::string tier = c.at("tier").get<std::string>();
    if (c.at("kind") != "allowed" || (tier != "core" && tier != "google-only")) continue;
    ++count;
    const std::string body = c.contains("robots_b64")
                                 ? DecodeBase64(c["robots_b64"].get<std::string>())
                                 : c.at("robots").get<std::string>();
    const RobotsTxt robots = RobotsTxt::Parse(body, c.at("ua").get<std::string>());
    EXPECT_EQ(Allowed(robots, c.at("url").get<std::string>()), c.at("expect").get<bool>())
        << c.dump();
  }
  EXPECT_GT(count, 500u);
}

// Google's own tests, as tests/conformance/google_robots.py reads them.
TEST(Conformance, GooglesOwnTests) {
  CRAWLER_REQUIRE_CONFORMANCE("robots/google.jsonl");
  const std::vector<json> cases = ReadConformanceLines("robots/google.jsonl");
  for (const json& c : cases) {
    const RobotsTxt robots =
        RobotsTxt::Parse(c.at("robots").get<std::string>(), c.at("ua").get<std::string>());
    EXPECT_EQ(Allowed(robots, c.at("url").get<std::string>()), c.at("expect").get<bool>())
        << c.dump();
  }
  EXPECT_GT(cases.size(), 50u);
}

TEST(Conformance, RealWorld) {
  CRAWLER_REQUIRE_CONFORMANCE("robots/realworld_dev.jsonl");
  std::size_t count = 0;
  for (const json& c : ReadConformanceLines("robots/realworld_dev.jsonl")) {
    const std::string body = c.at("robots").get<std::string>();
    for (const json& check : c.at("checks")) {
      ++count;
      const RobotsTxt robots = RobotsTxt::Parse(body, check.at("ua").get<std::string>());
      EXPECT_EQ(Allowed(robots, check.at("url").get<std::string>()), check.at("expect").get<bool>())
          << c.at("site") << " " << check.dump();
    }
  }
  EXPECT_GT(count, 5000u);
}

// Every fact that is the parser's or the record's has a test named after it.
TEST(Conformance, FetchStatusFactsAreAllAccountedFor) {
  CRAWLER_REQUIRE_CONFORMANCE("robots/fetch_status_facts.json");
  const std::set<std::string> tested = {
      "S01",   "S02",   "S1400", "S1401", "S1403", "S1404", "S1405", "S1410",
      "S1418", "S1451", "S20",   "S3500", "S3502", "S3503", "S3504", "S3599",
      "S40",   "S41",   "S51",   "S52",   "S53",   "S54",   "S55",   "S56",
      "S57",   "S60",   "S61",   "S70",   "S71",   "S80",   "S90"};
  const std::set<std::string> elsewhere = {"S81"};
  for (const json& fact : ParseSuiteJson(ReadConformanceFile("robots/fetch_status_facts.json"))) {
    const std::string id = fact.at("id").get<std::string>();
    EXPECT_TRUE(tested.contains(id) || elsewhere.contains(id)) << fact.dump();
  }
}

}  // namespace
}  // namespace crawler

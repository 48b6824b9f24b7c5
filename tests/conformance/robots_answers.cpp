#include <string>

#include "conformance/answers.hpp"
#include "conformance_data.hpp"
#include "robots/robots_txt.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

std::string BodyOf(const nlohmann::json& test_case) {
  if (test_case.contains("robots_b64")) {
    return DecodeBase64(test_case["robots_b64"].get<std::string>());
  }
  return test_case.at("robots").get<std::string>();
}

// Some cases give only a path.
bool Allowed(const RobotsTxt& robots, const std::string& text) {
  Url base, url;
  ParseUrl("http://example.com/", nullptr, &base);
  ParseUrl(text, &base, &url);
  return robots.Check(url).allowed;
}

}  // namespace

nlohmann::json AnswerRobots(const nlohmann::json& test_case) {
  const nlohmann::json& agent = test_case.at("ua");
  const RobotsTxt robots =
      RobotsTxt::Parse(BodyOf(test_case), agent.is_string() ? agent.get<std::string>() : "");
  const std::string kind = test_case.at("kind").get<std::string>();
  if (kind == "sitemaps") return {{"sitemaps", robots.sitemaps()}};
  if (kind == "crawl_delay") {
    if (!robots.crawl_delay()) return {{"crawl_delay", nullptr}};
    return {{"crawl_delay", std::chrono::duration<double>(*robots.crawl_delay()).count()}};
  }
  return {{"allowed", Allowed(robots, test_case.at("url").get<std::string>())}};
}

nlohmann::json AnswerRealworld(const nlohmann::json& test_case) {
  const std::string body = BodyOf(test_case);
  nlohmann::json allowed = nlohmann::json::array();
  for (const nlohmann::json& check : test_case.at("checks")) {
    const RobotsTxt robots = RobotsTxt::Parse(body, check.at("ua").get<std::string>());
    allowed.push_back(Allowed(robots, check.at("url").get<std::string>()));
  }
  return {{"allowed", allowed}};
}

}  // namespace crawler

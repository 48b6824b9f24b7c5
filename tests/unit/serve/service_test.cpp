#include "serve/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "serve/routes.hpp"
#include "serve/web_files.hpp"

namespace crawler {
namespace {

using Json = nlohmann::json;

TEST(OpenApi, HasExactlyTheRoutes) {
  const Json document = Json::parse(OpenApiText());
  std::set<std::pair<std::string, std::string>> described;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      std::string upper = method;
      std::transform(upper.begin(), upper.end(), upper.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      described.emplace(upper, path);
    }
  }
  std::set<std::pair<std::string, std::string>> routes;
  for (const Route& route : Routes()) routes.emplace(route.method, route.path);
  EXPECT_EQ(routes, described);
}

HttpRequest Request(const std::string& method, const std::string& path) {
  HttpRequest request;
  request.method = method;
  request.path = path;
  return request;
}

TEST(CrawlService, FindsItsRoutes) {
  ServeOptions options;
  options.folders = {"/tmp/nowhere/site"};
  CrawlService service(options);
  EXPECT_EQ(200, service.Answer(Request("GET", "/")).status);
  EXPECT_EQ(200, service.Answer(Request("GET", "/api/v1/crawls")).status);
  EXPECT_EQ(200, service.Answer(Request("GET", "/api/v1/crawls/site/status")).status);
  for (const char* path : {"/x", "/api/v1/crawls/", "/api/v1/crawls//status", "/api/v1/crawls/site",
                           "/api/v1/crawls/site/", "/api/v1/crawls/other/status",
                           "/api/v1/crawls/site/status/", "/api/v1/crawls/a/site/status"}) {
    EXPECT_EQ(404, service.Answer(Request("GET", path)).status) << path;
  }
  EXPECT_EQ(405, service.Answer(Request("POST", "/api/v1/crawls/site/status")).status);
  EXPECT_EQ(409, service.Answer(Request("POST", "/api/v1/crawls/site/pause")).status);
}

TEST(CrawlService, AFolderWithoutACrawlIsAFailure) {
  ServeOptions options;
  options.folders = {"/tmp/nowhere/site"};
  CrawlService service(options);
  const HttpResponse health = service.Answer(Request("GET", "/health"));
  EXPECT_EQ(503, health.status);
  EXPECT_EQ("site", Json::parse(health.body)["reasons"][0]["crawl"]);
}

TEST(CrawlService, OtherAddressesNeedAToken) {
  ServeOptions options;
  options.address = "0.0.0.0";
  options.port = 0;
  CrawlService service(options);
  EXPECT_EQ(StatusCode::kInvalidArgument, service.Start().code());
}

TEST(CrawlService, EventsEndWithTheService) {
  ServeOptions options;
  options.folders = {"/tmp/nowhere/site"};
  CrawlService service(options);
  const HttpResponse events = service.Answer(Request("GET", "/api/v1/crawls/site/events"));
  ASSERT_TRUE(events.stream);
  std::string written;
  events.stream([&](std::string_view text) {
    written += text;
    return false;  // Nobody reads any more.
  });
  EXPECT_THAT(written, ::testing::StartsWith("event: status\ndata: {"));
  service.Stop();
  written.clear();
  events.stream([&](std::string_view text) {
    written += text;
    return true;
  });
  EXPECT_EQ("", written);
}

}  // namespace
}  // namespace crawler

#include "serve/request_guard.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

HttpRequest Get(const std::string& path, const std::string& host = "127.0.0.1:8400") {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  request.headers = {{"host", host}};
  return request;
}

int StatusOf(const RequestGuard& guard, const HttpRequest& request) {
  const std::optional<HttpResponse> refused = guard.Check(request);
  return refused ? refused->status : 200;
}

TEST(EqualSecrets, ComparesWhole) {
  EXPECT_TRUE(EqualSecrets("secret", "secret"));
  for (const char* given : {"", "s", "secre", "secrets", "secretsecret", "Secret"}) {
    EXPECT_FALSE(EqualSecrets("secret", given)) << given;
  }
  EXPECT_FALSE(EqualSecrets("secret", std::string_view("secret\0", 7)));
}

TEST(RequestGuard, AcceptsOnlyNamesOfThisMachineWithoutAToken) {
  const RequestGuard guard("", "127.0.0.1", 8400);
  for (const char* host : {"127.0.0.1:8400", "localhost:8400", "LocalHost:8400", "[::1]:8400"}) {
    EXPECT_EQ(200, StatusOf(guard, Get("/api/v1/crawls", host))) << host;
  }
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:84000", "evil.example:8400", "10.0.0.1:8400",
                           "localhost.evil.example:8400"}) {
    EXPECT_EQ(403, StatusOf(guard, Get("/", host))) << host;
  }
  HttpRequest twice = Get("/");
  twice.headers.emplace("host", "evil.example");
  EXPECT_EQ(400, StatusOf(guard, twice));
  HttpRequest none = Get("/");
  none.headers.clear();
  EXPECT_EQ(400, StatusOf(guard, none));
}

TEST(RequestGuard, AcceptsTheAddressItListensAt) {
  EXPECT_EQ(200, StatusOf(RequestGuard("", "127.0.0.5", 80), Get("/", "127.0.0.5")));
  EXPECT_EQ(200, StatusOf(RequestGuard("", "::1", 8400), Get("/", "[::1]:8400")));
}

TEST(RequestGuard, RefusesOtherOrigins) {
  const RequestGuard guard("", "127.0.0.1", 8400);
  HttpRequest request = Get("/api/v1/crawls");
  request.headers.emplace("origin", "http://127.0.0.1:8400");
  EXPECT_EQ(200, StatusOf(guard, request));
  for (const char* origin : {"null", "http://evil.example", "http://127.0.0.1:8401",
                             "http://127.0.0.1:8400.evil.example"}) {
    HttpRequest other = Get("/api/v1/crawls");
    other.headers.emplace("origin", origin);
    EXPECT_EQ(403, StatusOf(guard, other)) << origin;
  }
}

TEST(RequestGuard, ChangesNeedAHeader) {
  const RequestGuard guard("", "127.0.0.1", 8400);
  HttpRequest request = Get("/api/v1/crawls");
  request.method = "POST";
  EXPECT_EQ(403, StatusOf(guard, request));
  request.headers.emplace("x-crawler", "1");
  EXPECT_EQ(200, StatusOf(guard, request));
  request.method = "DELETE";
  EXPECT_EQ(405, StatusOf(guard, request));
}

TEST(RequestGuard, WantsTheToken) {
  const RequestGuard guard("secret", "0.0.0.0", 8400);
  EXPECT_EQ(401, StatusOf(guard, Get("/api/v1/crawls", "any.example")));
  EXPECT_EQ(401, StatusOf(guard, Get("/metrics", "any.example")));
  for (const char* path : {"/", "/web/app.js", "/health", "/ready"}) {
    EXPECT_EQ(200, StatusOf(guard, Get(path, "any.example"))) << path;
  }
  HttpRequest request = Get("/api/v1/crawls", "any.example");
  request.headers.emplace("authorization", "Bearer secret");
  EXPECT_EQ(200, StatusOf(guard, request));
  request.headers.clear();
  request.headers = {{"host", "any.example"}, {"authorization", "Bearer wrong"}};
  EXPECT_EQ(401, StatusOf(guard, request));
}

TEST(IsLoopback, KnowsBothFamilies) {
  EXPECT_TRUE(IsLoopback("127.0.0.1"));
  EXPECT_TRUE(IsLoopback("127.9.9.9"));
  EXPECT_TRUE(IsLoopback("::1"));
  EXPECT_FALSE(IsLoopback("0.0.0.0"));
  EXPECT_FALSE(IsLoopback("::"));
  EXPECT_FALSE(IsLoopback("128.0.0.1"));
}

}  // namespace
}  // namespace crawler

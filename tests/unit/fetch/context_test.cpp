#include "fetch/context.hpp"

#include <gtest/gtest.h>

#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

StatusCode CodeFor(const std::function<void(FetchOptions&)>& change) {
  FetchOptions options = TestOptions();
  change(options);
  return FetchContext::Create(options).status().code();
}

TEST(FetchContext, RefusesOptionsThatMakeNoSense) {
  EXPECT_EQ(CodeFor([](FetchOptions&) {}), StatusCode::kOk);
  const StatusCode bad = StatusCode::kInvalidArgument;
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.user_agent = ""; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.user_agent = "a\r\nHost: b"; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.contact = "a\nb"; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.extra_headers = {"no colon"}; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.extra_headers = {": x"}; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.extra_headers = {"A: b\r\nC: d"}; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.extra_headers = {"cookie: secret"}; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.extra_headers = {"Authorization: x"}; }), bad);
  for (const char* secret : {"X-Api-Key: 1", "x-auth-token: 1", "Set-Cookie: a=b", "apikey: 1"}) {
    EXPECT_EQ(CodeFor([=](FetchOptions& o) { o.extra_headers = {secret}; }), bad) << secret;
  }
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.extra_headers = {"Accept-Language: de"}; }),
            StatusCode::kOk);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.credentials = {{"http://a.test", "Host: b"}}; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.proxy = "127.0.0.1:8080"; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.proxy = "ftp://127.0.0.1:8080"; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.limits.total = std::chrono::seconds(0); }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.limits.max_body = std::size_t{1} << 40; }), bad);
  EXPECT_EQ(CodeFor([](FetchOptions& o) { o.limits.max_transfers = 0; }), bad);
}

TEST(FetchContext, SaysWhoAsks) {  // RFC 9309, 2.2.1: a product token and a contact.
  HostileServer server(HostileServer::Reply(OkResponse("ok")));
  FetchOptions options = TestOptions();
  options.extra_headers = {"accept: text/plain", "X-Team: search"};
  EXPECT_EQ(Fetch(server.Url("/a?b=c"), options).body(), "ok");
  EXPECT_EQ(server.requests().front(),
            "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                "\r\nUser-Agent: crawler-test/1 (+https://crawler.test/about)\r\n"
                "Accept-Encoding: gzip, deflate, br, zstd\r\naccept: text/plain\r\n"
                "X-Team: search\r\n\r\n");
}

TEST(FetchContext, SeveralCredentialsOfAnOriginAreSentTogetherAndToNoOther) {
  HostileServer server(HostileServer::Reply(OkResponse("ok")));
  HostileServer other(HostileServer::Reply(OkResponse("ok")));
  const std::string origin = "http://127.0.0.1:" + std::to_string(server.port());
  FetchOptions options = TestOptions();
  options.extra_headers = {"X-Team: search", "X-Api-Version: 2"};
  options.credentials = {{origin, "Authorization: Bearer s3cret"},
                         {origin, "X-Api-Key: s3cret"},
                         {origin, "x-api-key: newer"},
                         {origin, "X-Team: s3cret"}};
  EXPECT_EQ(Fetch(server.Url("/a"), options).body(), "ok");
  EXPECT_EQ(Fetch(other.Url("/a"), options).body(), "ok");
  const std::string sent = server.requests().front();
  EXPECT_NE(sent.find("Authorization: Bearer s3cret\r\nx-api-key: newer\r\nX-Team: s3cret\r\n"),
            std::string::npos)
      << sent;
  EXPECT_NE(sent.find("X-Api-Version: 2\r\n"), std::string::npos);
  EXPECT_EQ(sent.find("X-Team: search"), std::string::npos);
  EXPECT_EQ(other.requests().front().find("s3cret"), std::string::npos);
  EXPECT_NE(other.requests().front().find("X-Team: search"), std::string::npos);
}

TEST(FetchContext, WantedTypesAreTheUsers) {
  HostileServer server(HostileServer::Replies(
      {OkResponse("1"),
       "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1\r\n\r\n2"}));
  FetchOptions options = TestOptions();
  options.wanted_types = {"image/png"};
  Session session(options);
  EXPECT_EQ(session.Fetch(server.Url()).failure, FetchFailure::kUnwantedType);
  EXPECT_EQ(session.Fetch(server.Url()).body(), "2");
}

TEST(FetchContext, LocalAddressAndIpVersion) {
  HostileServer server(HostileServer::Reply(OkResponse("ok")));
  FetchOptions options = TestOptions();
  options.local_address = "127.0.0.9";
  EXPECT_EQ(Fetch(server.Url(), options).body(), "ok");
  options.local_address = "203.0.113.1";  // Not ours.
  EXPECT_EQ(Fetch(server.Url(), options).failure, FetchFailure::kLocal);
  options.local_address.clear();
  options.ip_version = IpVersion::kV6;
  EXPECT_FALSE(Fetch(server.Url(), options).ok());
}

}  // namespace
}  // namespace crawler

// The request head that goes into archives is the one that went over the wire, but for secrets.
#include "fetch/request_head.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

FetchOptions ArchivingOptions() {
  FetchOptions options = TestOptions();
  options.keep_request_head = true;
  return options;
}

// Fetches and returns the archived head; the server's is `*received`.
std::string ArchivedHead(HostileServer& server, FetchRequest request, const FetchOptions& options,
                         std::string* received) {
  const FetchResult result = Fetch(std::move(request), options);
  EXPECT_EQ(result.failure, FetchFailure::kNone) << result.message;
  const std::vector<std::string> requests = server.requests();
  *received = requests.empty() ? "" : requests.back();
  return result.request_head;
}

std::string Replaced(std::string text, const std::string& secret) {
  const std::size_t at = text.find(secret);
  if (at != std::string::npos) text.replace(at, secret.size(), "[withheld]");
  return text;
}

TEST(RequestHead, IsWhatTheServerReceived) {
  for (const char* path :
       {"/", "/?", "/a/b.html?x=1&y=%20#part", "/%7Euser/../b//c;d", "/a|b?q='[]{}", "/%00%ff"}) {
    HostileServer server(HostileServer::Reply(OkResponse("fine")));
    std::string received;
    const std::string head =
        ArchivedHead(server, RequestFor(server.Url(path)), ArchivingOptions(), &received);
    EXPECT_EQ(head, received) << path;
    EXPECT_NE(head, "");
  }
}

TEST(RequestHead, HoldsConditionsMethodAndOwnHeaders) {
  HostileServer server(HostileServer::Reply("HTTP/1.1 304 Not Modified\r\n\r\n"));
  FetchOptions options = ArchivingOptions();
  options.contact = "https://example.org/bot";
  // One replaced, one switched off, two more.
  options.extra_headers = {"Accept: text/plain", "Accept-Encoding:", "X-One: 1", "x-two:2"};
  FetchRequest request = RequestFor(server.Url("/page"));
  request.method = FetchRequest::Method::kHead;
  request.etag = "W/\"abc\"";
  request.last_modified = "Sat, 31 Jan 2026 12:00:00 GMT";
  std::string received;
  const std::string head = ArchivedHead(server, request, options, &received);
  EXPECT_EQ(head, received);
  EXPECT_NE(head.find("HEAD /page HTTP/1.1\r\n"), std::string::npos);
  EXPECT_NE(head.find("If-None-Match: W/\"abc\"\r\nIf-Modified-Since: Sat"), std::string::npos);
  EXPECT_EQ(head.find("Accept-Encoding"), std::string::npos);
}

TEST(RequestHead, HasTheHostThatWasAskedFor) {
  for (const char* line : {"Host: other.example", "hOST:other.example:81", "Host:"}) {
    HostileServer server(HostileServer::Reply(OkResponse("fine")));
    FetchOptions options = ArchivingOptions();
    options.extra_headers = {line, "X-Last: 1"};
    std::string received;
    const std::string head = ArchivedHead(server, RequestFor(server.Url()), options, &received);
    EXPECT_EQ(head, received) << line;
  }
}

TEST(RequestHead, WithholdsCredentials) {
  HostileServer server(HostileServer::Reply(OkResponse("fine")));
  FetchOptions options = ArchivingOptions();
  options.credentials = {{server.Url(""), "X-Api-Key: Bearer 5ecret"}};
  const std::string url = server.Url("/");
  std::string received;
  const std::string head = ArchivedHead(server, RequestFor(url), options, &received);
  EXPECT_NE(received.find("5ecret"), std::string::npos);
  EXPECT_EQ(head, Replaced(received, "Bearer 5ecret"));
}

TEST(RequestHead, WithholdsUserAndPasswordOfTheUrl) {
  HostileServer server(HostileServer::Reply(OkResponse("fine")));
  std::string received;
  const std::string url = "http://user:pass@127.0.0.1:" + std::to_string(server.port()) + "/x";
  const std::string head = ArchivedHead(server, RequestFor(url), ArchivingOptions(), &received);
  EXPECT_EQ(head, received);  // They are not sent either.
  EXPECT_EQ(head.find("pass"), std::string::npos);
}

TEST(RequestHead, LeavesCookiesOut) {
  HostileServer server(HostileServer::Replies(
      {OkResponse("one", "Set-Cookie: session=5ecret\r\n"), OkResponse("two")}));
  FetchOptions options = ArchivingOptions();
  options.cookies = true;
  Session session(options);
  EXPECT_EQ(session.Fetch(server.Url("/1")).body(), "one");
  const std::string head = session.Fetch(server.Url("/2")).request_head;
  const std::string received = server.requests().back();
  const std::string line = "Cookie: session=5ecret\r\n";
  const std::size_t at = received.find(line);
  ASSERT_NE(at, std::string::npos) << received;
  EXPECT_EQ(head, received.substr(0, at) + received.substr(at + line.size()));
}

TEST(RequestHead, FollowsAServerOfHttp10OnItsKeptConnection) {
  const std::string reply =
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Type: text/html\r\n"
      "Content-Length: 4\r\n\r\nfine";
  HostileServer server(HostileServer::Replies({reply, reply}));
  Session session(ArchivingOptions());
  const FetchResult first = session.Fetch(server.Url("/1"));
  const FetchResult second = session.Fetch(server.Url("/2"));
  ASSERT_EQ(server.connections(), 1);
  const std::vector<std::string> received = server.requests();
  EXPECT_EQ(first.request_head, received[0]);
  EXPECT_EQ(second.request_head, received[1]);
}

TEST(RequestHead, GoesToAProxyWithTheWholeUrl) {
  HostileServer proxy(HostileServer::Reply(OkResponse("through the proxy")));
  FetchOptions options = ArchivingOptions();
  options.proxy = "http://user:5ecret@127.0.0.1:" + std::to_string(proxy.port());
  std::string received;
  const std::string head =
      ArchivedHead(proxy, RequestFor("http://site.example:8080/a?b#c"), options, &received);
  EXPECT_EQ(head, Replaced(received, "Basic dXNlcjo1ZWNyZXQ="));
  EXPECT_NE(head.find("[withheld]"), std::string::npos);
}

TEST(RequestHead, IsEmptyWhenNothingWasSent) {
  EXPECT_EQ(Fetch("http://unknown.example/", ArchivingOptions()).request_head, "");
  HostileServer server(HostileServer::Reply(OkResponse("fine")));
  EXPECT_EQ(Fetch(server.Url()).request_head, "");  // Not asked for.
}

TEST(RequestHead, CredentialsHaveToBeAHeaderLine) {
  FetchOptions options = TestOptions();
  options.credentials = {{"http://127.0.0.1", "5ecret"}};
  const auto context = FetchContext::Create(options);
  ASSERT_FALSE(context.ok());
  EXPECT_EQ(context.status().message().find("5ecret"), std::string::npos);
}

}  // namespace
}  // namespace crawler

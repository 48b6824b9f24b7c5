// What hostile servers do with content and time: H134 to H166 of the checklist, as far as it is
// the fetcher's business.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <set>

#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

std::string Response(std::string_view head, std::string_view body) {
  return "HTTP/1.1 200 OK\r\n" + std::string(head) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

TEST(HostileContent, H134MissingOrWrongTypes) {
  EXPECT_EQ(FetchReply(Response("", "just text")).body(), "just text");
  const FetchResult png = FetchReply(Response("", "\x89PNG\r\n\x1a\n\x01\x02"));
  EXPECT_EQ(png.failure, FetchFailure::kUnwantedType);
  EXPECT_TRUE(png.body().empty());
  EXPECT_TRUE(FetchReply(Response("Content-Type: text/plain\r\n", "<html>")).ok());
  EXPECT_TRUE(FetchReply(Response("Content-Type: nonsense\r\n", "text")).ok());
}

TEST(HostileContent, H152UnwantedTypesAreDroppedAtTheHead) {
  for (const char* type : {"application/pdf", "video/mp4", "IMAGE/PNG; x=y", "application/zip"}) {
    HostileServer server([&](HostileConnection& connection) {
      connection.ReadRequest();
      connection.Send("HTTP/1.1 200 OK\r\nContent-Type: " + std::string(type) + "\r\n\r\n");
      while (connection.Send(std::string(10'000, 'x'))) {
      }
    });
    const FetchResult result = Fetch(server.Url());
    EXPECT_EQ(result.failure, FetchFailure::kUnwantedType) << type;
    EXPECT_EQ(result.status, 200);
    EXPECT_TRUE(result.raw_body.empty());
  }
}

TEST(HostileContent, SmallUnwantedBodiesKeepTheConnection) {
  HostileServer server(HostileServer::Always(Response("Content-Type: image/png\r\n", "small")));
  Session session;
  EXPECT_EQ(session.Fetch(server.Url()).failure, FetchFailure::kUnwantedType);
  const FetchResult second = session.Fetch(server.Url());
  EXPECT_EQ(second.failure, FetchFailure::kUnwantedType);
  EXPECT_TRUE(second.reused_connection);
  EXPECT_TRUE(second.raw_body.empty());
}

TEST(HostileContent, AnyTypeIsTakenWhenAskedFor) {
  HostileServer server(
      HostileServer::Always(Response("Content-Type: application/octet-stream\r\n", "Disallow:")));
  FetchRequest request = RequestFor(server.Url("/robots.txt"));
  request.any_type = true;
  EXPECT_EQ(Fetch(request).body(), "Disallow:");
}

TEST(HostileContent, H149LargeBodiesAreCutAtTheLimitOfTheRequest) {
  HostileServer server(
      HostileServer::Always(Response("Content-Type: text/plain\r\n", std::string(20'000, 'x'))));
  FetchRequest request = RequestFor(server.Url("/robots.txt"));
  request.max_body = 5'000;
  const FetchResult cut = Fetch(request);
  EXPECT_EQ(cut.failure, FetchFailure::kTooLarge);
  EXPECT_EQ(cut.truncated, Truncation::kLength);
  EXPECT_EQ(cut.body(), std::string(5'000, 'x'));
  FetchOptions options = TestOptions();
  options.limits.max_body = options.limits.max_decoded = 1'000;
  EXPECT_EQ(Fetch(request, options).body(), std::string(5'000, 'x'))
      << "robots.txt and sitemaps have limits of their own";
  request.max_body = 0;
  EXPECT_EQ(Fetch(request, options).body(), std::string(1'000, 'x'));
}

TEST(HostileContent, BodiesOverTheLimitAreCutWhetherTheirLengthIsAnnouncedOrNot) {
  const std::string body(20'000, 'x');
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
  for (const std::string& reply :
       {head + "Content-Length: 20000\r\n\r\n" + body, head + "\r\n" + body,
        head + "Transfer-Encoding: chunked\r\n\r\n4e20\r\n" + body + "\r\n0\r\n\r\n"}) {
    HostileServer server(HostileServer::Reply(reply));
    FetchOptions options = TestOptions();
    options.limits.max_body = options.limits.max_decoded = 5'000;
    const FetchResult result = Fetch(server.Url(), options);
    EXPECT_EQ(result.failure, FetchFailure::kTooLarge) << result.message;
    EXPECT_EQ(result.truncated, Truncation::kLength);
    EXPECT_GE(result.body().size(), 4'900u) << "the framing of chunks counts";
    EXPECT_LE(result.body().size(), 5'000u);
  }
}

TEST(HostileContent, H145LongUrlsAreSent) {
  HostileServer server(HostileServer::Always(OkResponse("ok")));
  for (const std::size_t size :
       {std::size_t{2} << 10, std::size_t{8} << 10, std::size_t{64} << 10}) {
    EXPECT_EQ(Fetch(server.Url("/" + std::string(size, 'x'))).body(), "ok");
  }
}

TEST(HostileContent, H154CookiesAreKeptOnlyWhenAskedFor) {
  HostileServer server(HostileServer::Always(OkResponse("ok", "Set-Cookie: session=1\r\n")));
  for (const bool cookies : {false, true}) {
    FetchOptions options = TestOptions();
    options.cookies = cookies;
    Session session(options);
    session.Fetch(server.Url());
    session.Fetch(server.Url());
    EXPECT_EQ(server.requests().back().find("Cookie: session=1") != std::string::npos, cookies);
  }
}

TEST(HostileContent, H156ChallengesAreRecorded) {
  const FetchResult result = FetchReply(
      "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: "
      "2\r\n\r\nno");
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.status, 401);
  EXPECT_EQ(
      FetchReply("HTTP/1.1 407 Proxy\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
          .status,
      407);
}

TEST(HostileContent, H157SwitchingProtocolsIsRefused) {
  const FetchResult result = FetchReply(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81");
  EXPECT_EQ(result.failure, FetchFailure::kProtocol) << result.message;
}

TEST(HostileContent, H158RangesNobodyAskedFor) {
  const FetchResult part = FetchReply(
      "HTTP/1.1 206 Partial Content\r\nContent-Type: text/html\r\nContent-Range: bytes "
      "0-1/100\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_TRUE(part.ok());
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body(), "hi");
  EXPECT_EQ(FetchReply("HTTP/1.1 416 No\r\nContent-Length: 0\r\n\r\n").status, 416);
}

TEST(HostileContent, H159EmptyAnswersToAFirstVisit) {
  for (const int status : {204, 205, 304}) {
    const FetchResult result =
        FetchReply("HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Length: 0\r\n\r\n");
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.status, status);
    EXPECT_TRUE(result.body().empty());
  }
}

TEST(HostilePoliteness, H160ASlowHostDoesNotBlockOthers) {
  HostileServer slow([](HostileConnection& connection) { connection.Stall(); });
  HostileServer quick(HostileServer::Always(OkResponse("quick")));
  FetchOptions options = TestOptions();
  options.limits.response = milliseconds(1'000);
  auto resolver = LocalHost("site.test");
  resolver->NeverAnswer("silent.test");
  options.resolver = resolver;
  Session session(options);
  int slow_done = 0, quick_done = 0, quick_before_slow = 0;
  for (int i = 0; i < 5; ++i) {
    session.fetcher().Start(RequestFor(slow.Url()), [&](FetchResult) { ++slow_done; });
    session.fetcher().Start(RequestFor("http://silent.test/"), [&](FetchResult) { ++slow_done; });
  }
  for (int i = 0; i < 300; ++i) {
    session.fetcher().Start(RequestFor(quick.Url()), [&](FetchResult result) {
      EXPECT_EQ(result.body(), "quick") << result.message;
      ++quick_done;
      if (slow_done == 0) ++quick_before_slow;
    });
  }
  session.fetcher().RunUntilIdle();
  EXPECT_EQ(slow_done, 10);
  EXPECT_EQ(quick_done, 300);
  EXPECT_EQ(quick_before_slow, 300);
}

TEST(HostilePoliteness, H165FewDescriptorsFailCleanly) {
  HostileServer server([](HostileConnection& connection) {
    while (!connection.ReadRequest().empty()) {
      connection.Sleep(milliseconds(100));  // So that connections pile up.
      connection.Send(OkResponse("ok"));
    }
  });
  FetchOptions options = TestOptions();
  options.limits.max_transfers_per_host = 200;
  options.limits.response = milliseconds(4'000);
  Session session(options);
  ASSERT_EQ(session.Fetch(server.Url()).body(), "ok");  // All that is opened once is open.
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  int good = 0, local = 0, other = 0;
  for (int i = 0; i < 150; ++i) {
    session.fetcher().Start(RequestFor(server.Url()), [&](FetchResult result) {
      if (result.ok()) {
        ++good;
      } else if (result.failure == FetchFailure::kLocal) {
        ++local;
      } else {
        ++other;
      }
    });
  }
  for (int i = 0; i < 50 && session.fetcher().pending() > 0; ++i) {
    session.fetcher().Poll(milliseconds(20));
  }
  setrlimit(RLIMIT_NOFILE, &before);
  session.fetcher().RunUntilIdle();
  EXPECT_GT(local, 0) << good << " " << other;
  EXPECT_EQ(good + local + other, 150);
  EXPECT_EQ(session.Fetch(server.Url()).body(), "ok");
}

}  // namespace
}  // namespace crawler

#include "fetch/http_fetcher.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "web/compress.hpp"
#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

TEST(HttpFetcher, FillsInTheResult) {
  HostileServer server(HostileServer::Always(OkResponse("hello", "ETag: \"1\"\r\n")));
  const WallTime before = Clock::System().WallNow();
  const FetchResult result = Fetch(server.Url("/page"));
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.url.path(), "/page");
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.protocol, HttpVersion::kHttp11);
  EXPECT_EQ(result.headers.Find("etag"), "\"1\"");
  EXPECT_EQ(result.headers.raw(),
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nETag: "
            "\"1\"\r\n\r\n");
  EXPECT_EQ(result.body(), "hello");
  EXPECT_EQ(result.remote_address->ToString(), "127.0.0.1");
  EXPECT_EQ(result.remote_port, server.port());
  EXPECT_EQ(result.tls_version, "");
  EXPECT_GE(result.started, before);
  EXPECT_GT(result.timings.connected.count(), 0);
  EXPECT_GE(result.timings.first_byte, result.timings.connected);
  EXPECT_GE(result.timings.total, result.timings.first_byte);
}

TEST(HttpFetcher, CallbacksComeFromPollAndMayStartMore) {
  HostileServer server(HostileServer::Always(OkResponse("x")));
  Session session;
  Fetcher& fetcher = session.fetcher();
  int done = 0;
  std::function<void(FetchResult)> again = [&](FetchResult) {
    if (++done < 20) fetcher.Start(RequestFor(server.Url()), again);
  };
  fetcher.Start(RequestFor(server.Url()), again);
  EXPECT_EQ(done, 0);
  EXPECT_EQ(fetcher.pending(), 1u);
  fetcher.RunUntilIdle();
  EXPECT_EQ(done, 20);
  EXPECT_EQ(server.connections(), 1);
}

// Answers requests and counts how many servers work on at the same time.
class RequestCounter {
 public:
  HostileServer::Script Answer() {
    return [this](HostileConnection& connection) {
      while (!connection.ReadRequest().empty()) {
        most_ = std::max(most_.load(), ++now_);
        connection.Sleep(milliseconds(10));
        --now_;
        connection.Send(OkResponse("x"));
      }
    };
  }
  int most() const { return most_; }

 private:
  std::atomic<int> now_{0}, most_{0};
};

TEST(HttpFetcher, KeepsTheLimitPerHost) {
  RequestCounter counter;
  HostileServer server(counter.Answer());
  FetchOptions options = TestOptions();
  options.limits.max_transfers_per_host = 3;
  Session session(options);
  int done = 0;
  for (int i = 0; i < 30; ++i) {
    session.fetcher().Start(RequestFor(server.Url()), [&](FetchResult) { ++done; });
  }
  session.fetcher().RunUntilIdle();
  EXPECT_EQ(done, 30);
  EXPECT_LE(counter.most(), 3);
  EXPECT_LE(server.connections(), 3);
}

TEST(HttpFetcher, KeepsTheLimitInAll) {
  RequestCounter counter;
  HostileServer one(counter.Answer()), two(counter.Answer());
  FetchOptions options = TestOptions();
  options.limits.max_transfers = 2;
  Session session(options);
  int done = 0;
  for (int i = 0; i < 10; ++i) {
    session.fetcher().Start(RequestFor(one.Url()), [&](FetchResult) { ++done; });
    session.fetcher().Start(RequestFor(two.Url()), [&](FetchResult) { ++done; });
  }
  session.fetcher().RunUntilIdle();
  EXPECT_EQ(done, 20);
  EXPECT_LE(counter.most(), 2);
}

TEST(HttpFetcher, HostsTakeTurns) {
  HostileServer one(HostileServer::Always(OkResponse("x"), milliseconds(5)));
  HostileServer two(HostileServer::Always(OkResponse("x"), milliseconds(5)));
  FetchOptions options = TestOptions();
  options.limits.max_transfers = 1;
  Session session(options);
  std::string order;
  for (int i = 0; i < 4; ++i) {
    session.fetcher().Start(RequestFor(one.Url()), [&](FetchResult) { order += '1'; });
  }
  for (int i = 0; i < 4; ++i) {
    session.fetcher().Start(RequestFor(two.Url()), [&](FetchResult) { order += '2'; });
  }
  session.fetcher().RunUntilIdle();
  EXPECT_EQ(order, "12121212");
}

TEST(HttpFetcher, LooksANameUpOnceForManyRequests) {
  HostileServer server(HostileServer::Always(OkResponse("x")));
  FetchOptions options = TestOptions();
  auto resolver = LocalHost("site.test");
  options.resolver = resolver;
  Session session(options);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(session.Fetch(server.UrlFor("site.test")).body(), "x");
  }
  EXPECT_EQ(resolver->lookups("site.test"), 1);
}

TEST(HttpFetcher, ManyHostNames) {  // More than libcurl is told at a time.
  HostileServer server(HostileServer::Always(OkResponse("x", "Connection: close\r\n")));
  FetchOptions options = TestOptions();
  // All at once, on a machine that may be busy.
  options.limits.connect = options.limits.response = options.limits.total =
      std::chrono::seconds(60);
  auto resolver = std::make_shared<TableResolver>();
  options.resolver = resolver;
  Session session(options);
  int good = 0;
  for (int i = 0; i < 700; ++i) {
    const std::string host = "h" + std::to_string(i) + ".test";
    resolver->Add(host, {"127.0.0.1"});
    session.fetcher().Start(RequestFor(server.UrlFor(host)),
                            [&](FetchResult result) { good += result.ok() ? 1 : 0; });
  }
  session.fetcher().RunUntilIdle();
  EXPECT_EQ(good, 700);
  EXPECT_EQ(session.Fetch(server.UrlFor("h0.test")).body(), "x");
  EXPECT_EQ(session.Fetch(server.UrlFor("h1.test.")).failure, FetchFailure::kDns);
}

TEST(HttpFetcher, NamesWithADotAtTheEnd) {
  HostileServer server(HostileServer::Always(OkResponse("x")));
  FetchOptions options = TestOptions();
  options.resolver = LocalHost("site.test.");
  EXPECT_EQ(Fetch(server.UrlFor("site.test."), options).body(), "x");
}

TEST(HttpFetcher, CancelAllEndsEverythingOnce) {
  HostileServer server([](HostileConnection& connection) { connection.Stall(); });
  FetchOptions options = TestOptions();
  options.limits.max_transfers_per_host = 2;
  auto resolver = LocalHost("x.test");
  resolver->NeverAnswer("silent.test");
  options.resolver = resolver;
  Session session(options);
  int cancelled = 0;
  const auto count = [&](FetchResult result) {
    cancelled += result.failure == FetchFailure::kCancelled ? 1 : 0;
  };
  for (int i = 0; i < 6; ++i) session.fetcher().Start(RequestFor(server.Url()), count);
  session.fetcher().Start(RequestFor("http://silent.test/"), count);
  session.fetcher().Poll(milliseconds(20));
  session.fetcher().Start(RequestFor(server.Url()), count);
  session.fetcher().CancelAll();
  session.fetcher().RunUntilIdle();
  EXPECT_EQ(cancelled, 8);
  EXPECT_EQ(session.fetcher().pending(), 0u);
}

TEST(HttpFetcher, GoesAwayWithTransfersUnderWay) {
  HostileServer server([](HostileConnection& connection) { connection.Stall(); });
  FetchOptions options = TestOptions();
  auto resolver = LocalHost("x.test");
  resolver->NeverAnswer("silent.test");
  options.resolver = resolver;
  bool called = false;
  {
    Session session(options);
    session.fetcher().Start(RequestFor(server.Url()), [&](FetchResult) { called = true; });
    session.fetcher().Start(RequestFor("http://silent.test/"), [&](FetchResult) { called = true; });
    session.fetcher().Poll(milliseconds(20));
  }
  EXPECT_FALSE(called);
}

TEST(HttpFetcher, WakeupEndsAPoll) {
  Session session;
  std::thread waker([&] {
    std::this_thread::sleep_for(milliseconds(50));
    session.fetcher().Wakeup();
  });
  const auto start = std::chrono::steady_clock::now();
  session.fetcher().Poll(std::chrono::seconds(10));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  waker.join();
}

TEST(HttpFetcher, SeveralShareAContext) {
  HostileServer server(HostileServer::Always(OkResponse("x", "Set-Cookie: a=1\r\n")));
  FetchOptions options = TestOptions();
  options.cookies = true;
  options.resolver = LocalHost("site.test");
  const auto context = FetchContext::Create(options).value();
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const std::unique_ptr<Fetcher> fetcher = std::move(HttpFetcher::Create(context)).value();
      for (int i = 0; i < 50; ++i) {
        fetcher->Start(RequestFor(server.UrlFor("site.test")),
                       [&](FetchResult result) { good += result.body() == "x" ? 1 : 0; });
      }
      fetcher->RunUntilIdle();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 200);
}

TEST(HttpFetcher, DecodingCanBeLeftToTheCaller) {
  const std::string coded = Gzip("text");
  HostileServer server(HostileServer::Always(OkResponse(coded, "Content-Encoding: gzip\r\n")));
  FetchOptions options = TestOptions();
  options.decode = false;
  FetchResult result = Fetch(server.Url(), options);
  EXPECT_EQ(result.raw_body, coded);
  EXPECT_EQ(result.body(), coded);
}

}  // namespace
}  // namespace crawler

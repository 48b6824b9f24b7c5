// What hostile servers do to connections: H001 to H020 of the checklist.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "web/fetch_testing.hpp"
#include "web/free_port.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

using namespace std::literals;

using std::chrono::milliseconds;

TEST(HostileConnection, H001PortClosedFailsFast) {
  HostileServer other(HostileServer::Reply(OkResponse("fine")));
  Session session;
  const auto start = std::chrono::steady_clock::now();
  const FetchResult refused = session.Fetch("http://127.0.0.1:" + std::to_string(FreePort()) + "/");
  EXPECT_EQ(refused.failure, FetchFailure::kRefused) << refused.message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(1'000));
  EXPECT_EQ(session.Fetch(other.Url()).body(), "fine");
}

TEST(HostileConnection, H002DroppedSynIsAConnectTimeout) {
  HostileServer::Options silent;
  silent.accept = false;
  silent.backlog = 0;
  HostileServer server([](HostileConnection&) {}, silent);
  // With its backlog full, the kernel answers no further SYN.
  std::vector<int> fillers;
  for (int i = 0; i < 4; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    fillers.push_back(fd);
  }
  std::this_thread::sleep_for(milliseconds(50));
  FetchOptions options = TestOptions();
  options.limits.connect = milliseconds(200);
  const FetchResult result = Fetch(server.Url(), options);
  EXPECT_EQ(result.failure, FetchFailure::kConnectTimeout) << result.message;
  for (const int fd : fillers) close(fd);
}

TEST(HostileConnection, H003SilenceIsAResponseTimeout) {
  HostileServer server([](HostileConnection& connection) { connection.Stall(); });
  FetchOptions options = TestOptions();
  options.limits.response = milliseconds(200);
  const FetchResult result = Fetch(server.Url(), options);
  EXPECT_EQ(result.failure, FetchFailure::kResponseTimeout) << result.message;
  EXPECT_EQ(result.status, 0);
}

TEST(HostileConnection, H004ClosedAtOnceIsDisconnected) {
  HostileServer server([](HostileConnection&) {});
  const FetchResult result = Fetch(server.Url());
  EXPECT_EQ(result.failure, FetchFailure::kDisconnected) << result.message;
}

TEST(HostileConnection, H005ResetInTheBodyKeepsWhatCame) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nhalf");
    connection.Sleep(milliseconds(50));
    connection.Reset();
  });
  Session session;
  const FetchResult result = session.Fetch(server.Url());
  EXPECT_EQ(result.failure, FetchFailure::kDisconnected) << result.message;
  EXPECT_EQ(result.truncated, Truncation::kDisconnect);
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body(), "half");
  EXPECT_FALSE(session.Fetch(server.Url()).reused_connection);
}

TEST(HostileConnection, H006SlowStatusLineHitsTheDeadlineOfTheHead) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Drip("HTTP/1.1 200 OK and many, many more words to come", milliseconds(20));
  });
  FetchOptions options = TestOptions();
  options.limits.response = milliseconds(300);
  const FetchResult result = Fetch(server.Url(), options);
  EXPECT_EQ(result.failure, FetchFailure::kResponseTimeout) << result.message;
}

TEST(HostileConnection, H007SlowBodyHitsTheMinimumSpeed) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    while (connection.Drip("x", milliseconds(20))) {
    }
  });
  FetchOptions options = TestOptions();
  options.limits.speed_window = milliseconds(200);
  options.limits.min_bytes_per_window = 100;
  const FetchResult slow = Fetch(server.Url(), options);
  EXPECT_EQ(slow.failure, FetchFailure::kReadTimeout) << slow.message;
  EXPECT_EQ(slow.truncated, Truncation::kTime);
  EXPECT_EQ(slow.body().substr(0, 3), "xxx");

  options.limits.min_bytes_per_window = 0;  // Any pace will do, but not for ever.
  options.limits.total = milliseconds(400);
  const FetchResult long_one = Fetch(server.Url(), options);
  EXPECT_EQ(long_one.failure, FetchFailure::kReadTimeout) << long_one.message;
}

TEST(HostileConnection, H008StallBehindTheHeadIsAReadTimeout) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n");
    connection.Stall();
  });
  FetchOptions options = TestOptions();
  options.limits.speed_window = milliseconds(200);
  const FetchResult result = Fetch(server.Url(), options);
  EXPECT_EQ(result.failure, FetchFailure::kReadTimeout) << result.message;
  EXPECT_EQ(result.status, 200);
}

TEST(HostileConnection, H009EndlessBodyIsCut) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    while (connection.Send(std::string(10'000, 'x'))) {
    }
  });
  FetchOptions options = TestOptions();
  options.limits.max_body = 100'000;
  const FetchResult result = Fetch(server.Url(), options);
  EXPECT_EQ(result.failure, FetchFailure::kTooLarge) << result.message;
  EXPECT_EQ(result.truncated, Truncation::kLength);
  EXPECT_EQ(result.body().size(), 100'000u);
}

TEST(HostileConnection, H010EndlessInformationalResponses) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    while (connection.Send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")) {
    }
  });
  const FetchResult result = Fetch(server.Url());
  EXPECT_EQ(result.failure, FetchFailure::kProtocol) << result.message;

  HostileServer few(
      HostileServer::Reply("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b"
                           "\r\n\r\n" +
                           OkResponse("at last")));
  const FetchResult good = Fetch(few.Url());
  EXPECT_EQ(good.body(), "at last") << good.message;
  EXPECT_EQ(good.headers.Find("A"), std::nullopt);
  HostileServer unfinished(HostileServer::Reply("HTTP/1.1 100 Continue\r\n\r\n"));  // curl 1480
  EXPECT_FALSE(Fetch(unfinished.Url()).ok());
}

TEST(HostileConnection, H011OpenBehindACloseDelimitedBodyKeepsTheBody) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nall there is");
    connection.Stall();
  });
  FetchOptions options = TestOptions();
  options.limits.speed_window = milliseconds(200);
  const FetchResult result = Fetch(server.Url(), options);
  EXPECT_EQ(result.failure, FetchFailure::kReadTimeout) << result.message;
  EXPECT_EQ(result.body(), "all there is");
}

TEST(HostileConnection, H012UnsolicitedSecondResponseIsDiscarded) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send(OkResponse("asked for") + OkResponse("not asked for"));
    connection.Stall();
  });
  Session session;
  EXPECT_EQ(session.Fetch(server.Url()).body(), "asked for");
  EXPECT_EQ(session.Fetch(server.Url()).body(), "asked for");
  EXPECT_EQ(server.connections(), 2);
}

TEST(HostileConnection, H013GarbageBehindAResponseEndsTheConnection) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send(OkResponse("fine"));
    connection.Sleep(milliseconds(20));
    connection.Send("garbage without end");
    connection.Stall();
  });
  Session session;
  EXPECT_EQ(session.Fetch(server.Url()).body(), "fine");
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_EQ(session.Fetch(server.Url()).body(), "fine");
  EXPECT_EQ(server.connections(), 2);
}

TEST(HostileConnection, H014FallsBackFromDeadIpv6) {
  HostileServer server(HostileServer::Reply(OkResponse("over v4")));
  FetchOptions options = TestOptions();
  auto resolver = std::make_shared<TableResolver>();
  resolver->Add("dual.test", {"::1", "127.0.0.1"});  // Nobody listens at the first one.
  options.resolver = resolver;
  const FetchResult result = Fetch(server.UrlFor("dual.test"), options);
  EXPECT_EQ(result.body(), "over v4") << result.message;
  EXPECT_EQ(result.remote_address->ToString(), "127.0.0.1");
}

TEST(HostileConnection, H015ManyDeadAddressesFailInBoundedTime) {
  auto resolver = std::make_shared<TableResolver>();
  std::vector<std::string> addresses;
  for (int i = 1; i <= 8; ++i) addresses.push_back("127.0.1." + std::to_string(i));
  resolver->Add("many.test", addresses);
  FetchOptions options = TestOptions();
  options.limits.connect = milliseconds(10'000);  // For a busy machine; it takes 1.5 s.
  options.limits.total = milliseconds(12'000);
  options.resolver = resolver;
  const auto start = std::chrono::steady_clock::now();
  const FetchResult result = Fetch("http://many.test:" + std::to_string(FreePort()) + "/", options);
  EXPECT_EQ(result.failure, FetchFailure::kRefused) << result.message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(10'000));
}

TEST(HostileConnection, H016NamesThatDoNotResolve) {
  FetchOptions options = TestOptions();
  auto resolver = LocalHost("good.test");
  resolver->NeverAnswer("slow.test");
  options.resolver = resolver;
  options.limits.connect = milliseconds(200);
  const FetchResult missing = Fetch("http://missing.test/", options);
  EXPECT_EQ(missing.failure, FetchFailure::kDns);
  EXPECT_EQ(missing.message, "no such name");
  const FetchResult slow = Fetch("http://slow.test/", options);
  EXPECT_EQ(slow.failure, FetchFailure::kDns);
}

TEST(HostileConnection, H017NamesTooLongForDnsAreNotLookedUp) {
  FetchOptions options = TestOptions();
  auto resolver = std::make_shared<TableResolver>();
  options.resolver = resolver;
  const std::string label(64, 'a');
  EXPECT_EQ(Fetch("http://" + label + ".test/", options).failure, FetchFailure::kDns);
  EXPECT_EQ(resolver->lookups(label + ".test"), 0);
  std::string host;
  for (int i = 0; i < 64; ++i) host += "abc.";
  EXPECT_EQ(Fetch("http://" + host + "test/", options).failure, FetchFailure::kDns);
  EXPECT_EQ(resolver->lookups(host + "test"), 0);
}

TEST(HostileConnection, H018ClosedKeepAliveIsRetriedOnce) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send(OkResponse("answer " + std::to_string(connection.number)));
    connection.ReadRequest();  // The second one on this connection gets no answer.
  });
  Session session;
  EXPECT_EQ(session.Fetch(server.Url()).body(), "answer 1");
  const FetchResult second = session.Fetch(server.Url());
  EXPECT_EQ(second.body(), "answer 2") << second.message;
}

TEST(HostileConnection, H019OtherProtocolsOnThePlainPort) {
  const std::string tls = "\x15\x03\x03\x00\x02\x02\x46"s;
  const std::string h2 = "\x00\x00\x12\x04\x00\x00\x00\x00\x00PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"s;
  for (const std::string& bytes : {tls, h2, std::string("SSH-2.0-OpenSSH_9\r\n")}) {
    HostileServer server(HostileServer::Reply(bytes));
    const FetchResult result = Fetch(server.Url());
    EXPECT_EQ(result.failure, FetchFailure::kProtocol) << result.message;
  }
}

TEST(HostileConnection, H020PlainHttpOnTheTlsPort) {
  HostileServer server([](HostileConnection& connection) { connection.Send(OkResponse("plain")); });
  const FetchResult result = Fetch("https://127.0.0.1:" + std::to_string(server.port()) + "/");
  EXPECT_EQ(result.failure, FetchFailure::kTls) << result.message;
}

// Descriptors that this process has open.
std::size_t OpenFiles() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

TEST(IdleConnections, AreKeptForEveryHost) {
  HostileServer server(HostileServer::Always(OkResponse("x")));
  FetchOptions options = TestOptions();
  auto resolver = std::make_shared<TableResolver>();
  options.resolver = resolver;
  Session session(options);
  constexpr int kHosts = 100;
  for (int i = 0; i < kHosts; ++i) {
    resolver->Add("h" + std::to_string(i) + ".test", {"127.0.0.1"});
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kHosts; ++i) {
      const FetchResult result = session.Fetch(server.UrlFor("h" + std::to_string(i) + ".test"));
      EXPECT_EQ(result.body(), "x") << result.message;
      EXPECT_EQ(result.reused_connection, round > 0);
    }
  }
  EXPECT_EQ(server.connections(), kHosts);
}

TEST(IdleConnections, TheLeastRecentlyUsedIsClosedFirst) {
  const std::string reply = OkResponse("x");
  HostileServer a(HostileServer::Always(reply)), b(HostileServer::Always(reply)),
      c(HostileServer::Always(reply));
  FetchOptions options = TestOptions();
  options.limits.max_idle_connections = 2;
  Session session(options);
  const auto reused = [&](const HostileServer& server) {
    return session.Fetch(server.Url()).reused_connection;
  };
  EXPECT_FALSE(reused(a));
  EXPECT_FALSE(reused(b));
  EXPECT_TRUE(reused(a));
  EXPECT_FALSE(reused(c));  // Closes that of b.
  EXPECT_TRUE(reused(a));
  EXPECT_TRUE(reused(c));
  EXPECT_FALSE(reused(b));
}

TEST(IdleConnections, AreClosedWhenTheServerClosesThem) {
  std::atomic<bool> close_now{false};
  HostileServer server([&](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send(OkResponse("x"));
    while (!close_now && !connection.gone()) connection.Sleep(milliseconds(1));
  });
  Session session;
  session.Fetch(server.Url());
  const std::size_t before = OpenFiles();
  close_now = true;
  // The descriptors of both sides go.
  for (int i = 0; i < 2'000 && OpenFiles() > before - 2; ++i) {
    session.fetcher().Poll(milliseconds(1));
  }
  EXPECT_LE(OpenFiles(), before - 2);
}

TEST(IdleConnections, WithCookiesTheyAreKeptAsWell) {
  HostileServer one(HostileServer::Always(OkResponse("x"))),
      two(HostileServer::Always(OkResponse("x")));
  FetchOptions options = TestOptions();
  options.cookies = true;
  Session session(options);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(session.Fetch(one.Url()).reused_connection, i > 0);
    EXPECT_EQ(session.Fetch(two.Url()).reused_connection, i > 0);
  }
}

}  // namespace
}  // namespace crawler

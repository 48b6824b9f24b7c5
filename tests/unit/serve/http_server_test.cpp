#include "serve/http_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace crawler {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

int Connect(int port) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  EXPECT_EQ(0, connect(client, reinterpret_cast<const sockaddr*>(&to), sizeof to));
  return client;
}

std::string ReadAll(int client) {
  std::string text;
  char piece[4096];
  for (ssize_t size = 0; (size = recv(client, piece, sizeof piece, 0)) > 0;) {
    text.append(piece, static_cast<std::size_t>(size));
  }
  close(client);
  return text;
}

std::string Exchange(int port, const std::string& data) {
  const int client = Connect(port);
  EXPECT_EQ(static_cast<ssize_t>(data.size()),
            send(client, data.data(), data.size(), MSG_NOSIGNAL));
  shutdown(client, SHUT_WR);
  return ReadAll(client);
}

std::optional<HttpResponse> Allow(const HttpRequest&) { return std::nullopt; }

HttpResponse Echo(const HttpRequest& request) {
  HttpResponse response;
  response.type = "text/plain";
  response.body = request.method + " " + request.path + " " + std::string(request.Parameter("q")) +
                  " " + request.body;
  return response;
}

TEST(HttpServer, AnswersSeveralThreads) {
  HttpServer server(Allow, Echo);
  ASSERT_TRUE(server.Listen("127.0.0.1", 0).ok());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&server, i] {
      for (int k = 0; k < 10; ++k) {
        const std::string answer =
            Exchange(server.port(), "GET /x?q=" + std::to_string(i) +
                                        " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
        EXPECT_THAT(answer, HasSubstr("\r\n\r\nGET /x " + std::to_string(i) + " "));
        EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpServer, KeepsAConnection) {
  HttpServer server(Allow, Echo);
  ASSERT_TRUE(server.Listen("127.0.0.1", 0).ok());
  const std::string answers = Exchange(server.port(),
                                       "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 "
                                       "HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
                                       "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answers, HasSubstr("GET /1"));
  EXPECT_THAT(answers, HasSubstr("POST /2  body"));
  EXPECT_THAT(answers, HasSubstr("GET /3"));
}

TEST(HttpServer, BoundsHeadAndBody) {
  HttpLimits limits;
  limits.head = 1'000;
  limits.body = 100;
  HttpServer server(Allow, Echo, limits);
  ASSERT_TRUE(server.Listen("127.0.0.1", 0).ok());
  std::string large = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 100; ++i) large += "X-" + std::to_string(i) + ": 0123456789\r\n";
  EXPECT_THAT(Exchange(server.port(), large + "\r\n"), StartsWith("HTTP/1.1 400 "));
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n";
  EXPECT_THAT(Exchange(server.port(), head + std::string(101, 'x')), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, RefusesBeforeTheBody) {
  std::atomic<int> handled{0};
  HttpServer server(
      [](const HttpRequest&) { return std::optional<HttpResponse>(ErrorResponse(403, "no")); },
      [&handled](const HttpRequest& request) {
        ++handled;
        return Echo(request);
      });
  ASSERT_TRUE(server.Listen("127.0.0.1", 0).ok());
  EXPECT_THAT(Exchange(server.port(), "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_EQ(0, handled.load());
}

TEST(HttpServer, SlowRequestsAreCutOff) {
  HttpLimits limits;
  limits.request_time = std::chrono::seconds(1);
  HttpServer server(Allow, Echo, limits);
  ASSERT_TRUE(server.Listen("127.0.0.1", 0).ok());
  const int client = Connect(server.port());
  ASSERT_EQ(5, send(client, "GET /", 5, MSG_NOSIGNAL));
  ReadAll(client);  // Ends, although the request does not.
}

TEST(HttpServer, StopEndsStreamsAndIdleConnections) {
  std::atomic<bool> began{false};
  HttpServer server(Allow, [&began](const HttpRequest&) {
    HttpResponse response;
    response.stream = [&began](const HttpWrite& write) {
      while (write("more\n")) {
        began = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    return response;
  });
  ASSERT_TRUE(server.Listen("127.0.0.1", 0).ok());
  const int idle = Connect(server.port());
  const int client = Connect(server.port());
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  send(client, request.data(), request.size(), MSG_NOSIGNAL);
  std::thread reader([client] { ReadAll(client); });
  while (!began.load()) std::this_thread::yield();
  server.Stop();
  reader.join();
  ReadAll(idle);
}

TEST(HttpServer, SaysWhereItCannotListen) {
  HttpServer server(Allow, Echo);
  EXPECT_EQ(StatusCode::kInvalidArgument, server.Listen("localhost", 0).code());
  ASSERT_TRUE(server.Listen("127.0.0.1", 0).ok());
  HttpServer second(Allow, Echo);
  EXPECT_EQ(StatusCode::kIoError, second.Listen("127.0.0.1", server.port()).code());
}

}  // namespace
}  // namespace crawler

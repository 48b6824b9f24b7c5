// Bodies that are large and slow, many at a time.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kBody = 3'000'000;

// Sends a body of kBody bytes but for the last one, and then nothing, unless `path` is /quick.
void SendMost(HostileConnection& connection) {
  const std::string request = connection.ReadRequest();
  connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " +
                  std::to_string(kBody) + "\r\n\r\n");
  connection.Send(std::string(kBody - 1, 'x'));
  if (request.find("/quick") == std::string::npos) connection.Stall();
  connection.Send("x");
}

TEST(FetchMemory, BodiesThatHoldMostForLongestAreGivenUp) {
  HostileServer server(SendMost);
  FetchOptions options = TestOptions();
  options.memory = std::make_shared<MemoryBudget>(20'000'000);
  options.limits.max_transfers_per_host = 100;
  options.limits.total = std::chrono::seconds(3);
  options.limits.speed_window = std::chrono::seconds(3);
  Session session(options);
  std::size_t most = 0;
  int no_room = 0, too_slow = 0;
  for (int i = 0; i < 20; ++i) {
    session.fetcher().Start(RequestFor(server.Url("/slow")), [&](FetchResult result) {
      no_room += result.failure == FetchFailure::kNoRoom;
      too_slow += result.failure == FetchFailure::kReadTimeout;
      EXPECT_EQ(result.body().empty(), result.failure == FetchFailure::kNoRoom);
    });
  }
  while (session.fetcher().pending() > 0) {
    session.fetcher().Poll(milliseconds(10));
    most = std::max(most, options.memory->used());
  }
  EXPECT_EQ(no_room + too_slow, 20);
  EXPECT_GE(no_room, 14);
  EXPECT_GE(too_slow, 2) << "those that have room are waited for";
  EXPECT_LE(most, options.memory->limit() * 3 / 2);
  EXPECT_EQ(options.memory->used(), 0u) << "everything is given back";
  EXPECT_EQ(session.Fetch(server.Url("/quick")).body().size(), kBody);
}

// The body comes in pieces for about a second, or stalls before its end.
void SendSteadily(HostileConnection& connection) {
  const bool steady = connection.ReadRequest().find("/steady") != std::string::npos;
  connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " +
                  std::to_string(kBody) + "\r\n\r\n");
  if (!steady) {
    connection.Send(std::string(kBody - 1, 'x'));
    connection.Stall();
    return;
  }
  for (int i = 0; i < 20; ++i) {
    connection.Send(std::string(kBody / 20, 'x'));
    std::this_thread::sleep_for(milliseconds(50));
  }
}

TEST(FetchMemory, BodiesThatMakeProgressAreKeptBesideStalledOnes) {
  HostileServer server(SendSteadily);
  FetchOptions options = TestOptions();
  options.memory = std::make_shared<MemoryBudget>(40'000'000);
  options.limits.max_transfers_per_host = 100;
  options.limits.total = std::chrono::seconds(10);
  options.limits.speed_window = std::chrono::seconds(10);
  // Two fetchers, so that the one with the good bodies has to wait for the other.
  const auto context = FetchContext::Create(options).value();
  const auto good = HttpFetcher::Create(context).value();
  const auto bad = HttpFetcher::Create(context).value();
  int complete = 0, no_room = 0;
  for (int i = 0; i < 4; ++i) {
    good->Start(RequestFor(server.Url("/steady")), [&](const FetchResult& result) {
      complete += result.body().size() == kBody;
      EXPECT_TRUE(result.ok()) << result.message;
    });
  }
  for (int i = 0; i < 20; ++i) {
    bad->Start(RequestFor(server.Url("/stalls")), [&](const FetchResult& result) {
      no_room += result.failure == FetchFailure::kNoRoom;
    });
  }
  std::size_t most = 0;
  while (good->pending() > 0) {
    good->Poll(milliseconds(5));
    bad->Poll(milliseconds(5));
    most = std::max(most, options.memory->used());
  }
  EXPECT_EQ(complete, 4);
  EXPECT_GE(no_room, 1);
  EXPECT_LE(most, options.memory->limit() * 3 / 2);
  bad->CancelAll();
  while (bad->pending() > 0) bad->Poll(milliseconds(5));
}

TEST(FetchMemory, AStalledBodyIsGivenUpBesideALargerOneThatMakesProgress) {
  constexpr std::size_t kLarge = 30'000'000;
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::atomic<bool> given_up = false;
  HostileServer server([&](HostileConnection& connection) {
    const bool large = connection.ReadRequest().find("/large") != std::string::npos;
    connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    connection.Send(std::string(large ? kLarge : 300'000, 'x'));
    for (int i = 0; large && !given_up && i < 150 && !connection.gone(); ++i) {
      connection.Send(std::string(kPiece, 'x'));
      connection.Sleep(milliseconds(100));
    }
    if (!large) connection.Stall();
  });
  FetchOptions options = TestOptions();
  options.memory = std::make_shared<MemoryBudget>(2 * kLarge);  // Scarce, but not used up.
  options.limits.max_transfers_per_host = 100;
  options.limits.max_body = 10 * kLarge;
  options.limits.max_decoded = 10 * kLarge;
  options.limits.total = std::chrono::seconds(60);
  options.limits.speed_window = std::chrono::seconds(60);
  Session session(options);
  bool large_is_done = false;
  session.fetcher().Start(RequestFor(server.Url("/large")), [&](const FetchResult& result) {
    large_is_done = true;
    EXPECT_TRUE(result.ok()) << result.message;
  });
  session.fetcher().Start(RequestFor(server.Url("/stalls")), [&](const FetchResult& result) {
    EXPECT_FALSE(large_is_done);
    EXPECT_EQ(result.failure, FetchFailure::kNoRoom);
    given_up = true;
  });
  while (session.fetcher().pending() > 0) session.fetcher().Poll(milliseconds(10));
}

// A page of another host may take seconds to process, while the bodies wait in the sockets.
TEST(FetchMemory, BodiesDoNotStallWhileTheCallerIsBusy) {
  constexpr std::size_t kFirst = 300'000;
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " +
                    std::to_string(kBody) + "\r\n\r\n");
    connection.Send(std::string(kFirst, 'x'));
    connection.Sleep(milliseconds(500));
    connection.Send(std::string(kBody - kFirst, 'x'));
  });
  FetchOptions options = TestOptions();
  options.memory = std::make_shared<MemoryBudget>(100'000'000);
  options.memory->Add(60'000'000);  // Scarce, but not used up.
  options.limits.max_transfers_per_host = 100;
  options.limits.total = std::chrono::seconds(60);
  Session session(options);
  int complete = 0;
  for (int i = 0; i < 4; ++i) {
    session.fetcher().Start(RequestFor(server.Url()), [&](const FetchResult& result) {
      complete += result.body().size() == kBody;
      EXPECT_TRUE(result.ok()) << result.message;
    });
  }
  while (session.fetcher().pending() > 0 && options.memory->used() < 60'000'000 + 4 * kFirst) {
    session.fetcher().Poll(milliseconds(10));
  }
  std::this_thread::sleep_for(milliseconds(2'500));
  while (session.fetcher().pending() > 0) session.fetcher().Poll(milliseconds(10));
  EXPECT_EQ(complete, 4);
}

TEST(FetchMemory, ManyQuickBodiesWaitForEachOther) {
  HostileServer server(SendMost);
  FetchOptions options = TestOptions();
  options.memory = std::make_shared<MemoryBudget>(40'000'000);
  options.limits.max_transfers_per_host = 100;
  Session session(options);
  int complete = 0;
  for (int i = 0; i < 16; ++i) {
    session.fetcher().Start(RequestFor(server.Url("/quick")), [&](const FetchResult& result) {
      complete += result.body().size() == kBody;
      EXPECT_TRUE(result.ok()) << result.message;
    });
  }
  std::size_t most = 0;
  while (session.fetcher().pending() > 0) {
    session.fetcher().Poll(milliseconds(10));
    most = std::max(most, options.memory->used());
  }
  EXPECT_EQ(complete, 16);
  EXPECT_LE(most, options.memory->limit() * 3 / 2);
}

TEST(FetchMemory, AResultIsCountedUntilItIsDestroyed) {
  HostileServer server(SendMost);
  FetchOptions options = TestOptions();
  options.memory = std::make_shared<MemoryBudget>(20'000'000);
  {
    const FetchResult result = Fetch(server.Url("/quick"), options);
    EXPECT_GE(options.memory->used(), kBody);
  }
  EXPECT_EQ(options.memory->used(), 0u);
}

TEST(FetchHurry, ARequestMayWaitLessForItsResponse) {
  HostileServer server([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Stall();
  });
  FetchOptions options = TestOptions();
  options.limits.response = std::chrono::seconds(60);
  options.limits.total = std::chrono::seconds(60);
  FetchRequest request = RequestFor(server.Url());
  request.response_timeout = milliseconds(200);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Fetch(std::move(request), options).failure, FetchFailure::kResponseTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace crawler

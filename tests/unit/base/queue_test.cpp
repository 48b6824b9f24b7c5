#include "base/queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace crawler {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGlimpse{50};

TEST(Queue, TryPushNeverWaits) {
  Queue<int> queue(2);
  EXPECT_TRUE(queue.TryPush(1));
  EXPECT_TRUE(queue.TryPush(2));
  EXPECT_FALSE(queue.TryPush(3));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.high(), 2u);
  queue.Close();
  EXPECT_FALSE(queue.TryPush(4));
}

TEST(Queue, FirstInFirstOut) {
  Queue<int> queue(3);
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_TRUE(queue.Push(3));
  EXPECT_EQ(queue.Pop(), 2);
  EXPECT_EQ(queue.Pop(), 3);
}

TEST(Queue, RemembersTheMostItHeld) {
  Queue<int> queue(Queue<int>::kUnbounded);
  EXPECT_EQ(queue.high(), 0u);
  for (int i = 0; i < 5; ++i) queue.Push(i);
  for (int i = 0; i < 5; ++i) queue.Pop();
  queue.Push(9);
  EXPECT_EQ(queue.high(), 5u);
}

TEST(Queue, PushWaitsForRoomAndSaysHowLong) {
  Queue<int> queue(2);
  Duration waited{};
  EXPECT_TRUE(queue.Push(1, &waited));
  EXPECT_TRUE(queue.Push(2, &waited));
  EXPECT_EQ(waited, Duration::zero());
  std::atomic<bool> pushed{false};
  std::thread pusher([&] {
    EXPECT_TRUE(queue.Push(3, &waited));
    pushed = true;
  });
  std::this_thread::sleep_for(kGlimpse);
  EXPECT_FALSE(pushed);
  EXPECT_EQ(queue.Pop(), 1);
  pusher.join();
  EXPECT_GT(waited, Duration::zero());
  const Duration before = waited;
  EXPECT_EQ(queue.Pop(), 2);
  EXPECT_TRUE(queue.Push(4, &waited));
  EXPECT_EQ(waited, before);  // "Adds": nothing to add this time.
  EXPECT_EQ(queue.high(), 2u);
}

TEST(Queue, PopWaitsForAnItemAndSaysSo) {
  Queue<int> queue(1);
  std::atomic<bool> popped{false};
  bool waited = false;
  std::thread popper([&] {
    EXPECT_EQ(queue.Pop(&waited), 7);
    popped = true;
  });
  std::this_thread::sleep_for(kGlimpse);
  EXPECT_FALSE(popped);
  queue.Push(7);
  popper.join();
  EXPECT_TRUE(waited);
  queue.Push(8);
  EXPECT_EQ(queue.Pop(&waited), 8);
  EXPECT_FALSE(waited);
}

TEST(Queue, CloseWakesEverybody) {
  Queue<int> full(1);
  Queue<int> empty(1);
  full.Push(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { EXPECT_FALSE(full.Push(2)); });
    threads.emplace_back([&] { EXPECT_FALSE(empty.Pop().has_value()); });
  }
  std::this_thread::sleep_for(kGlimpse);
  for (Queue<int>* queue : {&full, &empty}) {
    queue->Close();
    queue->Close();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(full.Pop().has_value()) << "what is left in a closed queue is wanted by nobody";
  EXPECT_FALSE(empty.Push(3));
}

TEST(Queue, RefusedAndClearedItemsAreDestroyed) {
  const auto item = std::make_shared<int>(1);
  Queue<std::shared_ptr<int>> queue(5);
  queue.Push(item);
  queue.Push(item);
  EXPECT_EQ(item.use_count(), 3);
  queue.Close();
  EXPECT_FALSE(queue.Push(item));
  EXPECT_EQ(item.use_count(), 3);
  queue.Clear();
  EXPECT_EQ(item.use_count(), 1);
}

// An item's destructor may use the queue: no lock is held.
TEST(Queue, ClearDestroysOutsideTheLock) {
  struct Asks {
    explicit Asks(Queue<std::unique_ptr<Asks>>* q) : queue(q) {}
    ~Asks() { EXPECT_EQ(queue->high(), 1u); }
    Queue<std::unique_ptr<Asks>>* queue;
  };
  Queue<std::unique_ptr<Asks>> queue(1);
  queue.Push(std::make_unique<Asks>(&queue));
  queue.Clear();
}

TEST(Queue, MoveOnlyItems) {
  Queue<std::unique_ptr<int>> queue(1);
  queue.Push(std::make_unique<int>(4));
  EXPECT_EQ(**queue.Pop(), 4);
}

// Many threads on both sides: nothing is lost or doubled, each producer's items stay in order, the
// capacity holds.
TEST(Queue, ManyProducersAndConsumers) {
  constexpr int kThreads = 4;
  constexpr int kItems = 5000;
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{7}, Queue<int>::kUnbounded}) {
    Queue<std::pair<int, int>> queue(capacity);
    std::atomic<int> left{kThreads * kItems};
    std::vector<std::vector<std::pair<int, int>>> taken(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kItems; ++i) EXPECT_TRUE(queue.Push({t, i}));
      });
      threads.emplace_back([&, t] {
        while (const auto item = queue.Pop()) {
          taken[static_cast<std::size_t>(t)].push_back(*item);
          if (--left == 0) queue.Close();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<std::vector<int>> seen(kThreads, std::vector<int>(kItems));
    for (const auto& mine : taken) {
      std::vector<int> last(kThreads, -1);
      for (const auto& [producer, number] : mine) {
        const auto p = static_cast<std::size_t>(producer);
        EXPECT_GT(number, last[p]);
        last[p] = number;
        ++seen[p][static_cast<std::size_t>(number)];
      }
    }
    EXPECT_EQ(seen, std::vector(kThreads, std::vector<int>(kItems, 1)));
    EXPECT_LE(queue.high(), capacity);
  }
}

}  // namespace
}  // namespace crawler

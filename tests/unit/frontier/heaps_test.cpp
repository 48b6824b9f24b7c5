#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "frontier/host_state.hpp"
#include "frontier/indexed_heap.hpp"
#include "frontier/url_heap.hpp"
#include "frontier/url_records.hpp"

namespace crawler {
namespace {

TEST(IndexedHeap, KeepsTheFirstOnTopThroughEveryChange) {
  std::mt19937 random(3);
  IndexedHeap<Rank> heap;
  std::map<std::uint32_t, std::int64_t> scores;
  std::vector<std::uint32_t> places(200, kNowhere);
  const auto place_of = [&](std::uint32_t item) -> std::uint32_t& { return places[item]; };
  for (int i = 0; i < 20'000; ++i) {
    const auto item = static_cast<std::uint32_t>(random() % places.size());
    if (random() % 3 == 0) {
      heap.Remove(item, place_of);
      scores.erase(item);
    } else {
      scores[item] = static_cast<std::int64_t>(random() % 50);
      heap.Set(Rank{scores[item], item, item}, place_of);
    }
    ASSERT_EQ(heap.size(), scores.size());
    if (scores.empty()) continue;
    const auto best =
        std::max_element(scores.begin(), scores.end(), [](const auto& a, const auto& b) {
          return a.second != b.second ? a.second < b.second : a.first > b.first;
        });
    ASSERT_EQ(heap.top().item, best->first);
  }
}

struct Urls {
  UrlRecords records;
  UrlBlocks blocks;
  UrlHeapContext context{{records, FrontierOrder::kPriority}, blocks};
};

TEST(UrlHeap, GivesMostLinksFirstAndTheOldestOfEquals) {
  Urls urls;
  UrlHeap heap;
  std::mt19937 random(4);
  std::vector<UrlId> waiting;
  for (int i = 0; i < 20'000; ++i) {
    const unsigned what = random() % 5;
    if (what < 2 || waiting.empty()) {
      waiting.push_back(urls.records.Add(0, 1));
      heap.Push(waiting.back(), urls.context);
    } else if (what < 4) {
      const UrlId url = waiting[random() % waiting.size()];
      urls.records.AddLink(url);
      heap.Rise(url, urls.context);
    } else {
      const auto best = std::min_element(waiting.begin(), waiting.end(), [&](UrlId a, UrlId b) {
        return urls.context.order.Before(a, b);
      });
      ASSERT_EQ(heap.top(), *best);
      ASSERT_EQ(heap.Pop(urls.context), *best);
      waiting.erase(best);
    }
    ASSERT_EQ(heap.size(), waiting.size());
  }
}

TEST(UrlHeap, LeavesItsBlocksToOthers) {
  Urls urls;
  UrlHeap heaps[2];
  for (int i = 0; i < 100'000; ++i) heaps[0].Push(urls.records.Add(0, 1), urls.context);
  const std::size_t memory = urls.blocks.memory();
  while (!heaps[0].empty()) heaps[1].Push(heaps[0].PopAny(urls.context), urls.context);
  EXPECT_EQ(heaps[1].size(), 100'000u);
  EXPECT_LE(urls.blocks.memory(), memory + 300'000);
  EXPECT_EQ(heaps[0].memory(), 0u);
}

TEST(UrlRecords, KeepTheirFieldsApart) {
  UrlRecords records;
  const UrlId url = records.Add(0xFFFFFFFF, UrlRecords::kMostHosts);
  records.set_state(url, UrlState::kOver);
  records.set_urgent(url);
  records.set_place(url, UrlRecords::kMostPlace);
  EXPECT_EQ(records.failures(url), 0);
  EXPECT_EQ(records.links(url), 0u);
  EXPECT_FALSE(records.tried(url));
  records.set_throttled(url);
  EXPECT_EQ(records.failures(url), 0);
  EXPECT_TRUE(records.tried(url));
  records.set_failures(url, 3);
  records.set_state(url, UrlState::kSkipped);
  EXPECT_EQ(records.low(url), 0xFFFFFFFF);
  EXPECT_EQ(records.host(url), UrlRecords::kMostHosts);
  EXPECT_EQ(records.state(url), UrlState::kSkipped);
  EXPECT_TRUE(records.urgent(url));
  EXPECT_EQ(records.place(url), UrlRecords::kMostPlace);
  EXPECT_EQ(records.failures(url), 3);
  EXPECT_TRUE(records.throttled(url));
}

TEST(UrlRecords, CountLinksExactlyPastWhatARecordHolds) {
  UrlRecords records;
  const UrlId other = records.Add(0, 1);
  const UrlId url = records.Add(0, 1);
  for (std::uint32_t i = 1; i <= 140'000; ++i) {
    records.AddLink(url);
    ASSERT_EQ(records.links(url), i);
  }
  EXPECT_EQ(records.links(other), 0u);
}

}  // namespace
}  // namespace crawler

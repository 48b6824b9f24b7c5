// "a ring, a star, a chain and a random graph of 1,000,000 pages end with the exact number of
// fetches and edges". The sanitizers make a crawl 10 to 50 times slower: with them it is 50,000.
#include <gtest/gtest.h>

#include "c_api/graph_site.hpp"

namespace crawler_test {
namespace {

constexpr unsigned kPages = kSanitized ? 50000 : 1000000;

/// A graph that is computed, not kept: page `i` links to `link(i, k)` for k < `degree(i)`.
struct Graph {
  std::function<unsigned(unsigned)> degree;
  std::function<unsigned(unsigned, unsigned)> link;
};

/// The graph being crawled, and how often each page was fetched.
struct World {
  const Graph* graph = nullptr;
  std::vector<std::atomic<unsigned char>> fetched = std::vector<std::atomic<unsigned char>>(kPages);
  std::atomic<std::uint64_t> fetches{0};
  std::atomic<std::uint64_t> edges{0};
  std::atomic<std::uint64_t> wrong{0};
};
World* world = nullptr;

unsigned Number(const char* address) { return static_cast<unsigned>(std::atoi(address)); }

char* Fetch(char* address) {
  const unsigned page = Number(address);
  world->fetches.fetch_add(1, std::memory_order_relaxed);
  if (page >= kPages || world->fetched[page].exchange(1) != 0) ++world->wrong;
  const unsigned degree = world->graph->degree(page);
  char* const content = static_cast<char*>(std::malloc(degree * 16 + 1));
  char* end = content;
  for (unsigned k = 0; k < degree; ++k) {
    end += std::snprintf(end, 16, "link:%u ", world->graph->link(page, k));
  }
  *end = '\0';
  return content;
}

void ReportEdge(char*, char*) { world->edges.fetch_add(1, std::memory_order_relaxed); }

/// Pages that can be reached from page 0, and their links.
std::pair<std::uint64_t, std::uint64_t> Count(const Graph& graph) {
  std::vector<bool> seen(kPages);
  std::vector<unsigned> waiting{0};
  seen[0] = true;
  std::uint64_t pages = 0, edges = 0;
  while (!waiting.empty()) {
    const unsigned page = waiting.back();
    waiting.pop_back();
    ++pages;
    for (unsigned k = 0; k < graph.degree(page); ++k, ++edges) {
      const unsigned to = graph.link(page, k);
      if (!seen[to]) waiting.push_back(to);
      seen[to] = true;
    }
  }
  return {pages, edges};
}

void ExpectExact(const Graph& graph, int downloaders, int parsers, int queue_size) {
  World here;
  here.graph = &graph;
  world = &here;
  char start[] = "0";
  ASSERT_EQ(crawl(start, downloaders, parsers, queue_size, Fetch, ReportEdge), 0);
  const auto [pages, edges] = Count(graph);
  EXPECT_EQ(here.fetches, pages);
  EXPECT_EQ(here.edges, edges);
  EXPECT_EQ(here.wrong, 0u);
}

TEST(LargeGraphs, Ring) {
  ExpectExact({[](unsigned) { return 1; }, [](unsigned i, unsigned) { return (i + 1) % kPages; }},
              1, 1, 1);
}

TEST(LargeGraphs, Chain) {
  ExpectExact({[](unsigned i) { return i + 1 < kPages ? 1 : 0; },
               [](unsigned i, unsigned) { return i + 1; }},
              1, 1, 10);
}

TEST(LargeGraphs, Star) {
  ExpectExact({[](unsigned i) { return i == 0 ? kPages - 1 : 0; },
               [](unsigned, unsigned k) { return k + 1; }},
              2, 2, 1000);
}

TEST(LargeGraphs, Random) {
  const auto scramble = [](unsigned i, unsigned k) {
    std::uint64_t x = (std::uint64_t{i} << 8 | k) * 0x9e3779b97f4a7c15;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9;
    return static_cast<unsigned>((x >> 32) % kPages);
  };
  const Graph graph{[=](unsigned i) { return 1 + scramble(i, 99) % 7; }, scramble};
  EXPECT_GT(Count(graph).first, kPages * 9 / 10);
  ExpectExact(graph, 4, 4, 1000);
}

}  // namespace
}  // namespace crawler_test

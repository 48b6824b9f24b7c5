#include "frontier/depths.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace crawler {
namespace {

struct Graph {
  struct Edge {
    UrlId to;
    bool redirect;
  };
  std::vector<std::vector<Edge>> edges;
};

Graph RandomGraph(std::mt19937& random, UrlId size) {
  Graph graph;
  graph.edges.resize(size + 1);
  for (UrlId from = 1; from <= size; ++from) {
    if (random() % 8 == 0) {
      graph.edges[from].push_back({static_cast<UrlId>(random() % size + 1), true});
      continue;
    }
    for (unsigned i = random() % 4; i > 0; --i) {
      graph.edges[from].push_back({static_cast<UrlId>(random() % size + 1), false});
    }
  }
  return graph;
}

// Shortest distances from 1 by relaxing until nothing changes: slow, and plainly right.
std::vector<std::uint32_t> Distances(const Graph& graph) {
  std::vector<std::uint32_t> distance(graph.edges.size(), 1'000'000);
  distance[1] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (UrlId from = 1; from < graph.edges.size(); ++from) {
      for (const Graph::Edge& edge : graph.edges[from]) {
        const std::uint32_t through = distance[from] + (edge.redirect ? 0 : 1);
        if (through < distance[edge.to]) {
          distance[edge.to] = through;
          changed = true;
        }
      }
    }
  }
  return distance;
}

// Crawls in a random order, as a crawl by score with many threads does, and returns what was
// fetched.
std::set<UrlId> CrawlInAnyOrder(const Graph& graph, std::uint32_t most, std::mt19937& random) {
  Depths depths(most);
  std::set<UrlId> known{1}, fetched;
  std::vector<UrlId> waiting{1};
  depths.Add(1, 0);
  while (!waiting.empty()) {
    std::swap(waiting[random() % waiting.size()], waiting.back());
    const UrlId at = waiting.back();
    waiting.pop_back();
    if (!fetched.insert(at).second) continue;
    for (const Graph::Edge& edge : graph.edges[at]) {
      const std::uint32_t depth = depths.Of(at) + (edge.redirect ? 0 : 1);
      if (known.insert(edge.to).second) {
        depths.Add(edge.to, depth);
        if (depth <= most) waiting.push_back(edge.to);
      }
      depths.AddLink(at, edge.to, edge.redirect);
      std::vector<Depths::Nearer> nearer;
      depths.Offer(edge.to, at, depth, &nearer);
      for (const Depths::Nearer& change : nearer) {
        EXPECT_LE(change.depth, depths.Of(change.from) + 1);
        if (change.admitted) waiting.push_back(change.url);
      }
    }
  }
  return fetched;
}

TEST(Depths, WhatIsCrawledDependsOnTheLinksAlone) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const Graph graph = RandomGraph(random, static_cast<UrlId>(2 + random() % 60));
    const auto most = static_cast<std::uint32_t>(random() % 6);
    std::set<UrlId> expected;
    const std::vector<std::uint32_t> distance = Distances(graph);
    for (UrlId url = 1; url < distance.size(); ++url) {
      if (distance[url] <= most) expected.insert(url);
    }
    EXPECT_EQ(CrawlInAnyOrder(graph, most, random), expected) << "round " << round;
  }
}

TEST(Depths, UnknownUrlsAreNoTrouble) {
  Depths depths(3);
  std::vector<Depths::Nearer> nearer;
  depths.AddLink(7, 8, false);
  depths.Offer(9, 7, 1, &nearer);
  EXPECT_TRUE(nearer.empty());
  EXPECT_EQ(depths.Of(9), 0u);
}

}  // namespace
}  // namespace crawler

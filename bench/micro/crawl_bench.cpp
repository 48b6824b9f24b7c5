// How fast crawl() gets through a graph held in memory, what latency costs it, and what an address
// costs in memory. Run: build/bench/bench/micro/crawl_bench
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/prctl.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "crawler/crawler.h"
#include "graph/address_set.hpp"

namespace {

/// Pages `p0` … of random links to each other, written once, copied by every fetch.
class Graph {
 public:
  Graph(int pages, int links) : pages_(static_cast<std::size_t>(pages)) {
    std::mt19937 random(42);
    std::uniform_int_distribution<int> target(0, pages - 1);
    for (int i = 0; i < pages; ++i) {
      std::string& page = pages_[static_cast<std::size_t>(i)];
      // The first link makes all pages reachable: a binary tree of pages.
      for (int l = 0; l < links; ++l) {
        const int to = l < 2 ? (2 * i + 1 + l) % pages : target(random);
        page.append("link:p").append(std::to_string(to)).push_back(l % 5 == 4 ? '\n' : ' ');
      }
    }
  }

  char* Copy(crawl_address address, std::size_t* length) const {
    const std::string& page = pages_[std::strtoul(address.data + 1, nullptr, 10)];
    char* const copy = static_cast<char*>(std::malloc(page.size() + 1));
    std::memcpy(copy, page.c_str(), page.size() + 1);
    *length = page.size();
    return copy;
  }

  std::size_t size() const { return pages_.size(); }

 private:
  std::vector<std::string> pages_;
};

void SleepExactly(std::chrono::microseconds time) {
  // The kernel may add 50 us to a sleep unless asked not to.
  thread_local const int exact = prctl(PR_SET_TIMERSLACK, 1);
  benchmark::DoNotOptimize(exact);
  std::this_thread::sleep_for(time);
}

struct World {
  const Graph& graph;
  std::chrono::microseconds latency{0};
  std::atomic<std::uint64_t> edges{0};
};

char* Fetch(void* user, crawl_address address, std::size_t* length) {
  const World& world = *static_cast<World*>(user);
  if (world.latency.count() > 0) SleepExactly(world.latency);
  return world.graph.Copy(address, length);
}

void Edge(void*, crawl_address from, crawl_address to) {
  benchmark::DoNotOptimize(from.data);
  benchmark::DoNotOptimize(to.data);
}

crawl_stats Crawl(World& world, int downloaders, int parsers, int queue_size) {
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "p0";
  options.user = &world;
  options.fetch = Fetch;
  options.edge = Edge;
  options.download_workers = downloaders;
  options.parse_workers = parsers;
  options.queue_size = queue_size;
  crawl_job* const job = crawl_open(&options);
  crawl_stats stats{};
  if (job == nullptr || crawl_run(job) != CRAWL_DONE) {
    std::fprintf(stderr, "crawl failed: %s\n", crawl_error());
    std::exit(1);
  }
  crawl_get_stats(job, &stats, sizeof stats);
  crawl_close(job);
  return stats;
}

void Report(benchmark::State& state, const crawl_stats& stats) {
  const double seconds = static_cast<double>(stats.elapsed_ns) * 1e-9;
  state.SetIterationTime(seconds);
  state.counters["pages/s"] = static_cast<double>(stats.pages_fetched) / seconds;
  state.counters["edges/s"] = static_cast<double>(stats.edges) / seconds;
}

void BM_MillionPages(benchmark::State& state) {
  static const Graph graph(1'000'000, 10);
  for (auto _ : state) {
    World world{graph};
    Report(state, Crawl(world, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                        static_cast<int>(state.range(2))));
  }
}
BENCHMARK(BM_MillionPages)
    ->ArgNames({"downloaders", "parsers", "queue"})
    ->Args({1, 1, 1000})
    ->Args({2, 2, 1000})
    ->Args({8, 8, 1000})
    ->Args({2, 2, 1})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

constexpr int kSleepers = 64;
constexpr auto kLatency = std::chrono::microseconds(1000);

// What this machine gives to 64 threads that do nothing but sleep 1 ms: the ideal is 64,000 a
// second, and no crawl can come nearer to it than this.
double BareSleepsPerSecond() {
  constexpr int kRounds = 1000;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < kSleepers; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < kRounds; ++round) SleepExactly(kLatency);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return kSleepers * kRounds / elapsed.count();
}

void BM_Latency1ms(benchmark::State& state) {
  static const Graph graph(200'000, 10);
  for (auto _ : state) {
    const double bare = BareSleepsPerSecond();
    World world{graph, kLatency};
    const crawl_stats stats = Crawl(world, kSleepers, static_cast<int>(state.range(0)), 100000);
    Report(state, stats);
    const double rate =
        static_cast<double>(stats.pages_fetched) / (static_cast<double>(stats.elapsed_ns) * 1e-9);
    state.counters["of_ideal"] = rate / (kSleepers * 1000.0);
    state.counters["of_bare_sleeps"] = rate / bare;
    state.counters["bare_of_ideal"] = bare / (kSleepers * 1000.0);
  }
}
BENCHMARK(BM_Latency1ms)
    ->ArgName("parsers")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void BM_AddressMemory(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  const auto heap = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  for (auto _ : state) {
    const std::size_t before = heap();
    crawler::AddressSet set;
    std::size_t text = 0;
    for (int i = 0; i < count; ++i) {
      const std::string address = "http://host.example/page/" + std::to_string(i);
      set.Insert(address);
      text += address.size();
    }
    state.counters["bytes_beside_text"] = static_cast<double>(heap() - before - text) / count;
  }
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(BM_AddressMemory)->Arg(1000)->Arg(1'000'000)->Arg(1'600'000)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();

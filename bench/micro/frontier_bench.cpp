// The frontier: offers of new and of known URLs, leases, and the memory of a URL, in crawls of up
// to 10M URLs. The second argument is how many URLs a host has.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "frontier/memory_frontier.hpp"

namespace crawler {
namespace {

constexpr std::size_t kLinksOfAPage = 50;

// URL number `i` of a crawl whose hosts have `per_host` URLs each, spread as a crawl finds them.
class Web {
 public:
  Web(std::uint64_t urls, std::uint64_t per_host)
      : hosts_(std::max<std::uint64_t>(1, urls / per_host)) {}

  void MakePage(std::uint64_t first, std::vector<Frontier::Offer>* offers) {
    MakePage([&](std::size_t i) { return first + i; }, offers);
  }

  // Link i of the page leads to URL number_of(i).
  template <typename NumberOf>
  void MakePage(NumberOf number_of, std::vector<Frontier::Offer>* offers) {
    offers->resize(kLinksOfAPage);
    for (std::size_t i = 0; i < kLinksOfAPage; ++i) MakeLink(number_of(i), i, &(*offers)[i]);
  }

 private:
  void MakeLink(std::uint64_t number, std::size_t i, Frontier::Offer* offer) {
    // Ten neighbours share a host, as links of a page do.
    const std::uint64_t host = number / 10 * 0x9E3779B97F4A7C15 % hosts_;
    std::string& origin = texts_[2 * i];
    std::string& url = texts_[2 * i + 1];
    origin = "https://www.host" + std::to_string(host) + ".example";
    url = origin + "/articles/2024/a-page-of-some-length-" + std::to_string(number) + ".html";
    offer->url = url;
    offer->origin = origin;
    offer->site = std::string_view(origin).substr(12);
  }

  const std::uint64_t hosts_;
  std::vector<std::string> texts_ = std::vector<std::string>(2 * kLinksOfAPage);
};

FrontierOptions OwnServers() {
  FrontierOptions options;
  options.delay = std::chrono::milliseconds(0);
  options.per_host = 0;
  options.robots_checks = false;
  options.hash_key = 0x0123456789ABCDEF;
  return options;
}

// The benches do not look at texts.
Result<UrlRow> NoText(UrlId id) {
  UrlRow row;
  row.id = id;
  return row;
}

// Texts are settled at once, so that the memory is that of the frontier alone.
void OfferAndSettle(MemoryFrontier* frontier, const std::vector<Frontier::Offer>& offers) {
  frontier->Settle({}, frontier->OfferAll(offers, 0).number);
}

void FinishAndSettle(MemoryFrontier* frontier, const std::vector<Frontier::Lease>& leases,
                     const Frontier::Outcome& outcome) {
  std::vector<LeaseToken> tokens;
  for (const Frontier::Lease& lease : leases) {
    frontier->Finish(lease, outcome);
    tokens.push_back(lease.token);
  }
  frontier->Settle(tokens, 0);
}

void Fill(MemoryFrontier* frontier, std::uint64_t urls, std::uint64_t per_host) {
  Web web(urls, per_host);
  std::vector<Frontier::Offer> offers;
  for (std::uint64_t i = 0; i < urls; i += kLinksOfAPage) {
    web.MakePage(i, &offers);
    OfferAndSettle(frontier, offers);
  }
}

std::size_t ResidentBytes() {
  unsigned long size = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%lu %lu", &size, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// What making the texts costs, to be taken off the offers below.
void BM_MakePage(benchmark::State& state) {
  Web web(10'000'000, 100);
  std::vector<Frontier::Offer> offers;
  std::uint64_t next = 0;
  for (auto _ : state) web.MakePage(next += kLinksOfAPage, &offers);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLinksOfAPage));
}
BENCHMARK(BM_MakePage);

// All URLs of a crawl, each new; then what they take.
void BM_OfferNew(benchmark::State& state) {
  const auto urls = static_cast<std::uint64_t>(state.range(0));
  const auto per_host = static_cast<std::uint64_t>(state.range(1));
  for (auto _ : state) {
    state.PauseTiming();
    const std::size_t before = ResidentBytes();
    auto frontier = std::make_unique<MemoryFrontier>(OwnServers(), NoText);
    state.ResumeTiming();
    Fill(frontier.get(), urls, per_host);
    state.PauseTiming();
    const auto count = static_cast<double>(urls);
    state.counters["bytes/url"] = static_cast<double>(frontier->memory()) / count;
    state.counters["rss/url"] = static_cast<double>(ResidentBytes() - before) / count;
    frontier.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_OfferNew)
    ->Args({10'000'000, 100})
    ->Args({10'000'000, 1000})
    ->Args({10'000'000, 20})
    ->Args({1'000'000, 100})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Pages whose links are all known: the most common kind.
void BM_OfferKnown(benchmark::State& state) {
  const auto urls = static_cast<std::uint64_t>(state.range(0));
  MemoryFrontier frontier(OwnServers(), NoText);
  Fill(&frontier, urls, 100);
  Web web(urls, 100);
  std::vector<Frontier::Offer> offers;
  std::uint64_t page = 0;
  for (auto _ : state) {
    page = (page * 6364136223846793005 + 1442695040888963407) % (urls / kLinksOfAPage);
    web.MakePage(page * kLinksOfAPage, &offers);
    OfferAndSettle(&frontier, offers);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLinksOfAPage));
}
BENCHMARK(BM_OfferKnown)->Arg(100'000)->Arg(10'000'000);

// Links between the pages of one large site: each lets a URL rise in the queue of the site.
void BM_OfferLinks(benchmark::State& state) {
  const auto urls = static_cast<std::uint64_t>(state.range(0));
  MemoryFrontier frontier(OwnServers(), NoText);
  Fill(&frontier, urls, urls);
  Web web(urls, urls);
  std::vector<Frontier::Offer> offers;
  std::mt19937_64 random;
  for (auto _ : state) {
    web.MakePage([&](std::size_t) { return random() % urls; }, &offers);
    for (Frontier::Offer& offer : offers) offer.via = Via::kLink;
    OfferAndSettle(&frontier, offers);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLinksOfAPage));
}
BENCHMARK(BM_OfferLinks)->Arg(10'000)->Arg(1'000'000)->Iterations(100'000);

// A lease and its end, on hosts that may be asked at once, 100 leases at a time.
void BM_LeaseAndFinish(benchmark::State& state) {
  const auto urls = static_cast<std::uint64_t>(state.range(0));
  const auto per_host = static_cast<std::uint64_t>(state.range(1));
  MemoryFrontier frontier(OwnServers(), NoText);
  Fill(&frontier, urls, per_host);
  std::vector<Frontier::Lease> leases;
  Frontier::Outcome outcome;
  outcome.kind = Frontier::Outcome::Kind::kPage;
  for (auto _ : state) {
    leases.clear();
    if (!frontier.LeaseSome(outcome.now, 100, &leases).ok() || leases.empty()) {
      state.SkipWithError("nothing left to lease");
      break;
    }
    FinishAndSettle(&frontier, leases, outcome);
  }
  state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(BM_LeaseAndFinish)
    ->Args({1'000'000, 100})
    ->Args({1'000'000, 1'000'000})
    ->Args({10'000'000, 100})
    ->Iterations(5000);

// The same with a second between the requests to a host: every host goes through its clock.
void BM_PoliteLeases(benchmark::State& state) {
  FrontierOptions options;
  options.robots_checks = false;
  MemoryFrontier frontier(options, NoText);
  Fill(&frontier, 1'000'000, 100);
  std::vector<Frontier::Lease> leases;
  Frontier::Outcome outcome;
  outcome.kind = Frontier::Outcome::Kind::kPage;
  for (auto _ : state) {
    leases.clear();
    if (!frontier.LeaseSome(outcome.now, 100, &leases).ok() || leases.size() < 100) {
      outcome.now = std::max(outcome.now, frontier.NextDue());
    }
    outcome.started = outcome.now;
    FinishAndSettle(&frontier, leases, outcome);
    outcome.now += std::chrono::milliseconds(10);  // 10,000 leases a second.
  }
  state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(BM_PoliteLeases)->Iterations(5000);

}  // namespace
}  // namespace crawler

BENCHMARK_MAIN();

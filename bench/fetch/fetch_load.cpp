// Fetches URL COUNT times with CONCURRENCY transfers at a time on one thread, and prints requests
// per second and CPU time per request.
//
// usage: fetch_load URL COUNT CONCURRENCY [--raw] [--http1] [--ca FILE]
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "fetch/http_fetcher.hpp"

namespace {

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace crawler;
  if (argc < 4) {
    std::fprintf(stderr, "usage: fetch_load URL COUNT CONCURRENCY [--raw] [--http1] [--ca FILE]\n");
    return 2;
  }
  const std::string url = argv[1];
  const long count = std::strtol(argv[2], nullptr, 10);
  const long concurrency = std::strtol(argv[3], nullptr, 10);
  FetchOptions options;
  options.allowed_nets.Add(Cidr::Parse("127.0.0.0/8").value());
  options.limits.max_transfers_per_host = static_cast<std::size_t>(concurrency);
  for (int i = 4; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--raw") options.decode = false;
    if (flag == "--http1") options.http2 = false;
    if (flag == "--ca" && i + 1 < argc) options.ca_file = argv[++i];
  }
  Result<std::shared_ptr<const FetchContext>> context = FetchContext::Create(options);
  if (!context.ok()) {
    std::fprintf(stderr, "%s\n", context.status().ToString().c_str());
    return 1;
  }
  const std::unique_ptr<Fetcher> fetcher = std::move(HttpFetcher::Create(*context)).value();
  FetchRequest request;
  ParseUrl(url, nullptr, &request.url);

  long started = 0, done = 0, failed = 0;
  std::size_t bytes = 0;
  std::function<void(FetchResult)> next = [&](FetchResult result) {
    ++done;
    if ((!result.ok() || result.status != 200) && failed++ == 0) {
      std::fprintf(stderr, "status %d, %s\n", result.status, result.message.c_str());
    }
    bytes += result.body().size();
    if (started < count) {
      ++started;
      fetcher->Start(request, next);
    }
  };
  const double cpu_before = CpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  for (; started < concurrency && started < count; ++started) fetcher->Start(request, next);
  fetcher->RunUntilIdle();
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double cpu = CpuSeconds() - cpu_before;
  std::printf("%.0f requests/s, %.1f us CPU/request, %.0f MB/s of bodies, %ld failed\n",
              static_cast<double>(done) / elapsed, cpu * 1e6 / static_cast<double>(done),
              static_cast<double>(bytes) / elapsed / 1e6, failed);
  return failed == 0 ? 0 : 1;
}

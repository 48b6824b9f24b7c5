// robots.txt: MB/s parsed and checks a second, on files of the shapes that sites have: a small one,
// one of a shop with thousands of rules, one that is mostly groups for others, and one made to be
// slow.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "robots/robots_txt.hpp"

namespace crawler {
namespace {

std::string SmallFile() {
  return "# robots.txt\nUser-agent: *\nCrawl-delay: 2\nDisallow: /wp-admin/\n"
         "Allow: /wp-admin/admin-ajax.php\nDisallow: /search?\nDisallow: /*?sort=\n"
         "Disallow: /*.pdf$\nSitemap: https://www.example.org/sitemap.xml\n";
}

std::string ShopFile() {
  std::string file = "User-agent: *\n";
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    if (i % 10 == 0) file += "Disallow: /*/filter-" + n + "=*&page=\n";
    file += "Disallow: /shop/category-" + n + "/private\n";
    if (i % 4 == 0) file += "Allow: /shop/category-" + n + "/private/open$\n";
  }
  return file;
}

std::string ManyGroupsFile() {
  std::string file;
  for (int i = 0; i < 2000; ++i) {
    file += "User-agent: Bot" + std::string(1, static_cast<char>('a' + i % 26)) + "\n";
    file += "Disallow: /p" + std::to_string(i) + "\n\n";
  }
  return file + "User-agent: *\nDisallow: /tmp/\nDisallow: /cgi-bin/\n";
}

std::string HostileFile() {
  std::string file = "User-agent: *\n";
  std::string stars = "Disallow: /";
  for (int i = 0; i < 200; ++i) stars += "*a";
  while (file.size() < kMaxRobotsBytes) file += stars + "b\n";
  return file;
}

std::string MakeFile(std::int64_t kind) {
  switch (kind) {
    case 0:
      return SmallFile();
    case 1:
      return ShopFile();
    case 2:
      return ManyGroupsFile();
    default:
      return HostileFile();
  }
}

constexpr const char* kNames[] = {"small", "shop", "groups", "hostile"};

void BM_Parse(benchmark::State& state) {
  const std::string file = MakeFile(state.range(0));
  for (auto _ : state) {
    const RobotsTxt robots = RobotsTxt::Parse(file, "ExampleBot");
    benchmark::DoNotOptimize(&robots);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
  state.SetLabel(kNames[state.range(0)]);
}
BENCHMARK(BM_Parse)->DenseRange(0, 3);

void BM_Check(benchmark::State& state) {
  const RobotsTxt robots = RobotsTxt::Parse(MakeFile(state.range(0)), "ExampleBot");
  const std::vector<std::string> paths = {"/",
                                          "/index.html",
                                          "/shop/category-1500/private/x",
                                          "/shop/category-1500/open?page=3&sort=price",
                                          "/blog/2024/05/a-title-of-some-length.html",
                                          "/wp-content/uploads/2024/05/file.pdf",
                                          "/search?q=caf%C3%A9",
                                          "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
  for (auto _ : state) {
    for (const std::string& path : paths) benchmark::DoNotOptimize(robots.Check(path).allowed);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(paths.size()));
  state.SetLabel(kNames[state.range(0)]);
}
BENCHMARK(BM_Check)->DenseRange(0, 3);

}  // namespace
}  // namespace crawler

BENCHMARK_MAIN();

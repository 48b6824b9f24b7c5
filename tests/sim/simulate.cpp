// simulate FIRST COUNT: crawls COUNT random webs, beginning with the seed FIRST, and prints the
// seeds of those that break a promise. With COUNT 1 the web is described as well.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "sim/random_web.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: simulate FIRST_SEED COUNT\n");
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t count = std::strtoull(argv[2], nullptr, 10);
  std::uint64_t failed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    std::vector<std::string> problems;
    std::string story;
    try {
      problems = crawler::sim::SimulateSeed(seed, count == 1 ? &story : nullptr);
    } catch (const std::exception& error) {
      problems.emplace_back(error.what());
    }
    std::printf("%s", story.c_str());
    if (problems.empty()) continue;
    ++failed;
    std::printf("seed %llu:\n", static_cast<unsigned long long>(seed));
    for (const std::string& problem : problems) std::printf("  %s\n", problem.c_str());
    std::printf("  again: scripts/simulate 1 --seed %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
  }
  std::printf("%llu webs, %llu failed\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(failed));
  return failed == 0 ? 0 : 1;
}

// "random graphs of every size with random workers and queue sizes, 1,000 of them, against a
// single-threaded oracle". In four parts, so that they run side by side.
#include <gtest/gtest.h>

#include <cmath>

#include "c_api/random_pages.hpp"

namespace crawler_test {
namespace {

class RandomGraphs : public testing::TestWithParam<unsigned> {};

TEST_P(RandomGraphs, AgreeWithTheOracle) {
  constexpr int kGraphs = 250;
  constexpr double kLargest = kSanitized ? 300 : 3000;
  std::mt19937 random(GetParam());
  const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % most); };
  std::uniform_real_distribution<double> exponent(0, std::log(kLargest));
  for (int i = 0; i < kGraphs; ++i) {
    const Pages pages = RandomPages(random, static_cast<int>(std::exp(exponent(random))));
    const std::string start = pages.begin()->first;
    // Small pools meet other corners than large ones.
    const int downloaders = up_to(random() % 2 == 0 ? 2 : 16);
    const int parsers = up_to(random() % 2 == 0 ? 2 : 16);
    const int queue_size = up_to(random() % 2 == 0 ? 3 : 100);
    SCOPED_TRACE(testing::Message() << "graph " << i << " of " << pages.size() << " pages, "
                                    << downloaders << " " << parsers << " " << queue_size);
    GraphSite site(pages);
    ASSERT_EQ(site.Crawl(start, downloaders, parsers, queue_size), 0);
    site.ExpectReported(Oracle(pages, start));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Values(1u, 2u, 3u, 4u));

}  // namespace
}  // namespace crawler_test

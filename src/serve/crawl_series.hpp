#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "crawler/crawler.hpp"

namespace crawler {

/// The numbers of a crawl over time, in bounded memory: one point per interval. When there are
/// kMost points, every second one goes, and the interval doubles.
/// Threads: one at a time.
class CrawlSeries {
 public:
  static constexpr std::size_t kMost = 600;

  struct Point {
    std::int64_t at = 0;  ///< Milliseconds since 1970.
    std::uint64_t pages = 0, requests = 0, bytes = 0, errors = 0, waiting = 0, under_way = 0;
  };

  /// Ignored if the interval since the last point is not over. `at` does not go back.
  void Add(std::int64_t at, const CrawlStatistics& statistics);

  std::chrono::milliseconds interval() const { return interval_; }
  const std::vector<Point>& points() const { return points_; }

 private:
  std::chrono::milliseconds interval_{1'000};
  std::vector<Point> points_;
};

}  // namespace crawler

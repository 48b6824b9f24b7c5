#pragma once

#include <chrono>
#include <crawler/crawler.hpp>
#include <cstdint>
#include <optional>

/// How fast a crawl goes at the moment, and how long it will take.
struct Pace {
  double pages_per_second = 0;
  double bytes_per_second = 0;
  bool grows = true;                              ///< More URLs to fetch have been found of late.
  std::optional<std::chrono::milliseconds> left;  ///< Nothing: that cannot be said.
  bool at_least = false;                          ///< `left` is the least time it can take.
};

/// Makes a Pace out of the statistics of a crawl, taken several times per second.
/// Rates are averages of the last seconds, the younger ones weighing more.
class PaceMeter {
 public:
  /// `now` must not be older than the one before.
  Pace Update(const crawler::CrawlStatistics& now);

 private:
  void SetLeft(const crawler::CrawlStatistics& now, Pace* pace) const;

  crawler::CrawlStatistics last_;
  double pages_per_second_ = 0;
  double bytes_per_second_ = 0;
  double urls_per_second_ = 0;
  std::uint64_t most_known_ = 0;
  std::chrono::milliseconds grew_at_{0};
};

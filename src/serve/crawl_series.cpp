#include "serve/crawl_series.hpp"

namespace crawler {

void CrawlSeries::Add(std::int64_t at, const CrawlStatistics& s) {
  const auto is_early = [&] {
    constexpr std::int64_t kInexact = 300;  // Whoever calls is not exact.
    return at - points_.back().at < interval_.count() - kInexact;
  };
  if (!points_.empty() && is_early()) return;
  if (points_.size() >= kMost) {
    for (std::size_t i = 0; i < kMost / 2; ++i) points_[i] = points_[2 * i];
    points_.resize(kMost / 2);
    interval_ *= 2;
    if (is_early()) return;
  }
  points_.push_back({at, s.pages, s.requests, s.bytes, s.http_errors + s.failures, s.urls_waiting,
                     s.urls_under_way});
}

}  // namespace crawler

#include "pace.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace {

using crawler::CrawlStatistics;
using std::chrono::milliseconds;

/// Over so many seconds rates are averaged: few for people to look at, more for a forecast.
constexpr double kShownSeconds = 8;
constexpr double kForecastSeconds = 30;
/// Without a new URL for this time, or for a tenth of the whole, nothing grows any more.
constexpr milliseconds kGrowth{5'000};
constexpr milliseconds kFirstForecast{2'000};

// An average that forgets: after `memory` seconds a value weighs a third of a new one. At the
// beginning it is the average of all.
double Average(double before, double value, double step, double elapsed, double memory) {
  const double weight = 1 - std::exp(-step / std::min(memory, elapsed));
  return before + (elapsed <= step ? 1 : weight) * (value - before);
}

}  // namespace

Pace PaceMeter::Update(const CrawlStatistics& now) {
  const double step = Seconds(now.elapsed - last_.elapsed);
  if (step > 0) {
    const auto per_second = [step](std::uint64_t before, std::uint64_t after) {
      return static_cast<double>(after - std::min(before, after)) / step;
    };
    const double elapsed = Seconds(now.elapsed);
    pages_per_second_ =
        Average(pages_per_second_, per_second(last_.this_run.pages, now.this_run.pages), step,
                elapsed, kShownSeconds);
    bytes_per_second_ =
        Average(bytes_per_second_, per_second(last_.this_run.bytes, now.this_run.bytes), step,
                elapsed, kShownSeconds);
    urls_per_second_ =
        Average(urls_per_second_, per_second(last_.this_run.urls_done, now.this_run.urls_done),
                step, elapsed, kForecastSeconds);
  }
  // Without those under way, which robots checks make look like more.
  if (now.urls_done + now.urls_waiting > most_known_) {
    most_known_ = now.urls_done + now.urls_waiting;
    grew_at_ = now.elapsed;
  }
  last_ = now;
  Pace pace;
  pace.pages_per_second = pages_per_second_;
  pace.bytes_per_second = bytes_per_second_;
  pace.grows = now.elapsed - grew_at_ < std::max(kGrowth, now.elapsed / 10);
  SetLeft(now, &pace);
  return pace;
}

void PaceMeter::SetLeft(const CrawlStatistics& now, Pace* pace) const {
  constexpr double kTooSlow = 0.02;
  const double waiting = static_cast<double>(now.urls_waiting + now.urls_under_way);
  if (now.elapsed < kFirstForecast) return;
  if (urls_per_second_ > kTooSlow) {
    pace->left = milliseconds(static_cast<std::int64_t>(waiting / urls_per_second_ * 1000));
    pace->at_least = pace->grows;
  }
  // A budget may end it sooner; what waits may be fetched sooner than a budget is spent.
  if (!now.eta) return;
  if (!pace->left || *now.eta <= *pace->left) {
    pace->left = now.eta;
    pace->at_least = false;
  }
}

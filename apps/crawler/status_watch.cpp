#include "status_watch.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include "output.hpp"
#include "pace.hpp"
#include "screen.hpp"
#include "status_lines.hpp"

namespace {

using crawler::CrawlStatus;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{500};  // The crawl itself writes its numbers every 0.9 s.
constexpr std::chrono::seconds kPlainLine{10};

class StatusWatch {
 public:
  /// False if nobody reads any more.
  bool Show(const CrawlStatus& status) {
    const crawler::CrawlStatistics& now = status.statistics;
    const Pace pace = meter_.Update(now);
    if (screen_.is_live()) {
      const Screen::Size size = screen_.size();
      screen_.Draw(StatusLines(now, ActivityOf(status), pace, size.columns, size.rows));
      return true;
    }
    const auto at = steady_clock::now();
    if (now.phase == phase_ && at < next_line_) return true;
    next_line_ = at + kPlainLine;
    phase_ = now.phase;
    screen_.Print(stdout, PlainStatus(now, pace));
    return std::fflush(stdout) == 0;  // Somebody waits for it at the other end of a pipe.
  }
  void Clear() { screen_.Draw({}); }

 private:
  // Another process knows why the crawl waits, but not the URL that it fetches.
  static crawler::CrawlActivity ActivityOf(const CrawlStatus& status) {
    crawler::CrawlActivity activity;
    const bool waits = status.statistics.urls_under_way == 0 && !status.holdups.empty();
    if (waits) activity.holdup = status.holdups.front();
    return activity;
  }

  Screen screen_;
  PaceMeter meter_;
  std::string phase_;
  steady_clock::time_point next_line_;
};

void WaitForNextLook() {
  const auto end = steady_clock::now() + kLook;
  while (!StopRequested() && steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

CrawlStatus WatchCrawl(const std::string& folder) {
  CatchStopSignals();
  StatusWatch watch;
  CrawlStatus status = crawler::ReadCrawlStatus(folder);
  while (status.error.empty() && status.running && !StopRequested()) {
    if (!watch.Show(status)) break;
    WaitForNextLook();
    status = crawler::ReadCrawlStatus(folder);
  }
  watch.Clear();
  return status;
}

#include "progress.hpp"

#include <cstdio>

#include "report_text.hpp"
#include "status_lines.hpp"

namespace {

using crawler::Crawl;
using crawler::CrawlStatistics;
using std::chrono::milliseconds;

constexpr milliseconds kLiveInterval{250};
constexpr milliseconds kPlainInterval{10'000};

}  // namespace

void Progress::Show(const Crawl& crawl) {
  if (quiet_) return;
  const CrawlStatistics now = crawl.statistics();
  const milliseconds since = now.elapsed - shown_at_;
  if (screen_.is_live()) {
    if (since >= kLiveInterval) Draw(crawl, now);
    return;
  }
  pace_ = meter_.Update(now);
  const bool phase_begins = now.phase != phase_ && now.phase != "starting" && now.phase != "over";
  if (since < kPlainInterval && !phase_begins) return;
  shown_at_ = now.elapsed;
  phase_ = now.phase;
  screen_.Print(stderr, PlainStatus(now, pace_));
}

void Progress::Redraw(const Crawl& crawl) {
  if (!quiet_ && screen_.is_live()) Draw(crawl, crawl.statistics());
}

void Progress::Draw(const Crawl& crawl, const CrawlStatistics& statistics) {
  pace_ = meter_.Update(statistics);
  shown_at_ = statistics.elapsed;
  const Screen::Size size = screen_.size();
  screen_.Draw(StatusLines(statistics, crawl.activity(), pace_, size.columns, size.rows));
}

void Progress::Say(const std::string& sentence) {
  if (!quiet_) screen_.Print(stderr, Complaint(sentence));
}

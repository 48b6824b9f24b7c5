#pragma once

#include <chrono>
#include <crawler/crawler.hpp>
#include <string>

#include "pace.hpp"
#include "screen.hpp"

/// Shows how a crawl gets on: live lines on a terminal, elsewhere a plain line every ten seconds
/// and at each phase. On stderr. Threads: one, beside those that print on the screen.
class Progress {
 public:
  Progress(Screen& screen, bool quiet) : screen_(screen), quiet_(quiet) {}

  /// Shows what is new, if it is time to; to be called several times per second.
  void Show(const crawler::Crawl& crawl);
  /// Draws the live lines anew at once, e.g. because the terminal has another size.
  void Redraw(const crawler::Crawl& crawl);
  /// A sentence of its own.
  void Say(const std::string& sentence);
  /// Takes the live lines away.
  void Clear() { screen_.Draw({}); }

 private:
  void Draw(const crawler::Crawl& crawl, const crawler::CrawlStatistics& statistics);

  Screen& screen_;
  const bool quiet_;
  PaceMeter meter_;
  Pace pace_;
  std::chrono::milliseconds shown_at_{0};
  std::string phase_;
};

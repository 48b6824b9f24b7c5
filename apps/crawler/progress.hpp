#pragma once

#include <chrono>
#include <crawler/crawler.hpp>
#include <string>

/// The live line on a terminal, or a line every ten seconds where there is none. On stderr.
class Progress {
 public:
  explicit Progress(bool quiet);

  void Show(const crawler::CrawlStatistics& now);
  /// A sentence of its own.
  void Say(const std::string& sentence);
  /// Takes the live line away.
  void Clear();

 private:
  std::string Line(const crawler::CrawlStatistics& now) const;

  const bool quiet_;
  const bool terminal_;
  bool shown_ = false;
  crawler::CrawlStatistics last_;
  double pages_per_second_ = 0;
  double bytes_per_second_ = 0;
};

/// What a crawl came to, for people and for programs.
std::string Totals(const crawler::CrawlResult& result, const std::string& folder);
std::string TotalsJson(const crawler::CrawlResult& result, const std::string& folder);

/// What a repeated crawl has found, in a sentence; empty if the crawl is not repeated.
std::string Changes(const crawler::CrawlStatistics& statistics);

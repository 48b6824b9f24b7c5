#pragma once

#include <crawler/report.hpp>
#include <cstdint>
#include <string>
#include <vector>

// Plots of the report, drawn as SVG and HTML. They need no script.

/// Pages and errors per second over the time of the crawl; empty if there is no time to show.
std::string ThroughputPlot(const crawler::CrawlThroughput& throughput);

struct Bar {
  std::string name;
  std::uint64_t count = 0;
  bool bad = false;
  std::string note;  ///< Behind the number; may be empty.
};
/// Bars of one length scale, from 0, with their numbers.
std::string BarPlot(const std::vector<Bar>& bars);

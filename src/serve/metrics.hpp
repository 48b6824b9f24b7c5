#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "serve/served_crawl.hpp"

namespace crawler {

/// Metrics in Prometheus' text format 0.0.4. Names begin with crawler_, units are base units. The
/// lines of a metric stay together, whatever the order of the calls.
/// Threads: one at a time.
class MetricsText {
 public:
  /// The numbers of CRAWLER_COUNTERS and more, with the label crawl="NAME". `meters`: of a crawl in
  /// this process.
  void AddCrawl(std::string_view name, const CrawlView& view,
                const std::optional<MeterView>& meters);
  /// Memory, processor time and descriptors of this process.
  void AddProcess();

  std::string Text() const;

 private:
  void Add(const std::string& metric, const char* type, std::string_view help,
           const std::string& labels, double value);
  void AddHistogram(const std::string& metric, std::string_view help, const std::string& labels,
                    const MeterView::Histogram& histogram);
  void AddMeters(const std::string& crawl, const MeterView& meters);

  struct Metric {
    std::string head;  // # HELP and # TYPE.
    std::string lines;
  };
  std::map<std::string, Metric> metrics_;
};

/// `text` as the value of a label, without quotes.
std::string EscapeLabel(std::string_view text);

}  // namespace crawler

#include "serve/metrics.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "model/fetch_result.hpp"

namespace crawler {
namespace {

constexpr const char* kCounter = "counter";
constexpr const char* kGauge = "gauge";

std::string Label(const char* name, std::string_view value) {
  return fmt::format("{}=\"{}\"", name, EscapeLabel(value));
}

double Seconds(std::uint64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

const std::set<std::string_view>& CountedNames() {
  static const std::set<std::string_view> names = [] {
    std::set<std::string_view> counted;
    for (const auto& [name, value] : kCrawlRunCounts) counted.insert(name);
    return counted;
  }();
  return names;
}

std::size_t OpenFiles() {
  std::error_code error;
  std::size_t files = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++files;
  }
  return files;
}

double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::string EscapeLabel(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\n') {
      escaped += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void MetricsText::Add(const std::string& metric, const char* type, std::string_view help,
                      const std::string& labels, double value) {
  Metric& entry = metrics_[metric];
  if (entry.head.empty()) {
    entry.head = fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", metric, type, help);
  }
  entry.lines += labels.empty() ? fmt::format("{} {}\n", metric, value)
                                : fmt::format("{}{{{}}} {}\n", metric, labels, value);
}

void MetricsText::AddHistogram(const std::string& metric, std::string_view help,
                               const std::string& labels, const MeterView::Histogram& histogram) {
  Metric& entry = metrics_[metric];
  if (entry.head.empty()) {
    entry.head = fmt::format("# HELP {0} {1}\n# TYPE {0} histogram\n", metric, help);
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < histogram.buckets.size(); ++i) {
    sum += histogram.buckets[i];
    entry.lines += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", metric, labels,
                               static_cast<double>(DurationHistogram::kBounds[i]) / 1e6, sum);
  }
  // The buckets were read one after the other while requests ended: the last one has all.
  const std::uint64_t count = std::max(histogram.count, sum);
  entry.lines += fmt::format(
      "{0}_bucket{{{1},le=\"+Inf\"}} {2}\n{0}_sum{{{1}}} {3}\n"
      "{0}_count{{{1}}} {2}\n",
      metric, labels, count, Seconds(histogram.sum));
}

void MetricsText::AddMeters(const std::string& crawl, const MeterView& meters) {
  const auto count = [&](const char* metric, const char* help, std::uint64_t value) {
    Add(metric, kCounter, help, crawl, static_cast<double>(value));
  };
  count("crawler_name_lookups_total", "Requests of this run that looked a name up", meters.lookups);
  count("crawler_connections_total", "Requests of this run that opened a connection",
        meters.connections);
  count("crawler_tls_handshakes_total", "Requests of this run that made a TLS handshake",
        meters.handshakes);
  for (std::size_t i = 1; i < meters.failures.size(); ++i) {
    const std::string_view name = FetchFailureName(static_cast<FetchFailure>(i));
    Add("crawler_fetch_failures_total", kCounter,
        "Attempts of this run without a usable response, by class",
        crawl + "," + Label("class", name), static_cast<double>(meters.failures[i]));
  }
  AddHistogram("crawler_request_duration_seconds", "Time of the requests of this run", crawl,
               meters.requests);
  AddHistogram("crawler_commit_duration_seconds", "Time to write a commit, of this run", crawl,
               meters.commits);
}

void MetricsText::AddCrawl(std::string_view name, const CrawlView& view,
                           const std::optional<MeterView>& meters) {
  const std::string crawl = Label("crawl", name);
  const CrawlStatus& status = view.status;
  const CrawlStatistics& s = status.statistics;
  Add("crawler_up", kGauge, "Whether the state of the crawl can be read", crawl,
      status.error.empty() ? 1 : 0);
  if (!status.error.empty()) return;
  Add("crawler_running", kGauge, "Whether a process crawls", crawl, status.running ? 1 : 0);
  Add("crawler_paused", kGauge, "Whether the crawl is paused", crawl, s.paused ? 1 : 0);
  Add("crawler_elapsed_seconds", kGauge, "Time that all runs of the crawl have taken", crawl,
      std::chrono::duration<double>(s.elapsed_all).count());
  for (const auto& [field, value, help] : kCrawlCounts) {
    const bool counted = CountedNames().count(field) > 0;
    Add(fmt::format("crawler_{}{}", field, counted ? "_total" : ""), counted ? kCounter : kGauge,
        help, crawl, static_cast<double>(s.*value));
  }
  for (const CrawlBreakdown::Code& code : status.breakdown.codes) {
    Add("crawler_responses_total", kCounter, "Responses by status code",
        crawl + "," + Label("code", std::to_string(code.status)),
        static_cast<double>(code.responses));
  }
  if (meters) AddMeters(crawl, *meters);
}

void MetricsText::AddProcess() {
  Add("crawler_build_info", kGauge, "1, with the version as a label",
      Label("version", CRAWLER_VERSION), 1);
  Add("process_resident_memory_bytes", kGauge, "Memory of the process", "", ResidentBytes());
  Add("process_cpu_seconds_total", kCounter, "Processor time of the process", "",
      ProcessorSeconds());
  Add("process_open_fds", kGauge, "Open files of the process", "",
      static_cast<double>(OpenFiles()));
}

std::string MetricsText::Text() const {
  std::string text;
  for (const auto& [name, metric] : metrics_) text += metric.head + metric.lines;
  return text;
}

}  // namespace crawler

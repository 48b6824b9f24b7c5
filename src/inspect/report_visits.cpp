// The requests of a crawl, read from its visits: status codes, throughput, hosts.
#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "engine/crawl_totals.hpp"
#include "inspect/report_parts.hpp"
#include "store/rows.hpp"

namespace crawler {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::int64_t kMostSlots = 100;
constexpr std::size_t kMostRuns = 10'000;
constexpr microseconds kSlow = std::chrono::seconds(1);

/// The time that a crawl ran, without the pauses between its runs.
class RunClock {
 public:
  Status Read(const ReportSource& from) {
    Status status = ForEachRow(
        from.db,
        "SELECT at FROM events WHERE kind IN ('started', 'resumed', 'begun again')"
        " ORDER BY at DESC LIMIT ?",
        [this](Statement& row) { runs_.push_back({row.Int(0)}); },
        static_cast<std::int64_t>(kMostRuns));
    runs_.push_back({std::numeric_limits<std::int64_t>::min()});
    std::reverse(runs_.begin(), runs_.end());
    if (!status.ok()) return status;
    status = ForEachRow(
        from.db,
        "SELECT at, (coalesce(total_us, 0) + 999) / 1000 FROM visits"
        " WHERE id > ? AND outcome NOT IN ('refused', 'given up', 'lost')",
        [this](Statement& row) {
          Run& run = runs_[RunOf(row.Int(0))];
          run.first = std::min(run.first, row.Int(0));
          run.last = std::max(run.last, row.Int(0) + row.Int(1));
        },
        from.last_visit);
    for (Run& run : runs_) {
      run.offset = total_;
      if (run.used()) total_ += run.last - run.first;
    }
    return status;
  }

  std::size_t RunOf(std::int64_t at) const {
    const auto after =
        std::upper_bound(runs_.begin() + 1, runs_.end(), at,
                         [](std::int64_t t, const Run& run) { return t < run.begin; });
    return static_cast<std::size_t>(after - runs_.begin() - 1);
  }
  /// Milliseconds of the crawl at the time `at`, which a visit has.
  std::int64_t TimeOf(std::int64_t at) const {
    const Run& run = runs_[RunOf(at)];
    return run.offset + at - run.first;
  }
  std::int64_t total() const { return total_; }

  void Report(CrawlReport* report) const {
    bool any = false;
    for (const Run& run : runs_) {
      if (!run.used()) continue;
      if (any) report->throughput.resumed_at.emplace_back(run.offset);
      if (!any) report->began = milliseconds(run.first);
      report->ended = milliseconds(run.last);
      any = true;
    }
  }

 private:
  struct Run {
    std::int64_t begin;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    std::int64_t offset = 0;
    bool used() const { return first <= last; }
  };
  std::vector<Run> runs_;  // The first one is of visits that no run has written down.
  std::int64_t total_ = 0;
};

std::int64_t SlotWidth(std::int64_t total) {
  constexpr std::int64_t kSecond = 1'000, kMinute = 60 * kSecond, kHour = 60 * kMinute;
  for (const std::int64_t width :
       {kSecond / 10, kSecond / 5, kSecond / 2, kSecond, 2 * kSecond, 5 * kSecond, 10 * kSecond,
        30 * kSecond, kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 30 * kMinute, kHour,
        2 * kHour, 6 * kHour, 12 * kHour, 24 * kHour}) {
    if (total / width < kMostSlots) return width;
  }
  return total / kMostSlots + 1;
}

/// Sums up the visits of a host, in the order of their starts.
struct HostSums {
  std::int64_t host = 0;
  HostReceipt receipt;
  std::int64_t answers = 0, time = 0;  // Microseconds.
  std::int64_t last_at = 0;
  std::size_t last_run = 0;

  void Add(const VisitRow& row, const RunClock& clock) {
    const CountedVisit visit(row);
    if (row.outcome == VisitOutcome::kRefused) receipt.refused += row.final;
    if (row.outcome == VisitOutcome::kGivenUp) receipt.given_up += row.final;
    if (!visit.asked_host()) return;
    AddTime(row.at, clock.RunOf(row.at));
    ++receipt.requests;
    receipt.pages += visit.is_page();
    receipt.bytes += row.bytes;
    receipt.http_errors += row.outcome == VisitOutcome::kHttpError;
    receipt.server_errors += row.outcome == VisitOutcome::kHttpError && row.status >= 500;
    receipt.failures += visit.is_failure();
    receipt.backoffs += row.outcome == VisitOutcome::kThrottled;
    receipt.longest_retry_after =
        std::max(receipt.longest_retry_after, milliseconds(row.retry_after));
    if (row.status == 0) return;
    ++answers;
    time += row.total;
    receipt.longest_time = std::max(receipt.longest_time, microseconds(row.total));
  }

  void End() {
    if (answers > 0) receipt.mean_time = microseconds(time / answers);
  }
  bool slow() const { return receipt.mean_time >= kSlow; }
  std::uint64_t trouble() const {
    return receipt.server_errors + receipt.failures + receipt.backoffs + receipt.given_up;
  }

 private:
  void AddTime(std::int64_t at, std::size_t run) {
    if (receipt.requests == 0) {
      receipt.first = milliseconds(at);
    } else {
      const milliseconds gap(at - last_at);
      receipt.shortest_gap = std::min(receipt.shortest_gap.value_or(gap), gap);
      if (run == last_run) receipt.active += gap;
    }
    receipt.last = milliseconds(at);
    last_at = at;
    last_run = run;
  }
};

struct MoreRequests {
  bool operator()(const HostSums& a, const HostSums& b) const {
    return a.receipt.requests > b.receipt.requests;
  }
};
struct Slower {
  bool operator()(const HostSums& a, const HostSums& b) const {
    return a.receipt.mean_time > b.receipt.mean_time;
  }
};
struct MoreTrouble {
  bool operator()(const HostSums& a, const HostSums& b) const { return a.trouble() > b.trouble(); }
};

/// The hosts, one after the other, into three lists.
class HostLists {
 public:
  explicit HostLists(std::size_t rows) : all_(rows, {}), slow_(rows, {}), failing_(rows, {}) {}

  void Add(HostSums&& sums) {
    if (sums.receipt.requests + sums.receipt.refused + sums.receipt.given_up == 0) return;
    sums.End();
    if (sums.slow()) slow_.Offer(sums);
    if (sums.trouble() > 0) failing_.Offer(sums);
    all_.Offer(std::move(sums));
  }

  Status Report(const ReportSource& from, CrawlReport* report) {
    Status status = Take(from, &all_, &report->hosts);
    if (status.ok()) status = Take(from, &slow_, &report->slow_hosts);
    if (status.ok()) status = Take(from, &failing_, &report->failing_hosts);
    return status;
  }

 private:
  template <typename Better>
  static Status Take(const ReportSource& from, BestRows<HostSums, Better>* best,
                     ReportList<HostReceipt>* list) {
    list->total = best->total();
    std::vector<std::int64_t> ids;
    for (HostSums& sums : best->Take()) {
      ids.push_back(sums.host);
      list->rows.push_back(std::move(sums.receipt));
    }
    return ReadHostRules(from, ids, list);
  }

  BestRows<HostSums, MoreRequests> all_;
  BestRows<HostSums, Slower> slow_;
  BestRows<HostSums, MoreTrouble> failing_;
};

Status ForEachVisitByHost(const ReportSource& from,
                          const std::function<void(std::int64_t, const VisitRow&)>& visit) {
  return ForEachRow(
      from.db,
      "SELECT coalesce(u.host_id, v.host_id, 0), v.at, v.url_id, v.final, v.outcome, v.status_code,"
      " v.failure, v.bytes, v.total_us, v.retry_after_ms, v.id"
      " FROM visits v LEFT JOIN urls u ON u.id = v.url_id WHERE v.id > ? ORDER BY 1, 2",
      [&](Statement& row) {
        const std::optional<VisitOutcome> outcome = ParseVisitOutcome(row.Text(4));
        if (!outcome) {
          return Status(StatusCode::kCorruption,
                        "visits: row " + std::to_string(row.Int(10)) + " has an unknown outcome");
        }
        VisitRow read;
        read.at = row.Int(1);
        read.url = static_cast<UrlId>(row.Int(2));
        read.final = row.Int(3) != 0;
        read.outcome = *outcome;
        read.status = static_cast<int>(row.Int(5));
        read.failure = ParseFetchFailure(row.Text(6)).value_or(FetchFailure::kNone);
        read.bytes = static_cast<std::uint64_t>(row.Int(7));
        read.total = row.Int(8);
        read.retry_after = row.Int(9);
        visit(row.Int(0), read);
        return Status::Ok();
      },
      from.last_visit);
}

/// Status codes and slots of time.
class Totals {
 public:
  Totals(const RunClock& clock, CrawlThroughput* throughput)
      : clock_(clock), throughput_(*throughput) {
    throughput_.width = milliseconds(SlotWidth(clock.total()));
    throughput_.total = milliseconds(clock.total());
  }

  void Add(const VisitRow& row) {
    const CountedVisit visit(row);
    if (!visit.asked_host()) return;
    const auto slot = static_cast<std::size_t>(clock_.TimeOf(row.at) / throughput_.width.count());
    if (slot >= throughput_.slots.size()) throughput_.slots.resize(slot + 1);
    CrawlThroughput::Slot& at = throughput_.slots[slot];
    ++at.requests;
    at.pages += visit.is_page();
    at.errors += visit.is_error() || row.outcome == VisitOutcome::kThrottled;
    at.bytes += row.bytes;
    // The site did not ask for these: see CRAWLER_COUNTERS.
    if (row.url == 0 || row.outcome == VisitOutcome::kNoSitemap || row.status == 0) return;
    StatusCodeCount& code = codes_[row.status];
    ++code.responses;
    code.urls += row.final;
  }

  std::vector<StatusCodeCount> TakeCodes() {
    std::vector<StatusCodeCount> codes;
    for (auto& [status, code] : codes_) {
      code.status = status;
      codes.push_back(code);
    }
    return codes;
  }

 private:
  const RunClock& clock_;
  CrawlThroughput& throughput_;
  std::map<int, StatusCodeCount> codes_;
};

}  // namespace

Status ReadVisits(const ReportSource& from, CrawlReport* report) {
  RunClock clock;
  if (Status status = clock.Read(from); !status.ok()) return status;
  clock.Report(report);
  Totals totals(clock, &report->throughput);
  HostLists hosts(from.rows);
  HostSums sums;
  Status status = ForEachVisitByHost(from, [&](std::int64_t host, const VisitRow& row) {
    if (host != sums.host) hosts.Add(std::exchange(sums, {}));
    sums.host = host;
    sums.Add(row, clock);
    totals.Add(row);
  });
  if (!status.ok()) return status;
  hosts.Add(std::move(sums));
  report->codes = totals.TakeCodes();
  return hosts.Report(from, report);
}

}  // namespace crawler

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "crawler/report.hpp"
#include "db/database.hpp"

namespace crawler {

// The steps of ReportFolder(). Each reads a part of the catalogue once and fills its fields of the
// report; lists are cut at ReportSource::rows while they are read.

/// A catalogue to report on. Borrows all of it.
struct ReportSource {
  Database& db;
  const CrawlOptions& options;
  std::size_t rows;         ///< Most rows of a list.
  std::int64_t last_visit;  ///< The last one from before the last round.
};

/// Fates and skipped URLs, content types, depths, sizes.
Status ReadTotals(const ReportSource& from, CrawlReport* report);
/// Status codes, throughput and the requests of hosts.
Status ReadVisits(const ReportSource& from, CrawlReport* report);
/// The origins, delays and robots.txt rules of the hosts that ReadVisits() has listed.
/// `ids`: of the hosts of `list`, row by row.
Status ReadHostRules(const ReportSource& from, const std::vector<std::int64_t>& ids,
                     ReportList<HostReceipt>* list);
/// Broken links, redirects, dead letters.
Status ReadProblems(const ReportSource& from, CrawlReport* report);
/// Duplicates, near-duplicates, titles.
Status ReadDuplicates(const ReportSource& from, CrawlReport* report);
Status ReadTitles(const ReportSource& from, CrawlReport* report);

/// The `most` best of the rows that are offered; equal ones in the order in which they came.
template <typename Row, typename Better>
class BestRows {
 public:
  BestRows(std::size_t most, Better better) : most_(most), better_(std::move(better)) {}
  BestRows(const BestRows&) = delete;
  BestRows& operator=(const BestRows&) = delete;

  void Offer(Row row) {
    ++total_;
    if (most_ == 0) return;
    if (rows_.size() == most_ && !better_(row, rows_.front().second)) return;
    if (rows_.size() == most_) {
      std::pop_heap(rows_.begin(), rows_.end(), order_);
      rows_.pop_back();
    }
    rows_.emplace_back(total_, std::move(row));
    std::push_heap(rows_.begin(), rows_.end(), order_);
  }

  std::uint64_t total() const { return total_; }
  /// The rows, the best first. Leaves none.
  std::vector<Row> Take() {
    std::sort_heap(rows_.begin(), rows_.end(), order_);
    std::vector<Row> rows;
    rows.reserve(rows_.size());
    for (auto& [place, row] : rows_) rows.push_back(std::move(row));
    rows_.clear();
    return rows;
  }

 private:
  using Placed = std::pair<std::uint64_t, Row>;
  struct Order {
    const BestRows* best;
    bool operator()(const Placed& a, const Placed& b) const {
      if (best->better_(a.second, b.second)) return true;
      return !best->better_(b.second, a.second) && a.first < b.first;
    }
  };

  std::size_t most_;
  Better better_;
  std::uint64_t total_ = 0;
  Order order_{this};
  std::vector<Placed> rows_;  // A heap, the worst first.
};

}  // namespace crawler

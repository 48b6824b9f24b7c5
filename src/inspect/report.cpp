// ReportFolder(): a crawl in numbers and lists, for people.
#include "crawler/report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "inspect/inspect.hpp"
#include "inspect/read_folder.hpp"
#include "inspect/read_snapshot.hpp"
#include "inspect/report_parts.hpp"
#include "model/url_record.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMostRows = 10'000;
constexpr std::uint32_t kMostDepths = 30;
constexpr std::array<std::uint64_t, 6> kSizes = {1'000,   10'000,    50'000,
                                                 100'000, 1'000'000, 10'000'000};

Status ReadFates(const ReportSource& from, CrawlReport* report) {
  std::map<std::string, std::uint64_t> fates, skipped;
  Status status = ForEachRow(
      from.db,
      "SELECT f.fate, u.skipped, count(*) FROM fates f CROSS JOIN urls u ON u.id = f.url_id"
      " GROUP BY 1, 2",
      [&](Statement& row) {
        const auto count = static_cast<std::uint64_t>(row.Int(2));
        fates[std::string(row.Text(0))] += count;
        if (row.Text(0) != "skipped") return;
        skipped[std::string(SkipReasonText(static_cast<SkipReason>(row.Int(1))))] += count;
      });
  const auto in_order = [](const std::map<std::string, std::uint64_t>& counts) {
    std::vector<ReportCount> list;
    list.reserve(counts.size());
    for (const auto& [name, count] : counts) list.push_back({name, count});
    std::stable_sort(list.begin(), list.end(),
                     [](const ReportCount& a, const ReportCount& b) { return a.count > b.count; });
    return list;
  };
  report->fates = in_order(fates);
  report->skipped = in_order(skipped);
  return status;
}

std::size_t SizeClassOf(std::uint64_t bytes) {
  return static_cast<std::size_t>(std::upper_bound(kSizes.begin(), kSizes.end(), bytes) -
                                  kSizes.begin());
}

// One pass over the pages, grouped by size class so that sizes need no pass of their own.
std::string ShapeQuery() {
  std::string bucket = "CASE";
  for (const std::uint64_t size : kSizes) {
    bucket += " WHEN size < " + std::to_string(size) + " THEN " + std::to_string(size - 1);
  }
  bucket += " ELSE " + std::to_string(kSizes.back()) + " END";
  return "SELECT coalesce(content_type, ''), min(depth, " + std::to_string(kMostDepths) + "), " +
         bucket + ", count(*), sum(size) FROM pages GROUP BY 1, 2, 3 ORDER BY 1";
}

Status ReadShapes(const ReportSource& from, CrawlReport* report) {
  const auto more = [](const ContentTypeCount& a, const ContentTypeCount& b) {
    return a.pages > b.pages;
  };
  BestRows<ContentTypeCount, decltype(more)> types(from.rows, more);
  ContentTypeCount type;
  std::map<std::uint32_t, std::uint64_t> depths;
  std::array<std::uint64_t, kSizes.size() + 1> sizes{};
  Status status = ForEachRow(from.db, ShapeQuery(), [&](Statement& row) {
    const auto pages = static_cast<std::uint64_t>(row.Int(3));
    if (type.pages > 0 && type.type != row.Text(0)) types.Offer(std::exchange(type, {}));
    type.type = row.Text(0);
    type.pages += pages;
    type.bytes += static_cast<std::uint64_t>(row.Int(4));
    depths[static_cast<std::uint32_t>(row.Int(1))] += pages;
    sizes[SizeClassOf(static_cast<std::uint64_t>(row.Int(2)))] += pages;
  });
  if (type.pages > 0) types.Offer(std::move(type));
  report->types = {types.Take(), types.total()};
  for (const auto& [depth, pages] : depths) report->depths.push_back({depth, pages});
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    report->sizes.push_back({i < kSizes.size() ? kSizes[i] : 0, sizes[i]});
  }
  return status;
}

Status FillReport(Database& db, const ReportSettings& settings, CrawlReport* report) {
  const Result<CrawlOptions> options = ReadOptions(db);
  if (!options.ok()) return options.status();
  report->seeds = options->seeds;
  const Result<std::int64_t> rounds = db.QueryInt("SELECT count(*) FROM rounds");
  if (!rounds.ok()) return rounds.status();
  report->rounds = 1 + static_cast<std::uint64_t>(*rounds);
  const Result<std::int64_t> last = db.QueryInt("SELECT max(last_visit) FROM rounds");
  if (!last.ok()) return last.status();
  const ReportSource from{db, *options, std::min(settings.rows, kMostRows), *last};
  for (const auto step : {ReadTotals, ReadVisits, ReadProblems, ReadDuplicates, ReadTitles}) {
    if (Status status = step(from, report); !status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace

Status ReadTotals(const ReportSource& from, CrawlReport* report) {
  if (Status status = ReadFates(from, report); !status.ok()) return status;
  return ReadShapes(from, report);
}

CrawlReport ReportFolder(const std::string& folder, const ReportSettings& settings) {
  CrawlReport report;
  Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, settings.limits);
  if (!snapshot.ok()) {
    report.outcome = FailedToRead(snapshot.status());
    return report;
  }
  report.status = InspectStatus(folder);
  Status status = FillReport(snapshot->db(), settings, &report);
  // The queries are ours: one that fails has met a catalogue that is damaged.
  if (status.code() == StatusCode::kInternal || status.code() == StatusCode::kInvalidArgument) {
    status = Status(StatusCode::kCorruption, status.message());
  }
  report.outcome = snapshot->Outcome(status, 0);
  return report;
}

}  // namespace crawler

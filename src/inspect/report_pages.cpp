// Pages that are alike, and titles.
#include <map>
#include <unordered_map>

#include "inspect/report_parts.hpp"
#include "search/fold_table.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMostOthers = 5;
/// Pages whose sketches are compared, the first ones: a bound of memory, about 60 MB.
constexpr std::int64_t kMostCompared = 100'000;

/// A group of pages by ids; `first` is the URL or page that the others are like.
struct Group {
  std::int64_t first = 0;
  std::uint64_t copies = 0;
  std::vector<std::int64_t> others;
};

struct MoreCopies {
  bool operator()(const Group& a, const Group& b) const { return a.copies > b.copies; }
};
using BestGroups = BestRows<Group, MoreCopies>;

// One pass fills the other pages of all groups, since no index leads from an original to them.
Status ReadCopies(const ReportSource& from, ReportList<DuplicateGroup>* list,
                  const std::vector<Group>& groups) {
  std::map<std::int64_t, DuplicateGroup*> by_original;
  for (std::size_t i = 0; i < groups.size(); ++i) by_original[groups[i].first] = &list->rows[i];
  if (by_original.empty()) return Status::Ok();
  return ForEachRow(from.db, "SELECT duplicate_of, url FROM pages WHERE duplicate_of IS NOT NULL",
                    [&](Statement& row) {
                      const auto found = by_original.find(row.Int(0));
                      if (found == by_original.end()) return;
                      std::vector<std::string>& others = found->second->others;
                      if (others.size() < kMostOthers) others.emplace_back(row.Text(1));
                    });
}

Result<std::string> UrlOf(Database& db, std::string_view sql, std::int64_t id) {
  std::string url;
  Status status = ForEachRow(
      db, sql, [&](Statement& row) { url = row.Text(0); }, id);
  if (!status.ok()) return status;
  return url;
}

constexpr std::string_view kUrlById = "SELECT url FROM urls WHERE id = ?";
constexpr std::string_view kUrlOfPage = "SELECT url FROM pages WHERE id = ?";

// The texts of groups: URLs for ids.
Status AddGroups(const ReportSource& from, std::string_view url_of, std::vector<Group>* groups,
                 ReportList<DuplicateGroup>* list) {
  for (Group& group : *groups) {
    DuplicateGroup& row = list->rows.emplace_back();
    row.copies = group.copies;
    Result<std::string> url = UrlOf(from.db, url_of, group.first);
    if (!url.ok()) return url.status();
    row.url = std::move(url).value();
    for (const std::int64_t other : group.others) {
      Result<std::string> text = UrlOf(from.db, url_of, other);
      if (!text.ok()) return text.status();
      row.others.push_back(std::move(text).value());
    }
  }
  return Status::Ok();
}

Status ReadSameContent(const ReportSource& from, CrawlReport* report) {
  BestGroups best(from.rows, {});
  Status status = ForEachRow(
      from.db, "SELECT duplicate_of, count(*) FROM pages WHERE duplicate_of IS NOT NULL GROUP BY 1",
      [&](Statement& row) {
        const auto copies = static_cast<std::uint64_t>(row.Int(1));
        report->duplicate_pages += copies;
        best.Offer({row.Int(0), copies, {}});
      });
  if (!status.ok()) return status;
  report->duplicates.total = best.total();
  std::vector<Group> groups = best.Take();
  status = AddGroups(from, kUrlById, &groups, &report->duplicates);
  return status.ok() ? ReadCopies(from, &report->duplicates, groups) : status;
}

Status ReadNearDuplicates(const ReportSource& from, CrawlReport* report) {
  FoldTable seen;
  std::vector<std::int64_t> pages;
  std::unordered_map<std::size_t, Group> groups;
  Status status = ForEachRow(
      from.db,
      "SELECT t.page_id, t.sketch FROM page_text t CROSS JOIN pages p ON p.id = t.page_id"
      " WHERE t.words >= ? AND length(t.sketch) > 0 AND p.duplicate_of IS NULL LIMIT ?",
      [&](Statement& row) {
        ++report->pages_compared;
        const std::int64_t page = row.Int(0);
        if (const auto like = seen.Find(page, row.Blob(1))) {
          Group& group = groups[*like];
          group.first = pages[*like];
          ++group.copies;
          ++report->near_duplicate_pages;
          if (group.others.size() < kMostOthers) group.others.push_back(page);
          return;
        }
        seen.Add(page, row.Blob(1));
        pages.push_back(page);
      },
      kFoldedWords, kMostCompared);
  if (!status.ok()) return status;
  const std::map<std::size_t, Group> in_order(groups.begin(), groups.end());
  BestGroups best(from.rows, {});
  for (const auto& [place, group] : in_order) best.Offer(group);
  report->near_duplicates.total = best.total();
  std::vector<Group> rows = best.Take();
  return AddGroups(from, kUrlOfPage, &rows, &report->near_duplicates);
}

Status ReadMissingTitles(const ReportSource& from, CrawlReport* report) {
  ReportList<std::string>& list = report->missing_titles;
  return ForEachRow(from.db,
                    "SELECT url FROM pages WHERE title IS NULL"
                    " AND content_type IN ('text/html', 'application/xhtml+xml')",
                    [&](Statement& row) {
                      ++list.total;
                      if (list.rows.size() < from.rows) list.rows.emplace_back(row.Text(0));
                    });
}

struct TitleGroup {
  std::string title;
  std::uint64_t pages = 0;
  std::int64_t first = 0, last = 0;
};
struct MorePages {
  bool operator()(const TitleGroup& a, const TitleGroup& b) const { return a.pages > b.pages; }
};

Status ReadSharedTitles(const ReportSource& from, CrawlReport* report) {
  BestRows<TitleGroup, MorePages> best(from.rows, {});
  Status status = ForEachRow(
      from.db,
      "SELECT title, count(*), min(id), max(id) FROM pages"
      " WHERE title IS NOT NULL AND duplicate_of IS NULL GROUP BY title HAVING count(*) > 1",
      [&](Statement& row) {
        best.Offer({std::string(row.Text(0)), static_cast<std::uint64_t>(row.Int(1)), row.Int(2),
                    row.Int(3)});
      });
  if (!status.ok()) return status;
  report->shared_titles.total = best.total();
  for (TitleGroup& group : best.Take()) {
    SharedTitle& row = report->shared_titles.rows.emplace_back();
    row.title = std::move(group.title);
    row.pages = group.pages;
    for (const std::int64_t page : {group.first, group.last}) {
      Result<std::string> url = UrlOf(from.db, kUrlOfPage, page);
      if (!url.ok()) return url.status();
      row.urls.push_back(std::move(url).value());
    }
  }
  return Status::Ok();
}

}  // namespace

Status ReadDuplicates(const ReportSource& from, CrawlReport* report) {
  if (Status status = ReadSameContent(from, report); !status.ok()) return status;
  return ReadNearDuplicates(from, report);
}

Status ReadTitles(const ReportSource& from, CrawlReport* report) {
  if (Status status = ReadMissingTitles(from, report); !status.ok()) return status;
  return ReadSharedTitles(from, report);
}

}  // namespace crawler

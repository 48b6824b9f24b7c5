#include "inspect/catalogue_lists.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "inspect/read_folder.hpp"
#include "inspect/read_snapshot.hpp"

namespace crawler {
namespace {

constexpr std::chrono::milliseconds kListTime{5'000};

Result<CatalogueSnapshot> OpenSnapshot(const std::string& folder, const Stopped& stopped) {
  return CatalogueSnapshot::Open(folder, {kListTime, stopped});
}

/// Columns that SQL has as 0 and 1.
bool IsFlag(std::string_view column) {
  return column == "nofollow" || column == "loop" || column == "noindex";
}

ListJson ToValue(const Statement& row, int column) {
  switch (row.TypeOf(column)) {
    case Statement::Type::kInteger:
      if (IsFlag(row.ColumnName(column))) return row.Int(column) != 0;
      return row.Int(column);
    case Statement::Type::kReal:
      return row.Real(column);
    case Statement::Type::kText:
    case Statement::Type::kBlob:
      return std::string(row.Text(column));
    case Statement::Type::kNull:
      break;
  }
  return nullptr;
}

ListJson ToObject(const Statement& row) {
  ListJson object = ListJson::object();
  for (int i = 0; i < row.ColumnCount(); ++i) {
    object[std::string(row.ColumnName(i))] = ToValue(row, i);
  }
  return object;
}

/// A list: its SELECT, and the columns by which it may be sorted and searched.
struct ListSource {
  const char* sql;
  std::span<const std::string_view> columns;
  std::span<const std::string_view> searched;
};

std::string Condition(const ListSource& source, const ListRequest& request) {
  std::string where = " WHERE 1";
  if (!request.text.empty()) {
    where += " AND (0";
    for (const std::string_view column : source.searched) {
      where += " OR instr(lower(" + std::string(column) + "), lower(?1)) > 0";
    }
    where += ")";
  }
  if (request.status != 0) where += " AND status = ?2";
  return where;
}

/// `key` is ?3 of the SELECT.
Result<ListJson> ReadList(CatalogueSnapshot& snapshot, const ListSource& source,
                          const ListRequest& request, std::int64_t key = 0) {
  const auto& columns = source.columns;
  if (!request.sort.empty() &&
      std::find(columns.begin(), columns.end(), request.sort) == columns.end()) {
    return Status(StatusCode::kInvalidArgument, "there is no column " + request.sort);
  }
  const std::string from = std::string(" FROM (") + source.sql + ")" + Condition(source, request);
  const auto bind = [&](Statement& statement) {
    statement.Bind(1, std::string_view(request.text));
    statement.Bind(2, request.status);
    statement.Bind(3, key);
    statement.Bind(4, request.limit);
    statement.Bind(5, request.offset);
  };
  Result<Statement> count = snapshot.db().Prepare("SELECT count(*)" + from);
  if (!count.ok()) return count.status();
  bind(*count);
  std::int64_t total = 0;
  Status status = ForEachRow(*count, [&total](Statement& row) { total = row.Int(0); });
  if (!status.ok()) return status;
  std::string order;
  if (!request.sort.empty()) {
    order = " ORDER BY \"" + request.sort + "\"" + (request.descending ? " DESC" : "");
  }
  Result<Statement> list = snapshot.db().Prepare("SELECT *" + from + order + " LIMIT ?4 OFFSET ?5");
  if (!list.ok()) return list.status();
  bind(*list);
  ListJson rows = ListJson::array();
  status = ForEachRow(*list, [&rows](Statement& row) { rows.push_back(ToObject(row)); });
  if (!status.ok()) return status;
  return ListJson{{"total", total}, {"rows", std::move(rows)}};
}

constexpr std::string_view kPageColumns[] = {"id",         "url",  "title",    "status",
                                             "depth",      "size", "language", "content_type",
                                             "crawled_at", "score"};
constexpr std::string_view kPageTexts[] = {"url", "title"};
constexpr ListSource kPages = {R"sql(
  SELECT p.id, p.url, p.title, p.status_code AS status, p.depth, p.size,
         coalesce((SELECT t.language FROM page_text t WHERE t.page_id = p.id),
                  p.language) AS language,
         p.content_type, p.crawled_at, p.priority AS score
  FROM pages p)sql",
                               kPageColumns, kPageTexts};

// ?3 is the delay of the crawl in milliseconds.
constexpr std::string_view kHostColumns[] = {"host",
                                             "urls",
                                             "pages",
                                             "requests",
                                             "errors",
                                             "bytes",
                                             "rate",
                                             "waiting",
                                             "first_at",
                                             "last_at",
                                             "allowed_interval_ms",
                                             "robots_status"};
constexpr std::string_view kHostTexts[] = {"host"};
constexpr ListSource kHosts = {R"sql(
  WITH known AS (SELECT host_id, count(*) AS urls, sum(skipped IS NULL) AS wanted
                 FROM urls GROUP BY host_id),
       stored AS (SELECT u.host_id, count(*) AS pages
                  FROM pages p CROSS JOIN urls u ON u.id = p.url_id GROUP BY u.host_id),
       asked AS (SELECT coalesce(u.host_id, v.host_id) AS host_id,
                        sum(v.outcome NOT IN ('given up', 'refused')) AS requests,
                        sum(v.outcome IN ('http error', 'failed')) AS errors,
                        sum(v.final AND v.url_id IS NOT NULL) AS ended,
                        sum(v.bytes) AS bytes, min(v.at) AS first, max(v.at) AS last
                 FROM visits v LEFT JOIN urls u ON u.id = v.url_id GROUP BY 1)
  SELECT h.origin AS host, coalesce(k.urls, 0) AS urls, coalesce(s.pages, 0) AS pages,
         coalesce(a.requests, 0) AS requests, coalesce(a.errors, 0) AS errors,
         coalesce(a.bytes, 0) AS bytes,
         CASE WHEN a.requests > 1 AND a.last > a.first
              THEN (a.requests - 1) * 1000.0 / (a.last - a.first) ELSE 0.0 END AS rate,
         max(coalesce(k.wanted, 0) - coalesce(a.ended, 0), 0) AS waiting,
         a.first AS first_at, a.last AS last_at,
         max(?3, CAST(coalesce(r.crawl_delay, 0) * 1000 AS INTEGER)) AS allowed_interval_ms,
         r.status_code AS robots_status
  FROM hosts h LEFT JOIN known k ON k.host_id = h.id LEFT JOIN stored s ON s.host_id = h.id
       LEFT JOIN asked a ON a.host_id = h.id LEFT JOIN robots_cache r ON r.domain = h.origin)sql",
                               kHostColumns, kHostTexts};

constexpr std::string_view kBrokenColumns[] = {"url", "status",   "fate",     "reason",
                                               "via", "from_url", "nofollow", "anchor"};
constexpr std::string_view kBrokenTexts[] = {"url", "from_url", "anchor"};
constexpr ListSource kBroken = {R"sql(
  SELECT url, status_code AS status, fate, reason, via, from_url, nofollow, anchor
  FROM broken_links)sql",
                                kBrokenColumns, kBrokenTexts};

constexpr std::string_view kRedirectColumns[] = {"url",     "status",   "hops",       "loop",
                                                 "end_url", "end_fate", "end_status", "chain"};
constexpr std::string_view kRedirectTexts[] = {"url", "end_url"};
constexpr ListSource kRedirects = {R"sql(
  SELECT url, status_code AS status, hops, loop, end_url, end_fate, end_status, chain
  FROM redirect_chains)sql",
                                   kRedirectColumns, kRedirectTexts};

// ?3 is the id of the URL.
constexpr std::string_view kLinkColumns[] = {"url", "nofollow", "anchor"};
constexpr std::string_view kLinkTexts[] = {"url", "anchor"};
constexpr ListSource kLinksIn = {R"sql(
  SELECT u.url, e.nofollow, e.anchor
  FROM edges e CROSS JOIN urls u ON u.id = e.from_id WHERE e.to_id = ?3)sql",
                                 kLinkColumns, kLinkTexts};
constexpr ListSource kLinksOut = {R"sql(
  SELECT u.url, e.nofollow, e.anchor
  FROM edges e CROSS JOIN urls u ON u.id = e.to_id WHERE e.from_id = ?3)sql",
                                  kLinkColumns, kLinkTexts};

Result<ListJson> ReadAll(const std::string& folder, const ListSource& source,
                         const ListRequest& request, const Stopped& stopped) {
  Result<CatalogueSnapshot> snapshot = OpenSnapshot(folder, stopped);
  if (!snapshot.ok()) return snapshot.status();
  return ReadList(*snapshot, source, request);
}

}  // namespace

Result<ListJson> ListPages(const std::string& folder, const ListRequest& request,
                           const Stopped& stopped) {
  return ReadAll(folder, kPages, request, stopped);
}

Result<ListJson> ListBroken(const std::string& folder, const ListRequest& request,
                            const Stopped& stopped) {
  return ReadAll(folder, kBroken, request, stopped);
}

Result<ListJson> ListRedirects(const std::string& folder, const ListRequest& request,
                               const Stopped& stopped) {
  return ReadAll(folder, kRedirects, request, stopped);
}

Result<ListJson> ListHosts(const std::string& folder, const std::vector<HostHoldup>& waiting,
                           const ListRequest& request, const Stopped& stopped) {
  Result<CatalogueSnapshot> snapshot = OpenSnapshot(folder, stopped);
  if (!snapshot.ok()) return snapshot.status();
  const Result<CrawlOptions> options = ReadOptions(snapshot->db());
  if (!options.ok()) return options.status();
  Result<ListJson> list = ReadList(*snapshot, kHosts, request, options->delay.count());
  if (!list.ok()) return list;
  std::map<std::string, const HostHoldup*> holdups;
  for (const HostHoldup& holdup : waiting) holdups[holdup.host] = &holdup;
  for (ListJson& row : (*list)["rows"]) {
    const auto known = holdups.find(row["host"].get<std::string>());
    const HostHoldup* const holdup = known == holdups.end() ? nullptr : known->second;
    row["due_in_ms"] = nullptr;
    row["why"] = holdup != nullptr ? holdup->why : "";
    row["trouble"] = holdup != nullptr ? holdup->trouble : "";
    if (holdup == nullptr) continue;
    row["waiting"] = holdup->waiting;
    if (holdup->due_in) row["due_in_ms"] = holdup->due_in->count();
    if (holdup->interval.count() > 0) row["allowed_interval_ms"] = holdup->interval.count();
  }
  return list;
}

Result<ListJson> ListLinks(const std::string& folder, const std::string& url, bool outgoing,
                           const ListRequest& request, const Stopped& stopped) {
  Result<CatalogueSnapshot> snapshot = OpenSnapshot(folder, stopped);
  if (!snapshot.ok()) return snapshot.status();
  const Result<CrawlOptions> options = ReadOptions(snapshot->db());
  if (!options.ok()) return options.status();
  const Result<Url> wanted = ParseUrlFor(*options, url);
  if (!wanted.ok()) return wanted.status();
  std::int64_t id = 0;
  Status status = ForEachRow(
      snapshot->db(), "SELECT id FROM urls WHERE url = ?",
      [&id](Statement& row) { id = row.Int(0); }, std::string_view(wanted->href()));
  if (!status.ok()) return status;
  if (id == 0)
    return Status(StatusCode::kNotFound, "the crawl does not know " + std::string(wanted->href()));
  return ReadList(*snapshot, outgoing ? kLinksOut : kLinksIn, request, id);
}

Result<ListJson> ReadRobotsTxt(const std::string& folder, const std::string& origin,
                               const Stopped& stopped) {
  Result<CatalogueSnapshot> snapshot = OpenSnapshot(folder, stopped);
  if (!snapshot.ok()) return snapshot.status();
  ListJson robots;
  const Status status = ForEachRow(
      snapshot->db(),
      "SELECT domain AS host, rules AS text, status_code AS status, policy, crawl_delay, "
      "fetched_at, expires_at FROM robots_cache WHERE domain = ?",
      [&robots](Statement& row) { robots = ToObject(row); }, std::string_view(origin));
  if (!status.ok()) return status;
  if (robots.is_null()) {
    return Status(StatusCode::kNotFound, "no robots.txt of " + origin + " is stored");
  }
  return robots;
}

}  // namespace crawler

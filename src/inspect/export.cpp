// ExportCrawl(): the parts of a crawl as rows, each of them one query.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "inspect/export_graph.hpp"
#include "inspect/inspect.hpp"
#include "inspect/read_snapshot.hpp"
#include "inspect/row_writer.hpp"

namespace crawler {
namespace {

struct Export {
  ExportKind kind;
  const char* sql;  ///< Null for the graph.
};

constexpr Export kExports[] = {
    {{"urls", "Every URL that was found, and what became of it"}, R"sql(
  SELECT f.url, f.fate, f.status_code, f.reason, f.depth,
         CASE u.via WHEN 0 THEN 'seed' WHEN 1 THEN 'link' WHEN 2 THEN 'redirect'
                    ELSE 'sitemap' END AS via,
         s.url AS found_on
  FROM fates f CROSS JOIN urls u ON u.id = f.url_id LEFT JOIN urls s ON s.id = u.from_id)sql"},
    {{"pages", "Every stored page: status, type, title, size, words, …"}, R"sql(
  SELECT p.url, p.status_code, p.content_type, p.charset, p.title, p.h1, p.description,
         coalesce(t.language, p.language) AS language, t.words, p.size, p.depth, p.canonical, p.hreflang,
         p.noindex, p.nofollow, p.truncated, o.url AS duplicate_of, w.page_rank, p.content_hash,
         p.last_modified, p.etag,
         strftime('%Y-%m-%dT%H:%M:%SZ', p.crawled_at / 1000, 'unixepoch') AS crawled_at, p.headers
  FROM pages p LEFT JOIN page_text t ON t.page_id = p.id
       LEFT JOIN page_weights w ON w.page_id = p.id LEFT JOIN urls o ON o.id = p.duplicate_of)sql"},
    {{"links", "Every link between two URLs, with its text"}, R"sql(
  SELECT from_url AS source, url AS target, nofollow, anchor FROM inlinks)sql"},
    {{"broken", "Links that lead to an error, and the pages they are on"}, R"sql(
  SELECT url, status_code, fate, reason, via, from_url, nofollow, anchor FROM broken_links)sql"},
    {{"redirects", "Every URL that redirects, where it ends, and loops"}, R"sql(
  SELECT url, status_code, hops, loop, end_url, end_fate, end_status, chain
  FROM redirect_chains)sql"},
    {{"titles", "Every title, its length, and how many pages share it"}, R"sql(
  SELECT p.url, p.title, length(p.title) AS length, coalesce(d.pages, 1) AS pages,
         o.url AS duplicate_of
  FROM pages p
       LEFT JOIN (SELECT title, count(*) AS pages FROM pages WHERE title IS NOT NULL
                  GROUP BY title HAVING count(*) > 1) d ON d.title = p.title
       LEFT JOIN urls o ON o.id = p.duplicate_of)sql"},
    {{"changes", "What repeated crawls found new, changed, unchanged or gone"}, R"sql(
  SELECT 1 + (SELECT count(*) FROM rounds r WHERE r.last_visit < v.id) AS round,
         strftime('%Y-%m-%dT%H:%M:%SZ', v.at / 1000, 'unixepoch') AS at,
         u.url, v.change, v.outcome, v.status_code
  FROM visits v CROSS JOIN urls u ON u.id = v.url_id WHERE v.change IS NOT NULL)sql"},
    {{"dead-letters", "URLs that were given up, and every failed attempt"}, R"sql(
  SELECT u.url, strftime('%Y-%m-%dT%H:%M:%SZ', d.at / 1000, 'unixepoch') AS at, d.reason, d.history
  FROM dead_letters d CROSS JOIN urls u ON u.id = d.url_id)sql"},
    {{"hosts", "Every host: URLs, pages, requests, errors, bytes, robots.txt"}, R"sql(
  WITH known AS (SELECT host_id, count(*) AS urls FROM urls GROUP BY host_id),
       stored AS (SELECT u.host_id, count(*) AS pages
                  FROM pages p CROSS JOIN urls u ON u.id = p.url_id GROUP BY u.host_id),
       asked AS (SELECT coalesce(u.host_id, v.host_id) AS host_id,
                        sum(v.outcome NOT IN ('given up', 'refused')) AS requests,
                        sum(v.outcome IN ('http error', 'failed')) AS errors,
                        sum(v.bytes) AS bytes, min(v.at) AS first, max(v.at) AS last
                 FROM visits v LEFT JOIN urls u ON u.id = v.url_id GROUP BY 1)
  SELECT h.origin AS host, h.domain, coalesce(k.urls, 0) AS urls, coalesce(s.pages, 0) AS pages,
         coalesce(a.requests, 0) AS requests, coalesce(a.errors, 0) AS errors,
         coalesce(a.bytes, 0) AS bytes,
         strftime('%Y-%m-%dT%H:%M:%SZ', a.first / 1000, 'unixepoch') AS first_request,
         strftime('%Y-%m-%dT%H:%M:%SZ', a.last / 1000, 'unixepoch') AS last_request,
         r.status_code AS robots_status, r.policy AS robots_policy, r.crawl_delay
  FROM hosts h LEFT JOIN known k ON k.host_id = h.id LEFT JOIN stored s ON s.host_id = h.id
       LEFT JOIN asked a ON a.host_id = h.id LEFT JOIN robots_cache r ON r.domain = h.origin)sql"},
    {{"text", "The text of every indexed page"}, R"sql(
  SELECT url, title, language, words, text FROM texts)sql"},
    {{"graph", "URLs and links: GraphML, or URL list and adjacency list"}, nullptr},
};

constexpr auto kKinds = [] {
  std::array<ExportKind, std::size(kExports)> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kExports[i].kind;
  return kinds;
}();

ReadOutcome BadRequest(std::string error) {
  return FailedToRead(Status(StatusCode::kInvalidArgument, std::move(error)));
}

}  // namespace

std::span<const ExportKind> ListExports() { return kKinds; }

ReadOutcome ExportFolder(const std::string& folder, std::string_view what, DataFormat format,
                         const TextSink& write, const ReadLimits& limits, bool for_terminal) {
  const auto* const found = std::find_if(std::begin(kExports), std::end(kExports),
                                         [&](const Export& e) { return e.kind.name == what; });
  if (found == std::end(kExports)) return BadRequest("there is no export " + std::string(what));
  const bool rows_asked = format == DataFormat::kCsv || format == DataFormat::kJsonl;
  const bool is_graph = found->sql == nullptr;
  if (is_graph == rows_asked) {
    return BadRequest(is_graph ? "the graph is written as graphml, urls or adjacency; its rows"
                                 " are exported as urls and links"
                               : "only the graph can be written in this format");
  }
  Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, limits);
  if (!snapshot.ok()) return FailedToRead(snapshot.status());
  std::uint64_t rows = 0;
  if (is_graph) {
    const Status written = WriteGraph(*snapshot, format, write, &rows);
    return snapshot->Outcome(written, rows);
  }
  Result<Statement> query = snapshot->db().Prepare(found->sql);
  if (!query.ok()) return snapshot->Outcome(query.status(), 0);
  const Status status = snapshot->ReadRows(*query, WriteRows(format, write, for_terminal), &rows);
  return snapshot->Outcome(status, rows);
}

}  // namespace crawler

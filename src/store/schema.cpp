#include "store/schema.hpp"

#include <string_view>

#include "store/report_views.hpp"

namespace crawler {
namespace {

// A crawl only appends rows: no table is searched or changed while it runs, so that ten million
// URLs are as fast as ten thousand. The frontier keeps URLs unique.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE hosts(
  id INTEGER PRIMARY KEY,
  origin TEXT NOT NULL,
  domain TEXT NOT NULL);

CREATE TABLE urls(
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  host_id INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  redirects INTEGER NOT NULL,
  via INTEGER NOT NULL,
  from_id INTEGER,
  turned_away TEXT);

-- URLs that were turned away and wait after all, or that were found nearer to the seeds.
CREATE TABLE promotions(
  id INTEGER PRIMARY KEY,
  url_id INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  from_id INTEGER,
  waits INTEGER NOT NULL);
CREATE INDEX promotions_by_url ON promotions(url_id);

-- url_id is null for robots.txt, whose URL is in detail.
CREATE TABLE visits(
  id INTEGER PRIMARY KEY,
  url_id INTEGER,
  at INTEGER NOT NULL,
  final INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  status_code INTEGER,
  detail TEXT,
  redirect_to INTEGER,
  failures INTEGER NOT NULL,
  priority REAL NOT NULL,
  address TEXT,
  protocol TEXT,
  bytes INTEGER NOT NULL,
  resolved_us INTEGER, connected_us INTEGER, secured_us INTEGER,
  first_byte_us INTEGER, total_us INTEGER,
  warc_file INTEGER, warc_offset INTEGER, warc_length INTEGER);

CREATE TABLE pages(
  id INTEGER PRIMARY KEY,
  url_id INTEGER NOT NULL,
  visit_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  domain TEXT NOT NULL,
  title TEXT,
  description TEXT,
  content_hash TEXT NOT NULL,
  status_code INTEGER NOT NULL,
  relevance_score REAL,
  crawled_at INTEGER NOT NULL,
  last_modified TEXT,
  etag TEXT,
  depth INTEGER NOT NULL,
  priority REAL NOT NULL,
  size INTEGER NOT NULL,
  content_type TEXT,
  charset TEXT,
  language TEXT,
  canonical TEXT,
  noindex INTEGER NOT NULL,
  nofollow INTEGER NOT NULL,
  truncated TEXT,
  duplicate_of INTEGER,
  warc_file INTEGER, warc_offset INTEGER, warc_length INTEGER);

-- The links of a page in one row: [id, …], or [[id, nofollow, "text"], …] where there is more to
-- say. A row for each would cost far more to write; the view below shows them so.
CREATE TABLE page_links(
  from_id INTEGER NOT NULL,
  links TEXT NOT NULL);

CREATE VIEW edges(from_id, to_id, nofollow, anchor) AS
  SELECT l.from_id,
         CASE e.type WHEN 'array' THEN json_extract(e.value, '$[0]') ELSE e.value END,
         CASE e.type WHEN 'array' THEN json_extract(e.value, '$[1]') ELSE 0 END,
         CASE e.type WHEN 'array' THEN json_extract(e.value, '$[2]') END
  FROM page_links l, json_each(l.links) e;

CREATE TABLE dead_letters(
  id INTEGER PRIMARY KEY,
  url_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  history TEXT NOT NULL);

CREATE TABLE robots_cache(
  domain TEXT PRIMARY KEY,
  rules TEXT NOT NULL,
  status_code INTEGER,
  policy TEXT NOT NULL,
  crawl_delay REAL,
  fetched_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE events(
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT);

CREATE TABLE crawl_state(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL) WITHOUT ROWID;

-- What became of every URL.
CREATE VIEW fates(url_id, url, depth, fate, reason, status_code) AS
  SELECT u.id, u.url, u.depth,
         CASE WHEN v.id IS NOT NULL THEN v.outcome
              WHEN u.turned_away IS NOT NULL
                   AND NOT EXISTS (SELECT 1 FROM promotions p WHERE p.url_id = u.id AND p.waits)
              THEN 'turned away'
              ELSE 'waiting' END,
         coalesce(v.detail, u.turned_away), v.status_code
  FROM urls u LEFT JOIN visits v ON v.url_id = u.id AND v.final;
)sql";

// The index. Texts are written with their pages; postings and weights are computed from them and
// can be computed again.
constexpr const char* kVersion2 = R"sql(
CREATE TABLE page_text(
  page_id INTEGER PRIMARY KEY,
  language TEXT,
  date INTEGER NOT NULL,
  words INTEGER NOT NULL,
  sketch BLOB,
  headings BLOB,
  terms TEXT NOT NULL,
  text BLOB NOT NULL);

CREATE TABLE index_segments(
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  state INTEGER NOT NULL,
  first_page INTEGER NOT NULL,
  last_page INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  merged_from TEXT,
  page_data BLOB NOT NULL);

CREATE TABLE postings(
  segment INTEGER NOT NULL,
  term TEXT NOT NULL,
  document_freq INTEGER NOT NULL,
  shown TEXT,
  docs BLOB NOT NULL,
  positions BLOB,
  PRIMARY KEY(segment, term)) WITHOUT ROWID;

CREATE TABLE index_terms(
  id INTEGER PRIMARY KEY,
  term TEXT NOT NULL,
  document_freq INTEGER NOT NULL,
  idf REAL NOT NULL,
  shown TEXT NOT NULL);
CREATE UNIQUE INDEX index_terms_by_term ON index_terms(term);

CREATE TABLE page_weights(
  page_id INTEGER PRIMARY KEY,
  norm REAL,
  page_rank REAL,
  static_rank REAL);

CREATE VIEW page_terms(page_id, term_id, tf_idf_score, term_freq) AS
  SELECT p.page_id, t.id, e.value * t.idf / p.words, e.value
  FROM page_text p, json_each(p.terms) e JOIN index_terms t ON t.term = e.key;
)sql";

// The Retry-After of a host, which a resume has to honour.
constexpr const char* kVersion3 = R"sql(
ALTER TABLE visits ADD COLUMN retry_after_ms INTEGER;
)sql";

// Rowids: without them SQLite reads whole rows, megabytes for common words, to compare keys.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE postings RENAME TO old_postings;
CREATE TABLE postings(
  segment INTEGER NOT NULL,
  term TEXT NOT NULL,
  document_freq INTEGER NOT NULL,
  shown TEXT,
  docs BLOB NOT NULL,
  positions BLOB,
  PRIMARY KEY(segment, term));
INSERT INTO postings SELECT * FROM old_postings ORDER BY segment, term;
DROP TABLE old_postings;
)sql";

// Pages can be removed from the index. Postings therefore store the words of each term, so that the
// displayed word of the term can be chosen again. Unfinished merges lack the words and are
// restarted.
constexpr const char* kVersion5 = R"sql(
CREATE TABLE removed_pages(page_id INTEGER PRIMARY KEY);
ALTER TABLE postings ADD COLUMN words BLOB;
ALTER TABLE index_segments ADD COLUMN largest INTEGER;
DELETE FROM postings WHERE segment IN (SELECT id FROM index_segments WHERE state = 1);
DELETE FROM index_segments WHERE state = 1;
)sql";

// A crawl can be repeated. The fate of a URL is the outcome of its last visit in the last round;
// URLs that were not queued in it keep their fate of an earlier round.
constexpr const char* kVersion6 = R"sql(
-- Every time the crawl was begun anew, and the last ids from before. The first time has no row.
CREATE TABLE rounds(
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  last_visit INTEGER NOT NULL,
  last_url INTEGER NOT NULL);

-- What a visit of a repeated crawl meant for the page: new, changed, unchanged, gone or kept.
ALTER TABLE visits ADD COLUMN change TEXT;
-- SHA-256 of the payload as it is in the WARC; empty if that is the content, null if not known.
ALTER TABLE pages ADD COLUMN payload_hash BLOB;

DROP VIEW fates;
CREATE VIEW fates(url_id, url, depth, fate, reason, status_code) AS
  WITH round AS (SELECT coalesce(max(last_visit), 0) AS last_visit,
                        coalesce(max(last_url), 0) AS last_url FROM rounds),
       ended AS (SELECT url_id, max(id) AS id, outcome, detail, status_code FROM visits
                 WHERE final AND url_id IS NOT NULL GROUP BY url_id),
       known AS (SELECT u.id, u.url, u.turned_away, v.id AS visit, v.detail, v.status_code,
                        coalesce((SELECT p.depth FROM promotions p WHERE p.url_id = u.id
                                  ORDER BY p.id DESC LIMIT 1), u.depth) AS depth,
                        CASE v.outcome WHEN 'unchanged' THEN 'page' ELSE v.outcome END AS outcome,
                        v.outcome IS 'unchanged' AS unchanged,
                        (u.turned_away IS NULL AND u.id > round.last_url)
                        OR EXISTS (SELECT 1 FROM promotions p WHERE p.url_id = u.id AND p.waits)
                        AS wanted,
                        v.id > round.last_visit AS over
                 FROM urls u CROSS JOIN round LEFT JOIN ended v ON v.url_id = u.id)
  SELECT id, url, depth,
         CASE WHEN over THEN outcome
              WHEN wanted THEN 'waiting'
              WHEN visit IS NOT NULL THEN outcome
              WHEN turned_away IS NOT NULL THEN 'turned away'
              ELSE 'unlinked' END,
         CASE WHEN over OR (visit IS NOT NULL AND NOT wanted) THEN detail
              ELSE turned_away END,
         CASE WHEN wanted AND over IS NOT 1 THEN NULL
              WHEN unchanged THEN (SELECT p.status_code FROM pages p WHERE p.url_id = known.id)
              ELSE status_code END
  FROM known;
)sql";

// The texts that versions 1 to 6 stored for a skipped URL, by the code that version 7 stores. Codes
// that are added later need a schema version of their own, which creates `fates` again.
#define CRAWLER_SKIP_TEXTS(X)           \
  X(1, "nofollow")                      \
  X(2, "deeper than the depth budget")  \
  X(3, "the frontier is full")          \
  X(4, "too many redirects in a row")   \
  X(5, "scope: scheme")                 \
  X(6, "scope: URL length")             \
  X(7, "scope: too many path segments") \
  X(8, "scope: repeated path segment")  \
  X(9, "scope: exclude pattern")        \
  X(10, "scope: reach")                 \
  X(11, "scope: include pattern")

#define CRAWLER_TEXT_TO_CODE(code, text) " WHEN turned_away LIKE '" text "%' THEN " #code
#define CRAWLER_TEXT_TO_DETAIL(code, text)                                           \
  " WHEN turned_away LIKE '" text "%' THEN nullif(substr(turned_away, length('" text \
  "') + 2), "                                                                        \
  "'')"
#define CRAWLER_CODE_TO_TEXT(code, text) " WHEN " #code " THEN '" text "'"

#define CRAWLER_SKIP_CODE \
  "CASE WHEN turned_away IS NULL THEN NULL" CRAWLER_SKIP_TEXTS(CRAWLER_TEXT_TO_CODE) " ELSE 9 END"
#define CRAWLER_SKIP_DETAIL "CASE" CRAWLER_SKIP_TEXTS(CRAWLER_TEXT_TO_DETAIL) " END"
#define CRAWLER_SKIP_TEXT "CASE skipped" CRAWLER_SKIP_TEXTS(CRAWLER_CODE_TO_TEXT) " END"

// The failure that `visits.detail` of versions 1 to 6 begins with, behind the URL of a robots.txt.
#define CRAWLER_FAILURE_TEXT        \
  "iif(url_id IS NOT NULL, detail," \
  " substr(detail, nullif(instr(detail, '/robots.txt: '), 0) + 13))"
#define CRAWLER_FAILURE_NAME \
  "substr(" CRAWLER_FAILURE_TEXT ", 1, instr(" CRAWLER_FAILURE_TEXT " || ':', ':') - 1)"
#define CRAWLER_FAILURE                                                                         \
  "CASE WHEN (outcome IN ('failed', 'unwanted', 'cancelled') OR url_id IS NULL) "               \
  "AND " CRAWLER_FAILURE_NAME                                                                   \
  " IN ('bad url', 'dns', 'refused', 'connect timeout', 'response timeout', 'read timeout',"    \
  " 'disconnected', 'tls', 'protocol', 'too large', 'bomb', 'bad encoding', 'blocked address'," \
  " 'unwanted type', 'cancelled', 'local') THEN " CRAWLER_FAILURE_NAME " END"
#define CRAWLER_GIVEN_UP                                                  \
  "CASE WHEN outcome <> 'given up' THEN NULL"                             \
  " WHEN detail LIKE 'no robots.txt from its host%' THEN 'no robots.txt'" \
  " WHEN detail LIKE '%requests to wait in a row%' THEN 'throttled'"      \
  " ELSE 'failures' END"
#define CRAWLER_ROBOTS_ORIGIN \
  "iif(url_id IS NULL, substr(detail, 1, instr(detail, '/robots.txt') - 1), NULL)"

// Reasons are stored as codes; texts for people are made from them.
constexpr const char* kVersion7 =
    R"sql(
DROP VIEW fates;

DROP INDEX promotions_by_url;
ALTER TABLE promotions RENAME TO requeued;
CREATE INDEX requeued_by_url ON requeued(url_id);

UPDATE crawl_state SET key = 'hash_key' WHERE key = 'seed';

ALTER TABLE urls ADD COLUMN skipped INTEGER;
ALTER TABLE urls ADD COLUMN skip_detail TEXT;
UPDATE urls SET skipped = )sql" CRAWLER_SKIP_CODE R"sql(, skip_detail = )sql" CRAWLER_SKIP_DETAIL
    R"sql( WHERE turned_away IS NOT NULL;
ALTER TABLE urls DROP COLUMN turned_away;

-- FetchFailure by name; the host of a robots.txt; why the host of a URL was given up.
ALTER TABLE visits ADD COLUMN failure TEXT;
ALTER TABLE visits ADD COLUMN host_id INTEGER;
ALTER TABLE visits ADD COLUMN given_up TEXT;
CREATE INDEX hosts_by_origin ON hosts(origin);
UPDATE visits SET failure = )sql" CRAWLER_FAILURE R"sql(, given_up = )sql" CRAWLER_GIVEN_UP
    R"sql(, host_id = (SELECT h.id FROM hosts h WHERE h.origin = )sql" CRAWLER_ROBOTS_ORIGIN
    R"sql() WHERE url_id IS NULL OR outcome IN ('failed', 'unwanted', 'cancelled', 'given up');
DROP INDEX hosts_by_origin;

CREATE VIEW fates(url_id, url, depth, fate, reason, status_code) AS
  WITH round AS (SELECT coalesce(max(last_visit), 0) AS last_visit,
                        coalesce(max(last_url), 0) AS last_url FROM rounds),
       ended AS (SELECT url_id, max(id) AS id, outcome, detail, status_code FROM visits
                 WHERE final AND url_id IS NOT NULL GROUP BY url_id),
       known AS (SELECT u.id, u.url, u.skipped, u.skip_detail, v.id AS visit, v.detail,
                        v.status_code,
                        coalesce((SELECT p.depth FROM requeued p WHERE p.url_id = u.id
                                  ORDER BY p.id DESC LIMIT 1), u.depth) AS depth,
                        CASE v.outcome WHEN 'unchanged' THEN 'page' ELSE v.outcome END AS outcome,
                        v.outcome IS 'unchanged' AS unchanged,
                        (u.skipped IS NULL AND u.id > round.last_url)
                        OR EXISTS (SELECT 1 FROM requeued p WHERE p.url_id = u.id AND p.waits)
                        AS wanted,
                        v.id > round.last_visit AS over
                 FROM urls u CROSS JOIN round LEFT JOIN ended v ON v.url_id = u.id)
  SELECT id, url, depth,
         CASE WHEN over THEN outcome
              WHEN wanted THEN 'waiting'
              WHEN visit IS NOT NULL THEN outcome
              WHEN skipped IS NOT NULL THEN 'skipped'
              ELSE 'unlinked' END,
         CASE WHEN over OR (visit IS NOT NULL AND NOT wanted) THEN detail
              ELSE )sql" CRAWLER_SKIP_TEXT R"sql( || coalesce(' ' || skip_detail, '') END,
         CASE WHEN wanted AND over IS NOT 1 THEN NULL
              WHEN unchanged THEN (SELECT p.status_code FROM pages p WHERE p.url_id = known.id)
              ELSE status_code END
  FROM known;
)sql";

// Postings count words of the navigation apart, which older programs cannot read.
constexpr const char* kVersion8 = R"sql(
ALTER TABLE page_weights ADD COLUMN title_weight REAL;
)sql";

// More of each page for people. Pages that were stored before have none of it.
constexpr const char* kVersion10 = R"sql(
ALTER TABLE pages ADD COLUMN h1 TEXT;
-- JSON: URLs by language.
ALTER TABLE pages ADD COLUMN hreflang TEXT;
-- JSON: some response headers by their names in small letters.
ALTER TABLE pages ADD COLUMN headers TEXT;
)sql";

constexpr const char* kSteps[] = {kVersion1, kVersion2, kVersion3, kVersion4,    kVersion5,
                                  kVersion6, kVersion7, kVersion8, kReportViews, kVersion10};

constexpr std::int64_t kIndexVersion = 2;
constexpr std::int64_t kRetryAfterVersion = 3;
constexpr std::int64_t kRoundsVersion = 6;
constexpr std::int64_t kCodesVersion = 7;
constexpr std::int64_t kReportViewsVersion = 9;
constexpr std::int64_t kPageDetailsVersion = 10;

std::string AsTemporary(std::string views) {
  constexpr std::string_view kCreate = "CREATE VIEW";
  for (std::size_t at = views.find(kCreate); at != views.npos; at = views.find(kCreate, at)) {
    views.replace(at, kCreate.size(), "CREATE TEMP VIEW");
  }
  return views;
}

}  // namespace

std::span<const char* const> CatalogueSchema() { return kSteps; }

std::string OldSchemaViews(std::int64_t version) {
  std::string sql;
  if (version < kIndexVersion) {
    sql +=
        "CREATE TEMP VIEW page_text AS SELECT 0 AS page_id, NULL AS language, 0 AS date,"
        " 0 AS words, NULL AS sketch, NULL AS headings, '' AS terms, x'' AS text WHERE 0;"
        "CREATE TEMP VIEW page_weights AS SELECT 0 AS page_id, 0.0 AS norm, 0.0 AS page_rank,"
        " 0.0 AS static_rank WHERE 0;";
  }
  if (version < kRoundsVersion) {
    sql +=
        "CREATE TEMP VIEW rounds AS"
        " SELECT 0 AS id, 0 AS at, 0 AS last_visit, 0 AS last_url WHERE 0;";
  }
  if (version < kPageDetailsVersion) {
    sql += "CREATE TEMP VIEW pages AS SELECT *,";
    if (version < kRoundsVersion) sql += " NULL AS payload_hash,";
    sql += " NULL AS h1, NULL AS hreflang, NULL AS headers FROM main.pages;";
  }
  if (version < kCodesVersion) {
    sql +=
        "CREATE TEMP VIEW requeued AS SELECT * FROM main.promotions;"
        "CREATE TEMP VIEW crawl_state AS"
        " SELECT iif(key = 'seed', 'hash_key', key) AS key, value FROM main.crawl_state;"
        "CREATE TEMP VIEW urls AS SELECT id, url, host_id, depth, redirects, via, from_id,"
        " " CRAWLER_SKIP_CODE " AS skipped, " CRAWLER_SKIP_DETAIL
        " AS skip_detail FROM main.urls;"
        "CREATE TEMP VIEW visits AS SELECT v.id, url_id, at, final, outcome, status_code, detail,"
        " redirect_to, failures, priority, address, protocol, bytes, resolved_us, connected_us,"
        " secured_us, first_byte_us, total_us, warc_file, warc_offset, warc_length, ";
    sql += version < kRetryAfterVersion ? "NULL AS retry_after_ms, " : "retry_after_ms, ";
    sql += version < kRoundsVersion ? "NULL AS change, " : "change, ";
    sql += CRAWLER_FAILURE " AS failure, h.id AS host_id, " CRAWLER_GIVEN_UP
                           " AS given_up FROM main.visits v LEFT JOIN main.hosts h"
                           " ON h.origin = " CRAWLER_ROBOTS_ORIGIN ";";
  }
  if (version < kReportViewsVersion) sql += AsTemporary(kReportViews);
  return sql;
}

const char* const kCompletionIndexes = R"sql(
CREATE INDEX IF NOT EXISTS urls_by_url ON urls(url);
CREATE INDEX IF NOT EXISTS pages_by_url ON pages(url);
CREATE INDEX IF NOT EXISTS pages_by_domain ON pages(domain);
CREATE INDEX IF NOT EXISTS visits_by_url ON visits(url_id);
CREATE INDEX IF NOT EXISTS page_links_by_from ON page_links(from_id);
)sql";

const char* const kDropCompletionIndexes = R"sql(
DROP INDEX IF EXISTS urls_by_url;
DROP INDEX IF EXISTS pages_by_url;
DROP INDEX IF EXISTS pages_by_domain;
DROP INDEX IF EXISTS visits_by_url;
DROP INDEX IF EXISTS page_links_by_from;
)sql";

// A repeated crawl looks up and replaces rows page by page; few rows are new.
const char* const kRoundIndexes = R"sql(
DROP INDEX IF EXISTS urls_by_url;
DROP INDEX IF EXISTS pages_by_url;
DROP INDEX IF EXISTS pages_by_domain;
DROP INDEX IF EXISTS visits_by_url;
CREATE INDEX IF NOT EXISTS pages_by_url_id ON pages(url_id);
CREATE INDEX IF NOT EXISTS pages_by_original ON pages(duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX IF NOT EXISTS page_links_by_from ON page_links(from_id);
)sql";

}  // namespace crawler

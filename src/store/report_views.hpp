#pragma once

namespace crawler {

/// The views for people, as a step of the schema: broken_links, redirect_chains, inlinks and
/// duplicate_titles. docs/formats.md names their columns. CROSS JOIN fixes the order: the links are
/// read once, and looked up in the few URLs that are concerned.
constexpr const char* kReportViews = R"sql(
CREATE VIEW inlinks(to_id, url, from_id, from_url, nofollow, anchor) AS
  SELECT e.to_id, t.url, e.from_id, f.url, e.nofollow, e.anchor
  FROM edges e CROSS JOIN urls f ON f.id = e.from_id CROSS JOIN urls t ON t.id = e.to_id;

-- Seeds, targets of redirects and sitemap entries have a row for the way they were found by.
CREATE VIEW broken_links(url_id, url, status_code, fate, reason, via, from_url, nofollow, anchor) AS
  WITH broken AS MATERIALIZED (
    SELECT url_id, url, status_code, fate, reason FROM fates
    WHERE fate IN ('http error', 'failed', 'given up'))
  SELECT b.url_id, b.url, b.status_code, b.fate, b.reason, 'link', f.url, e.nofollow, e.anchor
  FROM edges e CROSS JOIN broken b ON b.url_id = e.to_id CROSS JOIN urls f ON f.id = e.from_id
  UNION ALL
  SELECT b.url_id, b.url, b.status_code, b.fate, b.reason,
         CASE u.via WHEN 0 THEN 'seed' WHEN 2 THEN 'redirect' ELSE 'sitemap' END, f.url, 0, NULL
  FROM broken b CROSS JOIN urls u ON u.id = b.url_id LEFT JOIN urls f ON f.id = u.from_id
  WHERE u.via <> 1;

-- A row for each URL that redirects. A loop ends with the URL that was met before.
CREATE VIEW redirect_chains(url_id, url, status_code, hops, loop, end_id, end_url, end_fate,
                            end_status, chain) AS
  WITH RECURSIVE
    hop(from_id, to_id, status_code) AS MATERIALIZED (
      SELECT url_id, redirect_to, status_code
      FROM (SELECT url_id, max(id), outcome, redirect_to, status_code FROM visits
            WHERE final AND url_id IS NOT NULL GROUP BY url_id)
      WHERE outcome = 'redirect' AND redirect_to IS NOT NULL),
    walk(start, at, hops, loop, seen, chain) AS (
      SELECT h.from_id, h.to_id, 1, h.from_id = h.to_id, ' ' || h.from_id || ' ',
             f.url || ' -> ' || t.url
      FROM hop h CROSS JOIN urls f ON f.id = h.from_id CROSS JOIN urls t ON t.id = h.to_id
      UNION ALL
      SELECT w.start, h.to_id, w.hops + 1,
             instr(w.seen || w.at || ' ', ' ' || h.to_id || ' ') > 0, w.seen || w.at || ' ',
             w.chain || ' -> ' || t.url
      FROM walk w CROSS JOIN hop h ON h.from_id = w.at CROSS JOIN urls t ON t.id = h.to_id
      WHERE NOT w.loop AND w.hops < 100)
  SELECT w.start, s.url, h.status_code, w.hops, w.loop, w.at, e.url, e.fate, e.status_code, w.chain
  FROM walk w CROSS JOIN urls s ON s.id = w.start CROSS JOIN hop h ON h.from_id = w.start
       LEFT JOIN fates e ON e.url_id = w.at
  WHERE w.loop OR w.hops = 100 OR NOT EXISTS (SELECT 1 FROM hop n WHERE n.from_id = w.at);

CREATE VIEW duplicate_titles(title, pages, page_id, url, duplicate_of) AS
  SELECT t.title, t.pages, p.id, p.url, o.url
  FROM (SELECT title, count(*) AS pages FROM pages WHERE title IS NOT NULL
        GROUP BY title HAVING count(*) > 1) t
       JOIN pages p ON p.title = t.title LEFT JOIN urls o ON o.id = p.duplicate_of;
)sql";

}  // namespace crawler

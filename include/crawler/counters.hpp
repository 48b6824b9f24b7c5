/// The table of all numbers of a crawl. Statistics, reports, JSON and the stored status are made
/// from it. A new number is one line here, and one where it is counted.
#pragma once

/// COUNTED(name, help): the sum of the rows that a crawl writes, see CommitBatch::counts.
/// GAUGE(name, help): read when the statistics are made.
/// Numbers cover the whole crawl (the last round of a repeated crawl), earlier runs included;
/// CrawlStatistics::this_run has the counted ones of the run alone.
/// Requests for robots.txt, and for a /sitemap.xml that nothing names, are no errors and no URLs
/// with a status: the site did not ask for them.
#define CRAWLER_COUNTERS(COUNTED, GAUGE)                                     \
  COUNTED(pages, "Documents stored, or found unchanged")                     \
  COUNTED(requests, "Requests that ended; robots.txt and sitemaps included") \
  COUNTED(bytes, "Size of bodies as received")                               \
  COUNTED(redirects, "Redirects received")                                   \
  COUNTED(http_errors, "Responses with 4xx or 5xx")                          \
  COUNTED(failures, "Attempts without a usable response")                    \
  COUNTED(throttled, "Responses with 429, or 503 and Retry-After")           \
  COUNTED(refused, "URLs refused by robots.txt")                             \
  COUNTED(unwanted, "Responses that are not of an accepted type")            \
  COUNTED(dead_letters, "URLs that were given up")                           \
  COUNTED(duplicates, "Pages with the content of another page")              \
  COUNTED(links, "Links found; each target counts once per page")            \
  COUNTED(pages_new, "Pages that a repeated crawl found for the first time") \
  COUNTED(pages_changed, "Pages that a repeated crawl found changed")        \
  COUNTED(pages_unchanged, "Pages that a repeated crawl found unchanged")    \
  COUNTED(pages_gone, "Pages that a repeated crawl found gone")              \
  COUNTED(urls_known, "URLs known, skipped ones included")                   \
  COUNTED(urls_done, "URLs that are over: pages, redirects, failures, …")    \
  COUNTED(urls_elsewhere, "URLs known that the reach of the scope skips")    \
  GAUGE(urls_waiting, "URLs that wait for their first or another attempt")   \
  GAUGE(urls_under_way, "Requests under way")                                \
  COUNTED(hosts_known, "Hosts (scheme, host and port) known")                \
  COUNTED(hosts_asked, "Hosts that were sent a request; of a run: new ones") \
  GAUGE(hosts_ready, "Hosts that may be requested now")                      \
  GAUGE(hosts_waiting, "Hosts with waiting URLs that may not be requested yet")

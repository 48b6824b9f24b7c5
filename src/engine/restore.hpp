#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "base/status.hpp"
#include "crawler/options.hpp"
#include "db/database.hpp"
#include "engine/content_index.hpp"
#include "engine/crawl_totals.hpp"
#include "engine/retry_history.hpp"
#include "engine/seed_watch.hpp"
#include "engine/sitemap_budget.hpp"
#include "engine/visit_tally.hpp"
#include "frontier/memory_frontier.hpp"

namespace crawler {

/// The state of a stored crawl besides its frontier.
struct RestoredCrawl {
  RestoredCrawl(ContentIndex& to_contents, RetryHistory& to_retries, SeedWatch& to_seeds,
                VisitTally& to_tally, SitemapBudget& to_sitemaps)
      : contents(to_contents),
        retries(to_retries),
        seeds(to_seeds),
        tally(to_tally),
        sitemaps(to_sitemaps) {}

  ContentIndex& contents;
  RetryHistory& retries;
  SeedWatch& seeds;
  VisitTally& tally;
  SitemapBudget& sitemaps;
  bool recrawl = false;          ///< The crawl is in a later round; see Crawl::Recrawl().
  bool interrupted = false;      ///< Its last run was killed.
  std::uint64_t page_bytes = 0;  ///< Of the bodies of its pages as received, in this round.
  CrawlTotals totals;            ///< Of the rows of this round.
  /// URLs that had been skipped for a reason that does not hold any more (a larger budget). They
  /// wait again, and these rows have to be written.
  std::vector<RequeueRow> requeued;
};

/// Brings `*frontier` and `*out` to the state that the catalogue `db` holds: one pass over each
/// table, in the order of its rows. Of a repeated crawl the last round is restored: URLs of earlier
/// rounds are known but do not wait, and their visits count for the clocks of their hosts alone.
/// kCorruption, naming the row, if the catalogue contradicts itself.
Status RestoreCrawl(Database& db, const CrawlOptions& options, const Clock& clock,
                    MemoryFrontier* frontier, RestoredCrawl* out);

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/crawl_totals.hpp"
#include "frontier/frontier.hpp"
#include "index/document.hpp"
#include "store/rows.hpp"
#include "store/warc_record.hpp"

namespace crawler {

/// All rows and records that one step of the crawl adds. They are written in one transaction, or
/// not at all.
struct CommitBatch {
  std::uint64_t place = 0;  ///< In the order of commits; see CommitWriter::Reserve().
  std::uint64_t offer = 0;  ///< Frontier::OfferResult::number of the URL rows; 0: there are none.
  LeaseToken lease = 0;     ///< The lease that the batch settles; 0: none.
  std::vector<HostRow> hosts;
  std::vector<UrlRow> urls;
  std::vector<RequeueRow> requeued;
  std::vector<VisitRow> visits;
  std::optional<StoredPage> ended;            ///< A page that is gone, or that `page` replaces.
  std::optional<StoredPage> updated;          ///< A page that stays, with its new values.
  std::optional<PageRow> page;                ///< Of the first visit.
  std::unique_ptr<IndexedDocument> document;  ///< Of the page, if it is to be indexed.
  std::vector<DeadLetterRow> dead_letters;
  std::optional<RobotsRow> robots;
  std::vector<EventRow> events;
  EncodedCapture capture;  ///< Of the first visit, or of robots.txt.
  /// Links are counted by the maker of the batch, all other numbers by CountRows() and Push().
  CrawlTotals counts;

  /// Adds the numbers that follow from the rows to `counts`. CommitWriter::Push() calls it.
  void CountRows();
  /// Approximate memory of the batch in bytes.
  std::size_t Size() const;
};

}  // namespace crawler

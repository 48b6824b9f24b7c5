#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

struct IndexOptions {
  /// About how much memory the phase may take, besides some 40 bytes a page (see docs/search.md).
  /// Less than 32 MiB is taken for that. Default: 256 MiB.
  std::size_t max_ram = std::size_t{256} << 20;
  /// So many ids of pages may be unused, besides as many as there are pages, before the pages are
  /// numbered anew and their postings made again (see docs/recrawling.md). Default: 10,000.
  std::uint64_t spare_ids = 10'000;
  /// The topic of the crawl, in words; empty: pages are as relevant as their static rank.
  std::string topic;
  /// Called as each step begins, with its name for people.
  std::function<void(std::string_view step)> progress;
  /// Asked often; when it says yes the phase ends with kCancelled and can be run again.
  std::function<bool()> stop;
};

struct IndexReport {
  std::uint64_t pages = 0;      ///< Indexed.
  std::uint64_t recovered = 0;  ///< Of these, analysed again, because postings had been lost.
  std::uint64_t unindexed = 0;  ///< Pages without text here: noindex, or of an older version.
  std::uint64_t terms = 0;
  std::uint64_t segments = 0;
  std::uint64_t links = 0;  ///< Between pages.
  int iterations = 0;       ///< Of PageRank; 0 if nothing had changed.
  double change = 0;        ///< Of all ranks in the last of them.
  bool converged = true;
  bool changed = false;  ///< False if everything was done already.
};

/// The indexing phase of a crawl: postings that are not written yet, merged segments, the term
/// table, anchors, PageRank, norms and relevance.
///
/// It may be run at any time when nobody else writes to `db` (it waits for no one), any number of
/// times: it does what is not done. Whatever ends it, a stop, an error or a kill, what was
/// committed stays, readers see either the old weights or the new, and the next run goes on.
/// Pages may have other ids afterwards, in the same order: whoever remembers some must read them
/// again, and a Catalogue must be opened anew before it adds pages.
/// Requires: no transaction is open on `db`, and its schema is that of this version.
Status RunIndexing(Database& db, const IndexOptions& options, IndexReport* report);

/// Removes all postings, and the texts that cannot be read or belong to no page, in a transaction
/// of its own: the next RunIndexing() makes the index anew.
Status ForgetIndex(Database& db);

/// Numbers of an indexing phase over the catalogue as it is now.
struct IndexDone {
  bool terms = false;  ///< index_terms and the norms.
  bool ranks = false;  ///< page_weights and the relevance of pages.
  bool pages = false;  ///< Segments of all texts: nothing was crawled since.
};
Result<IndexDone> WhatIsDone(Database& db);

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/accumulator.hpp"
#include "index/document.hpp"
#include "index/segments.hpp"

namespace crawler {

/// Indexes pages as they are written: their text and terms go to page_text at once, their postings
/// gather in memory and become a segment when there are enough of them.
///
///     Open -> Recover -> Add, Remove, … -> Flush
///
/// All but Recover() happens within the caller's transaction. A kill costs the postings in memory;
/// the next Recover() makes them again of page_text.
/// Errors: those of the database; the caller rolls back, and nothing more may be added.
/// Threads: one at a time, the one of the Database.
class IndexWriter {
 public:
  static constexpr std::size_t kDefaultMemory = std::size_t{64} << 20;

  /// Postings take about `max_memory` bytes before they become a segment; at least 1 MiB.
  static Result<std::unique_ptr<IndexWriter>> Open(Database& db, std::size_t max_memory);

  /// Gathers again what was added and is in no segment, up to page `last`. Called before the first
  /// Add(), and again before a page that stored ones stand before. Not within a transaction: every
  /// segment it makes is committed at once, so that a kill costs one at most. Stops with kCancelled
  /// when `stop` says so; then nothing may be added, but what has gathered may be flushed.
  Status Recover(const std::function<bool()>& stop = {},
                 std::int64_t last = std::numeric_limits<std::int64_t>::max());

  /// Adds a page; ids ascend. Pages that ask not to be indexed are not added.
  Status Add(std::int64_t page, const IndexedDocument& document);
  /// Takes a page out again, whenever it was added and whether or not it has been weighed since:
  /// no reader finds it from the commit on, and the next indexing phase leaves the index as if it
  /// had never been there. Costs a few lookups now, and then one pass over the segments that have
  /// such pages; no other page is analysed again.
  /// Call it also for a page that asked not to be indexed, because PageRank counts it. Removing a
  /// page twice, or one that never was, does nothing.
  /// The caller deletes what else there is of the page (its row of `pages`, its links) in the same
  /// transaction, before or after, and gives its id to no other page before RenumberPages().
  Status Remove(std::int64_t page);
  /// Makes a segment of what has gathered.
  Status Flush();

  /// Up to which page Recover() found segments.
  std::int64_t watermark() const { return watermark_; }
  std::size_t memory() const { return accumulator_.memory() + page_data_.size(); }

 private:
  IndexWriter(Database& db, SegmentWriter segments, std::size_t max_memory)
      : db_(db), segments_(std::move(segments)), max_memory_(max_memory) {}
  bool full() const { return memory() >= max_memory_; }
  Status Gather(std::int64_t page, const IndexedDocument& document);
  Status GatherStored(const std::function<bool()>& stop, std::int64_t last);

  Database& db_;
  SegmentWriter segments_;
  const std::size_t max_memory_;
  Statement insert_, forget_text_, forget_weights_, remove_, count_removal_, bump_generation_;
  Accumulator accumulator_;
  std::string page_data_;
  std::uint32_t first_page_ = 0, last_page_ = 0, pages_ = 0;
  std::int64_t watermark_ = 0;
};

}  // namespace crawler

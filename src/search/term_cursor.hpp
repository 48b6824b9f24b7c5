#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/postings.hpp"
#include "index/segments.hpp"
#include "search/page_set.hpp"
#include "search/page_table.hpp"

namespace crawler {

class TermLoader;

/// The postings of one term in several segments, from the first page to the last.
/// Lifetime: must not outlive its loader.
class TermCursor {
 public:
  /// Whether the term is in these segments at all.
  bool empty() const { return parts_.empty(); }
  std::uint64_t document_freq() const { return document_freq_; }

  /// The page it stands at; kNoPage before the first Advance() to one, and at the end.
  std::uint32_t page() const { return page_; }
  /// Moves to the first page from `page` on, which must not be before the one it stands at.
  std::uint32_t Advance(std::uint32_t page) {
    if (started_ && page_ >= page) return page_;
    // One after another, which is what happens most.
    if (index_ + 1 < block_.size() && block_[index_ + 1].page >= page) {
      return page_ = block_[++index_].page;
    }
    return Move(page);
  }
  /// Of a window's pages; for less it is quicker to look each of them up.
  static constexpr std::uint32_t kFew = kWindowPages / 8;
  /// Calls `take` with the postings in the window that begins with page `first`: those of `among`,
  /// and unless they are `few` some others too. Windows must ascend.
  template <typename Take>
  void Visit(std::uint32_t first, const PageSet& among, bool few, Take take) {
    const std::uint32_t end = first + kWindowPages;
    std::uint32_t place = among.Next(0);
    while (few && place < kWindowPages && Advance(first + place) < end) {
      if (page_ == first + place) take(block_[index_]);
      place = among.Next(page_ - first + (page_ == first + place ? 1 : 0));
    }
    if (few) return;
    while (place < kWindowPages && Advance(first + place) < end) {
      // The rest of the block at once: asking about each would cost more than those not wanted.
      do {
        take(block_[index_]);
      } while (++index_ < block_.size() && block_[index_].page < end);
      if (index_ < block_.size()) {
        page_ = block_[index_].page;
        return;
      }
      page_ = block_[--index_].page;
      place = among.Next(page_ - first + 1);
    }
  }
  /// At a page.
  const FieldCounts& counts() const { return block_[index_].counts; }
  /// At a page. They are loaded when they are first asked for.
  PositionStream Positions() {
    if (!has_positions_) LoadPositions();
    return reader_.Stream(index_);
  }
  /// False if postings could not be read.
  bool ok() const { return ok_; }

 private:
  friend class TermLoader;
  struct Part {
    std::int64_t segment;
    std::uint32_t last_page, document_freq;
    std::string term, docs, positions;
    bool has_positions = false;
  };
  std::uint32_t Move(std::uint32_t page);
  void LoadPositions();

  TermLoader* loader_ = nullptr;
  std::vector<std::shared_ptr<Part>> parts_;
  std::uint64_t document_freq_ = 0;
  std::size_t next_part_ = 0;
  PostingsReader reader_;
  std::span<const Posting> block_;
  std::size_t index_ = 0;
  std::uint32_t page_ = kNoPage;
  bool has_positions_ = false;  // The reader has those of its part.
  bool started_ = false;
  bool ok_ = true;
};

/// Reads cursors. What it has read for a query is there for the others of the same query: phrases
/// in several languages have most of their terms in common.
class TermLoader {
 public:
  static Result<TermLoader> Open(Database& db);

  /// Forgets what earlier queries read, and what went wrong. Cursors stay as they are.
  void BeginQuery();
  /// The term in `segments`.
  Status Load(const std::vector<Segment>& segments, std::string_view term, TermCursor* cursor);
  /// The first error of cursors that loaded positions.
  const Status& status() const { return status_; }

 private:
  friend class TermCursor;
  using Part = TermCursor::Part;
  Result<std::shared_ptr<Part>> LoadPart(const Segment& segment, std::string_view term);
  bool LoadPositions(Part* part);

  Statement docs_, positions_;
  std::map<std::pair<std::int64_t, std::string>, std::shared_ptr<Part>, std::less<>> parts_;
  Status status_;
};

}  // namespace crawler

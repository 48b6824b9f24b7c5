#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/postings.hpp"
#include "search/page_table.hpp"

namespace crawler {

/// The postings of one term in several segments, from the first page to the last.
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
  /// At a page.
  const FieldCounts& counts() const { return block_[index_].counts; }
  /// At a page.
  PositionStream Positions() { return reader_.Stream(index_); }
  /// False if postings could not be read.
  bool ok() const { return ok_; }

 private:
  friend class TermLoader;
  struct Part {
    std::uint32_t last_page, document_freq;
    std::string docs, positions;
  };
  std::uint32_t Move(std::uint32_t page);

  std::vector<std::unique_ptr<Part>> parts_;
  std::uint64_t document_freq_ = 0;
  std::size_t next_part_ = 0;
  PostingsReader reader_;
  std::span<const Posting> block_;
  std::size_t index_ = 0;
  std::uint32_t page_ = kNoPage;
  bool started_ = false;
  bool ok_ = true;
};

/// Reads cursors.
class TermLoader {
 public:
  static Result<TermLoader> Open(Database& db);

  /// The term in `segments`; `positions` only where phrases need them.
  Status Load(const std::vector<Segment>& segments, std::string_view term, bool positions,
              TermCursor* cursor);

 private:
  Statement docs_, docs_and_positions_;
};

}  // namespace crawler

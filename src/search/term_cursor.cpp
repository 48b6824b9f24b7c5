#include "search/term_cursor.hpp"

#include <algorithm>

#include "index/segments.hpp"

namespace crawler {

std::uint32_t TermCursor::Move(std::uint32_t page) {
  started_ = true;
  // Within the block, which is what happens most.
  if (!block_.empty() && block_.back().page >= page) {
    // Pages that are wanted are near, or anywhere.
    std::size_t at = index_;
    const std::size_t near = std::min(block_.size(), index_ + 8);
    while (at < near && block_[at].page < page) ++at;
    if (at == near) {
      at = static_cast<std::size_t>(
          std::lower_bound(
              block_.begin() + static_cast<std::ptrdiff_t>(at), block_.end(), page,
              [](const Posting& posting, std::uint32_t wanted) { return posting.page < wanted; }) -
          block_.begin());
    }
    index_ = at;
    return page_ = block_[at].page;
  }
  for (;;) {
    block_ = reader_.NextBlock(page);
    if (!reader_.ok()) ok_ = false;
    while (block_.empty()) {
      while (next_part_ < parts_.size() && parts_[next_part_]->last_page < page) ++next_part_;
      if (next_part_ == parts_.size()) return page_ = kNoPage;
      const Part& part = *parts_[next_part_++];
      reader_ = PostingsReader(part.docs, part.document_freq);
      reader_.SetPositions(part.positions);
      block_ = reader_.NextBlock(page);
      if (!reader_.ok()) ok_ = false;
    }
    if (block_.back().page < page) continue;
    index_ = 0;
    while (block_[index_].page < page) ++index_;
    return page_ = block_[index_].page;
  }
}

Result<TermLoader> TermLoader::Open(Database& db) {
  TermLoader loader;
  Status status = PrepareAll(
      db,
      {{&loader.docs_, "SELECT document_freq, docs FROM postings WHERE segment = ? AND term = ?"},
       {&loader.docs_and_positions_,
        "SELECT document_freq, docs, positions FROM postings WHERE segment = ? AND term = ?"}});
  if (!status.ok()) return status;
  return loader;
}

Status TermLoader::Load(const std::vector<Segment>& segments, std::string_view term, bool positions,
                        TermCursor* cursor) {
  Statement& select = positions ? docs_and_positions_ : docs_;
  for (const Segment& segment : segments) {
    const Result<bool> row = select.Bind(1, segment.id).Bind(2, term).Step();
    if (!row.ok()) return row.status();
    if (!*row) continue;
    auto part = std::make_unique<TermCursor::Part>();
    part->last_page = segment.last_page;
    part->document_freq = static_cast<std::uint32_t>(select.Int(0));
    part->docs.assign(select.Blob(1));
    if (positions) part->positions.assign(select.Blob(2));
    select.Reset();
    cursor->document_freq_ += part->document_freq;
    cursor->parts_.push_back(std::move(part));
  }
  return Status::Ok();
}

}  // namespace crawler

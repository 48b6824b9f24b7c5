#include "search/term_cursor.hpp"

#include <algorithm>

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
      has_positions_ = false;
      block_ = reader_.NextBlock(page);
      if (!reader_.ok()) ok_ = false;
    }
    if (block_.back().page < page) continue;
    index_ = 0;
    while (block_[index_].page < page) ++index_;
    return page_ = block_[index_].page;
  }
}

void TermCursor::LoadPositions() {
  Part& part = *parts_[next_part_ - 1];
  has_positions_ = true;
  if (!part.has_positions && !loader_->LoadPositions(&part)) ok_ = false;
  reader_.SetPositions(part.positions);
}

Result<TermLoader> TermLoader::Open(Database& db) {
  TermLoader loader;
  Status status = PrepareAll(
      db,
      {{&loader.docs_, "SELECT document_freq, docs FROM postings WHERE segment = ? AND term = ?"},
       {&loader.positions_, "SELECT positions FROM postings WHERE segment = ? AND term = ?"}});
  if (!status.ok()) return status;
  return loader;
}

void TermLoader::BeginQuery() {
  parts_.clear();
  status_ = {};
}

Status TermLoader::Load(const std::vector<Segment>& segments, std::string_view term,
                        TermCursor* cursor) {
  cursor->loader_ = this;
  for (const Segment& segment : segments) {
    Result<std::shared_ptr<Part>> part = LoadPart(segment, term);
    if (!part.ok()) return part.status();
    if (*part == nullptr) continue;
    cursor->document_freq_ += (*part)->document_freq;
    cursor->parts_.push_back(std::move(part).value());
  }
  return Status::Ok();
}

// Null if the segment does not have the term.
Result<std::shared_ptr<TermCursor::Part>> TermLoader::LoadPart(const Segment& segment,
                                                               std::string_view term) {
  const auto [known, added] = parts_.try_emplace({segment.id, std::string(term)});
  if (!added) return known->second;
  const Result<bool> row = docs_.Bind(1, segment.id).Bind(2, term).Step();
  if (!row.ok()) return row.status();
  if (!*row) return known->second;
  auto part = std::make_shared<Part>();
  part->segment = segment.id;
  part->last_page = segment.last_page;
  part->document_freq = static_cast<std::uint32_t>(docs_.Int(0));
  part->term.assign(term);
  part->docs.assign(docs_.Blob(1));
  docs_.Reset();
  return known->second = std::move(part);
}

bool TermLoader::LoadPositions(Part* part) {
  part->has_positions = true;
  const Result<bool> row = positions_.Bind(1, part->segment).Bind(2, part->term).Step();
  if (!row.ok()) {
    status_ = row.status();
    return false;
  }
  if (!*row) return false;
  part->positions.assign(positions_.Blob(0));
  positions_.Reset();
  return true;
}

}  // namespace crawler

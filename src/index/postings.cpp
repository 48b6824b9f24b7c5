#include "index/postings.hpp"

#include <algorithm>
#include <cassert>

namespace crawler {

void AppendPosting(const Posting& posting, std::uint32_t last, std::string* out) {
  const std::uint64_t head = std::uint64_t{posting.page - last} << 2;
  const FieldCounts& counts = posting.counts;
  const bool body_alone = posting.Total() == counts[0];
  if (body_alone && counts[0] == 1) {
    AppendVarint(head, out);
    return;
  }
  const std::uint32_t navigation = counts[Ordinal(Field::kNavigation)];
  const bool navigation_alone = posting.Total() == navigation;
  AppendVarint(head | (body_alone ? 1 : navigation_alone ? 3 : 2), out);
  if (body_alone || navigation_alone) {
    AppendVarint(counts[0] + navigation, out);
    return;
  }
  unsigned mask = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) mask |= counts[i] != 0 ? 1u << i : 0u;
  out->push_back(static_cast<char>(mask));
  for (const std::uint32_t count : counts) {
    if (count != 0) AppendVarint(count, out);
  }
}

void PostingsEncoder::Clear() {
  docs_.clear();
  block_.clear();
  positions_.clear();
  pages_ = block_pages_ = last_page_ = last_block_end_ = 0;
  block_positions_ = 0;
}

void PostingsEncoder::Add(const Posting& posting, std::string_view positions) {
  assert(posting.page > last_page_);
  // Only now is it known that there is more than one.
  if (block_pages_ == kBlockPages) EndBlock();
  AppendPosting(posting, last_page_, &block_);
  last_page_ = posting.page;
  positions_.append(positions);
  ++block_pages_;
  ++pages_;
}

void PostingsEncoder::EndBlock() {
  AppendVarint(last_page_ - last_block_end_, &docs_);
  AppendVarint(block_.size(), &docs_);
  AppendVarint(positions_.size() - block_positions_, &docs_);
  docs_.append(block_);
  block_.clear();
  block_pages_ = 0;
  last_block_end_ = last_page_;
  block_positions_ = positions_.size();
}

void PostingsEncoder::Finish() {
  if (pages_ > kBlockPages) {
    EndBlock();
  } else {
    docs_.swap(block_);
  }
}

PostingsReader::PostingsReader(std::string_view docs, std::uint32_t pages)
    : docs_(docs), left_(pages), in_blocks_(pages > kBlockPages) {}

std::span<const Posting> PostingsReader::NextBlock(std::uint32_t page) {
  block_begin_ = block_end_;
  count_ = 0;
  while (left_ > 0 && docs_.ok()) {
    const std::size_t count = std::min<std::size_t>(left_, kBlockPages);
    left_ -= static_cast<std::uint32_t>(count);
    block_begin_ = block_end_;
    if (!in_blocks_) {
      block_end_ = std::string_view::npos;
      Decode(docs_, count);
      break;
    }
    const std::uint32_t last = last_page_ + docs_.Next32();
    const std::uint64_t bytes = docs_.Next();
    block_end_ += docs_.Next();
    if (last < page) {
      docs_.SkipBytes(bytes);
      last_page_ = last;
      continue;
    }
    Decode(docs_, count);
    if (last_page_ != last) ok_ = false;
    break;
  }
  if (!docs_.ok()) ok_ = false;
  if (!ok_) {
    left_ = 0;
    count_ = 0;
  }
  found_index_ = 0;
  found_at_ = block_begin_;
  return {block_.data(), count_};
}

void PostingsReader::Decode(VarintReader& reader, std::size_t count) {
  std::uint32_t last = last_page_;
  for (std::size_t i = 0; i < count; ++i) {
    if (!ReadShortPosting(reader, last, &block_[i])) ReadPosting(reader, last, &block_[i]);
    if (block_[i].page <= last) {
      ok_ = false;
      return;
    }
    last = block_[i].page;
  }
  last_page_ = last;
  count_ = count;
}

void PostingsReader::FindPositions(std::size_t index) {
  if (index < found_index_) {
    found_index_ = 0;
    found_at_ = block_begin_;
  }
  const std::size_t end = std::min(block_end_, positions_.size());
  found_at_ = std::min(found_at_, end);
  VarintReader reader(positions_.substr(found_at_, end - found_at_));
  const char* const begin = reader.position();
  // Passed over together, which is quicker than one after another.
  std::uint64_t before = 0;
  for (; found_index_ < index; ++found_index_) before += block_[found_index_].Total();
  reader.Skip(before);
  found_at_ += static_cast<std::size_t>(reader.position() - begin);
}

std::string_view PostingsReader::PositionBytes(std::size_t index) {
  FindPositions(index);
  const std::size_t end = std::min(block_end_, positions_.size());
  const std::string_view rest = positions_.substr(found_at_, end - found_at_);
  VarintReader reader(rest);
  reader.Skip(block_[index].Total());
  return rest.substr(0, static_cast<std::size_t>(reader.position() - rest.data()));
}

}  // namespace crawler

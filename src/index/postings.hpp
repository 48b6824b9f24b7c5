#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "index/fields.hpp"
#include "index/varint.hpp"

namespace crawler {

/// A page that has a term, and how often in each field. Anchor texts count in the place of the
/// body; their segments hold nothing else.
struct Posting {
  std::uint32_t page = 0;
  FieldCounts counts = {};

  std::uint64_t Total() const {
    return std::uint64_t{counts[0]} + counts[1] + counts[2] + counts[3] + counts[4];
  }
  friend bool operator==(const Posting&, const Posting&) = default;
};

/// Postings stand in blocks of so many pages, which a reader can pass over.
inline constexpr std::size_t kBlockPages = 128;

/// Appends a posting: varint((page - last) * 4 + kind), then by kind
///   0: nothing: once, in the body
///   1: varint, how often in the body
///   2: a byte with a bit for each field it stands in, and a varint for each of these
///   3: varint, how often in the navigation, and nowhere else.
void AppendPosting(const Posting& posting, std::uint32_t last, std::string* out);
/// Undoes it.
inline void ReadPosting(VarintReader& reader, std::uint32_t last, Posting* posting) {
  const std::uint64_t head = reader.Next();
  posting->page = last + static_cast<std::uint32_t>(head >> 2);
  posting->counts = {};
  switch (head & 3) {
    case 0:
      posting->counts[0] = 1;
      return;
    case 1:
      posting->counts[0] = reader.Next32();
      return;
    case 3:
      posting->counts[Ordinal(Field::kNavigation)] = reader.Next32();
      return;
    default:
      for (std::uint64_t mask = reader.Next(), field = 0; field < kOwnFieldCount; ++field) {
        if ((mask >> field & 1) != 0) posting->counts[field] = reader.Next32();
      }
  }
}

/// The same for those that are near to the last and in the body alone, most of all; false if it is
/// another. Asks about the kind without a branch, which no processor could foresee.
inline bool ReadShortPosting(VarintReader& reader, std::uint32_t last, Posting* posting) {
  const char* const at = reader.position();
  if (reader.end() - at < 2) return false;
  const auto head = static_cast<unsigned char>(at[0]);
  const auto next = static_cast<unsigned char>(at[1]);
  const unsigned counted = head & 1u;
  if (((head & 0x82u) | (next & 0x80u & (0u - counted))) != 0) return false;
  posting->page = last + (head >> 2);
  posting->counts = {counted != 0 ? next : 1u, 0, 0, 0, 0};
  reader.SkipBytes(1 + counted);
  return true;
}

/// Makes the two columns of a term in a segment:
///   docs       its postings. Up to kBlockPages of them as they are; more in blocks, each behind
///              varints: how far its last page is from that of the block before, its bytes, and
///              the bytes of its positions.
///   positions  for each posting the positions as varints, each counted from the one before.
class PostingsEncoder {
 public:
  void Clear();
  /// Pages must ascend. `positions` as they are stored; empty in segments without.
  void Add(const Posting& posting, std::string_view positions);
  /// Completes docs() and positions().
  void Finish();

  const std::string& docs() const { return docs_; }
  const std::string& positions() const { return positions_; }
  std::uint32_t pages() const { return pages_; }

 private:
  void EndBlock();

  std::string docs_, block_, positions_;
  std::uint32_t pages_ = 0, block_pages_ = 0;
  std::uint32_t last_page_ = 0, last_block_end_ = 0;
  std::size_t block_positions_ = 0;  // Where those of the block begin.
};

/// The positions of a term in a page, one after another.
class PositionStream {
 public:
  PositionStream() = default;
  PositionStream(std::string_view bytes, std::uint64_t count) : reader_(bytes), left_(count) {}

  /// Goes on to the first position that is not before `wanted`; false if there is none.
  bool SeekTo(std::uint64_t wanted) {
    while (!started_ || position_ < wanted) {
      if (!Next()) return false;
    }
    return true;
  }
  /// Goes on to the next one; false if there is none.
  bool Next() {
    if (left_ == 0 || reader_.AtEnd()) return false;
    --left_;
    position_ += reader_.Next32();
    started_ = true;
    return true;
  }
  std::uint64_t position() const { return position_; }

  std::uint64_t left() const { return left_; }

 private:
  VarintReader reader_;
  std::uint64_t left_ = 0;
  std::uint64_t position_ = 0;
  bool started_ = false;
};

/// Reads them back, a block at a time. Damaged bytes give an early end and ok() false.
/// Lifetime: what is read must outlive the reader.
class PostingsReader {
 public:
  PostingsReader() = default;
  PostingsReader(std::string_view docs, std::uint32_t pages);
  /// Without them streams are empty. May be set when they are first wanted.
  void SetPositions(std::string_view positions) { positions_ = positions; }

  /// The next block, empty at the end. Ascending; lives until the next call.
  std::span<const Posting> NextBlock() { return NextBlock(0); }
  /// The next block that may hold `page` or a later one; those before are passed over.
  std::span<const Posting> NextBlock(std::uint32_t page);
  /// The positions of the posting `index` of the last block. Cheap for ascending indexes.
  PositionStream Stream(std::size_t index) {
    FindPositions(index);
    const std::size_t end = std::min(block_end_, positions_.size());
    return {positions_.substr(found_at_, end - found_at_), block_[index].Total()};
  }
  /// As they are stored.
  std::string_view PositionBytes(std::size_t index);

  bool ok() const { return ok_; }

 private:
  void Decode(VarintReader& reader, std::size_t count);
  void FindPositions(std::size_t index);

  VarintReader docs_;
  std::string_view positions_;
  std::uint32_t left_ = 0;  // Postings of the blocks to come.
  bool in_blocks_ = false;
  bool ok_ = true;
  std::uint32_t last_page_ = 0;
  std::size_t count_ = 0;
  std::array<Posting, kBlockPages> block_;
  // Of the block's positions: where they begin and end, and where those of a posting stand.
  std::size_t block_begin_ = 0, block_end_ = 0;
  std::size_t found_index_ = 0, found_at_ = 0;
};

}  // namespace crawler

#include "search/fold_table.hpp"

#include <algorithm>

namespace crawler {

// Each with its number before it: bytes mean something only at their place.
FoldTable::Pieces FoldTable::PiecesOf(std::string_view sketch) {
  Pieces pieces;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < kPieces; ++i) {
    const std::size_t end = (i + 1) * kSketchBytes / kPieces;
    pieces[i].assign(1, static_cast<char>(i)).append(sketch.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

std::optional<std::size_t> FoldTable::Find(std::int64_t original, std::string_view sketch) {
  std::optional<std::size_t> first;
  if (const auto same = originals_.find(original); same != originals_.end()) first = same->second;
  if (sketch.size() != kSketchBytes) return first;
  std::vector<const Entries*> sharing;
  for (const std::string& piece : PiecesOf(sketch)) {
    const auto found = by_piece_.find(piece);
    if (found != by_piece_.end()) sharing.push_back(&found->second);
  }
  std::sort(sharing.begin(), sharing.end(),
            [](const Entries* a, const Entries* b) { return a->size() < b->size(); });
  std::size_t left = kMaxComparisons;
  for (const Entries* entries : sharing) {
    for (const std::uint32_t entry : *entries) {
      if (left == 0 || (first && entry >= *first)) break;
      --left;
      ++comparisons_;
      if (SketchBytesInCommon(sketches_[entry], sketch) < kSketchBytesAlike) continue;
      first = entry;
      break;
    }
  }
  return first;
}

void FoldTable::Add(std::int64_t original, std::string_view sketch) {
  const std::size_t entry = sketches_.size();
  originals_.emplace(original, entry);
  sketches_.emplace_back(sketch);
  if (sketch.size() != kSketchBytes) return;
  for (std::string& piece : PiecesOf(sketch)) {
    by_piece_[std::move(piece)].push_back(static_cast<std::uint32_t>(entry));
  }
}

}  // namespace crawler

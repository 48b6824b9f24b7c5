#include "index/term_words.hpp"

#include <algorithm>
#include <limits>

namespace crawler {

bool ShownBefore(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return !a.empty();
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

void TermWordsEncoder::Clear() {
  words_.clear();
  runs_.clear();
  shown_ = {};
  bytes_.clear();
}

void TermWordsEncoder::Add(std::string_view word, std::uint32_t count) {
  if (!runs_.empty() && words_[runs_.back().word] == word) {
    runs_.back().count += count;
    return;
  }
  const auto end =
      words_.begin() + static_cast<std::ptrdiff_t>(std::min(words_.size(), kWordsLookedAt));
  const auto known = std::find(words_.begin(), end, word);
  if (known != end) {
    runs_.push_back({static_cast<std::uint32_t>(known - words_.begin()), count});
    return;
  }
  runs_.push_back({static_cast<std::uint32_t>(words_.size()), count});
  words_.push_back(word);
}

void TermWordsEncoder::Finish() {
  for (const std::string_view word : words_) {
    if (ShownBefore(word, shown_)) shown_ = word;
  }
  if (words_.size() < 2) return;
  AppendVarint(words_.size(), &bytes_);
  for (const std::string_view word : words_) {
    AppendVarint(word.size(), &bytes_);
    bytes_.append(word);
  }
  for (const Run& run : runs_) {
    AppendVarint((run.count - std::uint64_t{1}) * words_.size() + run.word, &bytes_);
  }
}

TermWordsReader::TermWordsReader(std::string_view bytes, std::string_view shown)
    : runs_(bytes), word_(shown) {
  if (bytes.empty()) return;
  for (std::uint64_t left = runs_.Next(); left > 0 && runs_.ok(); --left) {
    const std::uint64_t size = runs_.Next();
    const char* const begin = runs_.position();
    runs_.SkipBytes(size);
    if (runs_.ok()) words_.emplace_back(begin, size);
  }
}

void TermWordsReader::NextRun() {
  left_ = std::numeric_limits<std::uint64_t>::max();
  if (words_.empty() || runs_.AtEnd()) return;
  const std::uint64_t run = runs_.Next();
  if (!runs_.ok()) return;
  word_ = words_[run % words_.size()];
  left_ = run / words_.size() + 1;
}

}  // namespace crawler

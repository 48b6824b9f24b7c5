#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/varint.hpp"

namespace crawler {

/// Of two words for one term, which stands for it: the shorter, else the first in order.
bool ShownBefore(std::string_view a, std::string_view b);

/// Of the words for a term, how many a new one is compared with. What is met again later than that
/// is written down twice: a web could be made of pages that each have another word for the same
/// long term, and time is to be bounded.
inline constexpr std::size_t kWordsLookedAt = 16;

/// The word that stands for a term in each of its pages, coded as postings.words holds it:
///
///   varint, how many words; each as a varint, its size, and its bytes
///   varints for runs of postings with the same word: (how many - 1) * words + which
///
/// Nothing at all if it is the same in all pages. The word of a page that has the term in its URL
/// only is empty.

/// Writes such a list.
class TermWordsEncoder {
 public:
  void Clear();
  /// The word of the next `count` postings. Must stay where it is as long as shown() is wanted.
  void Add(std::string_view word, std::uint32_t count = 1);
  /// Completes shown() and bytes().
  void Finish();

  /// Of all words the one that stands for the term.
  std::string_view shown() const { return shown_; }
  const std::string& bytes() const { return bytes_; }

 private:
  struct Run {
    std::uint32_t word, count;
  };

  std::vector<std::string_view> words_;
  std::vector<Run> runs_;
  std::string_view shown_;
  std::string bytes_;
};

/// Reads it back, a posting after the other.
/// Lifetime: what is read must outlive the reader.
class TermWordsReader {
 public:
  /// `bytes` may be empty; then `shown` is the word of all postings.
  TermWordsReader(std::string_view bytes, std::string_view shown);

  /// Past the end, or where the bytes are damaged, the last word again.
  std::string_view Next() {
    if (left_ == 0) NextRun();
    --left_;
    return word_;
  }

 private:
  void NextRun();

  VarintReader runs_;
  std::vector<std::string_view> words_;
  std::string_view word_;
  std::uint64_t left_ = 0;
};

}  // namespace crawler

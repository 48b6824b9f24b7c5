#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "index/postings.hpp"
#include "index/term_words.hpp"

namespace crawler {

/// Postings of pages that are in no segment yet, by term. Pages must ascend for each term.
/// Threads: one at a time.
class Accumulator {
 public:
  /// `hash` must be the same for the same term (see TermHash()). `shown`, the word that stands for
  /// it in the page, may be empty.
  void Add(std::string_view term, std::uint64_t hash, const Posting& posting,
           std::string_view positions, std::string_view shown);

  /// Says that a term with this hash is to be added soon; it is quicker then.
  void Prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  /// The same, some terms later.
  void PrefetchEntry(std::uint64_t hash) const {
    if (slots_.empty()) return;
    const std::uint32_t number = slots_[hash & (slots_.size() - 1)];
    if (number != 0) __builtin_prefetch(&entries_[number - 1]);
  }

  /// A term with all its postings, coded as segments hold them.
  struct Row {
    std::string_view term;
    std::uint32_t document_freq;
    std::string_view shown;
    std::string_view docs;
    std::string_view positions;
    std::string_view words;  ///< See TermWordsEncoder.
  };
  /// Gives every term to `take`, ascending, until that fails; then it is empty again.
  Status Drain(const std::function<Status(const Row&)>& take);

  bool empty() const { return entries_.empty(); }
  /// Bytes of memory it takes.
  std::size_t memory() const;

 private:
  /// A string of bytes that grows in pieces of the pool.
  struct ByteList {
    std::uint32_t first = 0, at = 0, end = 0;  // Places in the pool; end is that of the piece.
    std::uint32_t size = 0;
    std::uint8_t level = 0;
  };
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t term = 0, shown = 0;  // Places in strings_; shown is of the last page.
    std::uint16_t term_size = 0, shown_size = 0;
    std::uint32_t pages = 0, last_page = 0;
    std::uint32_t first_word = 0, word = 0;  // Numbers of words_, from 1; `word` is shown.
    std::uint32_t run_begin = 0;             // Of pages, since when shown is the word.
    ByteList docs, positions, runs;          // Runs: how many pages, and the number of the word.
  };
  /// A word for a term.
  struct Word {
    std::uint32_t at, next;  // In strings_; the number of another for the same term, or 0.
    std::uint16_t size;
  };

  Entry& FindOrAdd(std::string_view term, std::uint64_t hash);
  void Grow();
  void ChangeWord(std::string_view shown, Entry* entry);
  void EncodeWords(const Entry& entry, TermWordsEncoder* words);
  char* Place(std::uint32_t at) { return blocks_[at >> kBlockBits].get() + (at & kBlockMask); }
  std::uint32_t Allocate(std::uint32_t size);
  void Append(std::string_view bytes, ByteList* list);
  void Collect(const ByteList& list, std::string* bytes);
  std::string_view StringAt(std::uint32_t at, std::size_t size) const {
    return std::string_view(strings_).substr(at, size);
  }
  void Clear();

  static constexpr std::uint32_t kBlockBits = 18;
  static constexpr std::uint32_t kBlockMask = (1u << kBlockBits) - 1;

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // One more than the number of the entry; 0 is free.
  std::vector<Word> words_;
  std::string strings_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::uint32_t used_ = 0;  // Of the last block.
  std::string scratch_;
};

}  // namespace crawler

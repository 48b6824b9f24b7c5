#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "index/fold.hpp"
#include "index/language.hpp"
#include "index/stemmers.hpp"

namespace crawler {

/// The forms that one word of a text is indexed as. Offsets are within the word.
struct WordForm {
  std::string term;
  std::uint16_t step = 0;  ///< Positions from the first of the word.
  std::uint16_t offset = 0;
  std::uint16_t size = 0;
  bool is_part = false;
  bool is_stop = false;
};

/// From a word as it is written to its terms: the rules of docs/search.md, one by one. Slow; the
/// analyzer remembers what it says.
/// Threads: one at a time.
class WordForms {
 public:
  WordForms();
  ~WordForms();
  WordForms(const WordForms&) = delete;
  WordForms& operator=(const WordForms&) = delete;

  enum class Style : bool { kTerms, kReadable };
  static constexpr std::size_t kMaxForms = 24;   ///< Of one word; there are no more of longer ones.
  static constexpr std::size_t kMaxBytes = 256;  ///< Of a word that are read.

  /// Replaces `*forms`; none if there is nothing in the word to be found by.
  /// Requires: word.size() <= kMaxBytes.
  void Of(std::string_view word, const Language& language, Style style,
          std::vector<WordForm>* forms);

 private:
  struct Request;
  struct Slice {
    std::size_t begin, end;
  };

  static std::vector<Slice> SegmentsOf(std::string_view word);
  void Number(const Request& request);
  void Acronym(const Request& request, const std::vector<Slice>& segments);
  void Segment(const Request& request, Slice slice, std::uint16_t step);
  void Parts(const Request& request, Slice slice, std::uint16_t step);
  void IdeographicParts(const Request& request, Slice slice, std::uint16_t step);
  void PartsOfPiece(const Request& request, Slice piece, Slice whole, std::uint16_t step);
  void AddPart(const Request& request, Slice slice, std::uint16_t step);
  /// The term for a slice of the word; empty if there is none.
  std::string TermOf(const Request& request, Slice slice, bool* is_stop);
  bool IsStopWord(const std::string& folded, const Language& language);

  Folder folder_;
  Stemmers stemmers_;
  std::array<std::unique_ptr<std::unordered_set<std::string>>, kMaxLanguages> stop_words_;
};

}  // namespace crawler

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "search/compiler.hpp"
#include "search/page_table.hpp"
#include "search/term_cursor.hpp"

namespace crawler {

/// Where the plain words of a query stand in single pages: how near to each other, and which of
/// them a page does not have. Lifetime: must not outlive the loader and the page table. Threads:
/// those of its Database.
class WordPlaces {
 public:
  /// Those of `words` that are plain.
  static Result<std::unique_ptr<WordPlaces>> Open(TermLoader& loader, const PageTable& pages,
                                                  const std::vector<QueryCompiler::Word>& words);

  bool has_several_words() const { return words_.size() > 1; }

  /// For each two words that follow each other in the query, the idf of the more frequent one over
  /// their distance: 1 where they follow each other in the page as well. In the other order they
  /// are one further apart. Pages must ascend. Of words that stand in a great many places nothing
  /// is known: reading these would take longer than finding the pages.
  double Nearness(std::uint32_t page);
  /// The most that Nearness() can be.
  double HighestNearness() const;
  /// The words that `page` does not have, in the order of the query. Pages must ascend.
  std::vector<std::string> MissingIn(std::uint32_t page);
  /// Begins with the first page again.
  Status Rewind();
  /// False if postings could not be read.
  bool ok() const;

 private:
  struct Word {
    std::string text;
    std::vector<std::string> terms;
    double idf = 0;
    std::uint32_t place = 0;
    bool frequent = false;  // Its positions are not read.
    bool is_here = false;   // The page that is looked at has it.
    std::vector<TermCursor> cursors, anchors;
    std::vector<std::uint32_t> positions;  // In the page that is looked at.
  };

  WordPlaces(TermLoader& loader, const PageTable& pages) : loader_(loader), pages_(pages) {}
  /// Whether the distance of a word from the one before it is known.
  bool IsPair(std::size_t i) const;
  static bool StandsIn(std::uint32_t page, std::vector<TermCursor>* cursors);
  static void ReadPositions(std::uint32_t page, Word* word);
  static double Distance(const Word& left, const Word& right);

  TermLoader& loader_;
  const PageTable& pages_;
  std::vector<Word> words_;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/analyzer.hpp"

namespace crawler {

/// A term that a snippet should show.
struct SnippetTerm {
  std::string_view term;  ///< As the analyzer gives it.
  /// The number of the query's word that it stands for. Alternatives (the stems of one word in
  /// several languages) have the same number: one of them is enough.
  std::uint32_t word = 0;
  double weight = 1;  ///< The worth of the word, e.g. its idf.
};

/// A piece of a page's text that shows why the page was found.
struct Snippet {
  /// A range of `text`, in bytes.
  struct Range {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  std::string text;               ///< One line; "…" where the page's text goes on.
  std::vector<Range> highlights;  ///< The words that were looked for; in order, apart.
};

/// Sentences of `text`, about `characters` characters in all: the one with most of what was looked
/// for first, then those with words that it does not have; the beginning of the text if none has
/// any. A long sentence is cut between words. `tokens` are those of `text`. Takes time linear in
/// them.
Snippet MakeSnippet(std::string_view text, const std::vector<Token>& tokens,
                    const std::vector<SnippetTerm>& terms, std::size_t characters = 200);

}  // namespace crawler

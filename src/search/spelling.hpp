#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

/// Takes one word after the other of those that pages have: `shown`, the form people read (or the
/// term itself), and in how many pages it is.
using TermSink = std::function<void(std::string_view shown, std::uint32_t document_freq)>;

struct SpellingSuggestion {
  std::string shown;
  std::uint32_t document_freq = 0;
  std::size_t distance = 0;  ///< How many letters are wrong, missing, too many or swapped.
};

/// The words nearest to each of `words`, best first: few mistakes (at most two, one in words of up
/// to four letters, none in shorter ones than three), in many pages, with the same first letter.
/// `words` are in the form of Analyzer::Words(); none is suggested for itself. `for_each_term`
/// calls its argument with every word there is, once for all of them; quick enough for millions.
std::vector<std::vector<SpellingSuggestion>> SuggestSpelling(
    const std::vector<std::string>& words,
    const std::function<void(const TermSink&)>& for_each_term, std::size_t limit = 3);

/// The letters to change, leave out, put in or swap with their neighbour to get from `a` to `b`
/// (optimal string alignment), or `limit` + 1 if there are more than `limit`.
std::size_t SpellingDistance(std::u32string_view a, std::u32string_view b, std::size_t limit);

}  // namespace crawler

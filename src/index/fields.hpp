#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace crawler {

/// Where in a page a word stands. A word of a heading counts as one of the heading, not of the
/// body. Navigation are the words of blocks that consist of links (Page::link_blocks).
enum class Field : std::uint8_t { kBody, kHeading, kTitle, kUrl, kNavigation, kAnchor };
inline constexpr std::size_t kFieldCount = 6;
/// Fields with words of the page itself; anchors are in the pages that link to it.
inline constexpr std::size_t kOwnFieldCount = 5;
/// Fields that have a length: the words of the navigation are not counted.
inline constexpr std::size_t kMeasuredFieldCount = 4;

inline constexpr std::size_t Ordinal(Field field) { return static_cast<std::size_t>(field); }

/// How often a term stands in each of a page's own fields.
using FieldCounts = std::array<std::uint32_t, kOwnFieldCount>;
/// How many words a page's own fields have.
using FieldLengths = std::array<std::uint32_t, kMeasuredFieldCount>;

/// How often a term stands in title, headings and body: what the page says of itself. Neither its
/// URL nor its navigation count.
inline constexpr std::uint32_t TermFrequency(const FieldCounts& counts) {
  return counts[Ordinal(Field::kBody)] + counts[Ordinal(Field::kHeading)] +
         counts[Ordinal(Field::kTitle)];
}

}  // namespace crawler

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace crawler {

/// Where in a page a word stands. A word of a heading counts as one of the heading, not of the
/// body.
enum class Field : std::uint8_t { kBody, kHeading, kTitle, kUrl, kAnchor };
inline constexpr std::size_t kFieldCount = 5;
/// Those whose words are in the page itself; anchors are in the pages that link to it.
inline constexpr std::size_t kOwnFieldCount = 4;

inline constexpr std::size_t Ordinal(Field field) { return static_cast<std::size_t>(field); }

/// How often a term stands in each of a page's own fields.
using FieldCounts = std::array<std::uint32_t, kOwnFieldCount>;

}  // namespace crawler

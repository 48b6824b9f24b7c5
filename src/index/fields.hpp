#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace crawler {

/// Where in a page a word stands. A word of a heading counts as one of the heading, not of the
/// body.
enum class Field : std::uint8_t { kBody, kHeading, kTitle, kUrl, kAnchor };
inline constexpr std::size_t kFieldCount = 5;

/// What a word is worth there, compared with one of the body.
inline constexpr std::array<double, kFieldCount> kFieldWeights = {1.0, 2.5, 5.0, 2.0, 3.0};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

// The comparison of two texts line by line. Values in, values out. Threads: safe.

/// Bounds of time and memory, whatever the texts are.
struct LineDiffLimits {
  std::size_t max_lines = 100'000;        ///< Of each text.
  std::size_t max_edits = 1'000;          ///< Lines removed and added.
  std::uint64_t max_steps = 100'000'000;  ///< Comparisons of two lines.
};

/// Lines [before, before_end) are replaced by the lines [after, after_end); from 0.
struct LineChange {
  std::size_t before = 0, before_end = 0, after = 0, after_end = 0;
  bool operator==(const LineChange&) const = default;
};

/// The lines of `text`, without their line feeds. Views into `text`.
std::vector<std::string_view> SplitLines(std::string_view text);

/// How many these are, without the memory of SplitLines().
std::size_t CountLines(std::string_view text);

/// The fewest changes that turn one text into the other, in their order (Myers 1986). Nothing if
/// that goes beyond the limits.
std::optional<std::vector<LineChange>> DiffLines(const std::vector<std::string_view>& before,
                                                 const std::vector<std::string_view>& after,
                                                 const LineDiffLimits& limits = {});

/// The changes in the form of `diff -u`: hunks with `context` unchanged lines around them. The
/// lines are made printable.
std::string UnifiedHunks(const std::vector<std::string_view>& before,
                         const std::vector<std::string_view>& after,
                         const std::vector<LineChange>& changes, std::size_t context = 2);

}  // namespace crawler

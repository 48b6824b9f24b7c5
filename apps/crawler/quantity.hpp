#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Sizes, times and counts as users write them: "10MB", "1.5GiB", "500ms", "2h", "1000". Units may
// be in any case, and a blank may stand before them. Fractions of the smallest unit are rounded up:
// nothing but 0 becomes 0. Numbers too large for the type become its largest.

/// Bytes: B, kB, MB, GB, TB (powers of 1000, also k, M, G, T), KiB, MiB, GiB, TiB (powers of 1024).
/// A bare number is in bytes. Nothing if `text` is no size.
std::optional<std::uint64_t> ParseSize(std::string_view text);

/// Units: ms, s, m or min, h, d. A bare number is in seconds. Nothing if `text` is no time.
std::optional<std::chrono::milliseconds> ParseTime(std::string_view text);

/// A whole number without a unit.
std::optional<std::uint64_t> ParseCount(std::string_view text);

/// "10MB", "256MiB", "1001B": exact, and readable by ParseSize().
std::string SizeText(std::uint64_t bytes);
/// "500ms", "1s", "5min": exact, and readable by ParseTime().
std::string TimeText(std::chrono::milliseconds time);

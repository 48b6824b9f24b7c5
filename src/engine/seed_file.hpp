#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace crawler {

/// Bytes of a line of a seed file; a longer one is no URL.
constexpr std::size_t kMaxSeedLine = 64 * 1024;

/// Calls `take` with each line of `path` ("-": the standard input) that is neither blank nor a
/// comment, trimmed, and with its number. Reads in memory bounded by kMaxSeedLine.
/// kInvalidArgument, with file and line, if the file cannot be read or is no text in UTF-8; a
/// failure of `take` ends the reading, and its message is given the place.
Status ForEachSeedLine(const std::string& path,
                       const std::function<Status(std::string_view line)>& take);

}  // namespace crawler

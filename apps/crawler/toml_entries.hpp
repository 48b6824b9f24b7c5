#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// A key of a configuration file and its value, as words of a command line.
struct TomlEntry {
  enum class Kind : std::uint8_t { kText, kNumber, kFlag, kTexts, kOther };
  std::string key;
  std::uint32_t line = 0;
  Kind kind = Kind::kOther;
  std::vector<std::string> values;  ///< One of kText and kNumber; "true" or "false" of kFlag.
  std::string type;                 ///< The type of the value in words, e.g. "a table".
};

/// The entries of a configuration file, in its order.
struct TomlEntries {
  std::string error;       ///< Why it is no TOML; empty if it is.
  std::uint32_t line = 0;  ///< Of the error.
  std::vector<TomlEntry> entries;
};

/// Largest configuration file.
constexpr std::size_t kMaxTomlBytes = 1 << 20;

/// Reads the keys of a TOML file. Any bytes have a result.
TomlEntries ParseTomlEntries(std::string_view bytes);

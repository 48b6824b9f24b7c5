// A configuration file: any bytes give entries or an error with its line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "toml_entries.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const TomlEntries file =
      ParseTomlEntries(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!file.error.empty() && !file.entries.empty()) std::abort();
  for (const TomlEntry& entry : file.entries) {
    const bool single = entry.kind == TomlEntry::Kind::kText ||
                        entry.kind == TomlEntry::Kind::kNumber ||
                        entry.kind == TomlEntry::Kind::kFlag;
    if (single && entry.values.size() != 1) std::abort();
    if (entry.line == 0) std::abort();
  }
  return 0;
}

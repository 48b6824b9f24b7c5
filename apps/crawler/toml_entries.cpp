#include "toml_entries.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace {

std::string TypeOf(const toml::node& value) {
  switch (value.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time of day";
  }
}

// Texts only; anything else makes the entry kOther.
void ReadList(const toml::array& list, TomlEntry* entry) {
  entry->kind = TomlEntry::Kind::kTexts;
  for (const toml::node& element : list) {
    const auto* const text = element.as_string();
    if (text == nullptr) {
      entry->kind = TomlEntry::Kind::kOther;
      entry->type = "a list with " + TypeOf(element);
      return;
    }
    entry->values.push_back(text->get());
  }
}

TomlEntry ReadEntry(std::string_view key, const toml::node& value, std::uint32_t line) {
  TomlEntry entry{std::string(key), line, TomlEntry::Kind::kOther, {}, TypeOf(value)};
  if (const auto* const text = value.as_string()) {
    entry.kind = TomlEntry::Kind::kText;
    entry.values.push_back(text->get());
  } else if (const auto* const integer = value.as_integer()) {
    entry.kind = TomlEntry::Kind::kNumber;
    entry.values.push_back(std::to_string(integer->get()));
  } else if (const auto* const number = value.as_floating_point()) {
    entry.kind = TomlEntry::Kind::kNumber;
    entry.values.push_back(fmt::format("{}", number->get()));
  } else if (const auto* const flag = value.as_boolean()) {
    entry.kind = TomlEntry::Kind::kFlag;
    entry.values.emplace_back(flag->get() ? "true" : "false");
  } else if (const toml::array* const list = value.as_array()) {
    ReadList(*list, &entry);
  }
  return entry;
}

}  // namespace

TomlEntries ParseTomlEntries(std::string_view bytes) {
  TomlEntries result;
  try {
    const toml::table table = toml::parse(bytes);
    for (const auto& [key, value] : table) {
      result.entries.push_back(ReadEntry(key.str(), value, key.source().begin.line));
    }
  } catch (const toml::parse_error& error) {
    result.error = std::string(error.description());
    result.line = error.source().begin.line;
  }
  std::stable_sort(result.entries.begin(), result.entries.end(),
                   [](const TomlEntry& a, const TomlEntry& b) { return a.line < b.line; });
  return result;
}

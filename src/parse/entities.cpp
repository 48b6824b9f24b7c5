#include "parse/entities.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/ascii.hpp"
#include "parse/utf8.hpp"
#include "url/percent.hpp"

namespace crawler {
namespace {

struct Entity {
  std::string_view name;
  std::string_view text;
};

constexpr Entity kEntities[] = {
#include "parse/entities_table.inc"
};
constexpr std::size_t kEntityCount = std::size(kEntities);

// Where the names that begin with a letter start; names begin with letters only.
constexpr auto kFirst = [] {
  std::array<std::uint16_t, 129> first{};
  std::size_t entity = 0;
  for (std::size_t c = 0; c <= 128; ++c) {
    while (entity < kEntityCount && static_cast<std::size_t>(kEntities[entity].name[0]) < c) {
      ++entity;
    }
    first[c] = static_cast<std::uint16_t>(entity);
  }
  return first;
}();

// U+0080 to U+009F in windows-1252; 0 where the number stands for itself.
constexpr char16_t kWindows1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

constexpr bool IsAlnum(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char32_t NumericMeaning(char32_t number) {
  if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000)) return 0xFFFD;
  if (number >= 0x80 && number < 0xA0 && kWindows1252[number - 0x80] != 0) {
    return kWindows1252[number - 0x80];
  }
  return number;
}

CharacterReference ReadNumeric(std::string_view input) {
  CharacterReference reference;
  std::size_t at = 2;
  const bool hex = at < input.size() && (input[at] == 'x' || input[at] == 'X');
  if (hex) ++at;
  const std::size_t digits = at;
  char32_t number = 0;
  for (; at < input.size(); ++at) {
    const int value = HexValue(input[at]);
    if (value < 0 || (!hex && value > 9)) break;
    // Once out of range it stays so; further digits must not wrap around.
    if (number <= 0x10FFFF) number = number * (hex ? 16 : 10) + static_cast<char32_t>(value);
  }
  if (at == digits) return reference;
  if (at < input.size() && input[at] == ';') ++at;
  reference.length = at;
  reference.text_size = WriteUtf8(NumericMeaning(number), reference.text);
  return reference;
}

// The entity with the longest name that `rest` begins with, or null.
const Entity* FindEntity(std::string_view rest) {
  const auto letter = static_cast<unsigned char>(rest[0]);
  if (letter >= 128) return nullptr;
  const Entity* low = kEntities + kFirst[letter];
  const Entity* high = kEntities + kFirst[letter + 1];
  const Entity* best = nullptr;
  // Narrow [low, high) to the names that share one more character with `rest` each time. The
  // names are sorted, so the one that ends here, if any, is the first.
  for (std::size_t depth = 1; low != high; ++depth) {
    if (low->name.size() == depth) {
      best = low;
      ++low;
    }
    if (depth == rest.size()) break;
    const char c = rest[depth];
    low = std::partition_point(low, high, [&](const Entity& e) { return e.name[depth] < c; });
    high = std::partition_point(low, high, [&](const Entity& e) { return e.name[depth] == c; });
  }
  return best;
}

// Fast path for the few entities that make up nearly all references.
const Entity* FindCommonEntity(std::string_view rest) {
  static constexpr Entity kCommon[] = {
      {"lt;", "<"}, {"gt;", ">"}, {"amp;", "&"}, {"quot;", "\""}, {"nbsp;", "\xc2\xa0"}};
  for (const Entity& entity : kCommon) {
    if (rest.starts_with(entity.name)) return &entity;
  }
  return nullptr;
}

}  // namespace

CharacterReference ReadCharacterReference(std::string_view input, bool in_attribute) {
  CharacterReference reference;
  if (input.size() < 2) return reference;
  if (input[1] == '#') return ReadNumeric(input);
  if (!IsAlnum(input[1])) return reference;
  const Entity* entity = FindCommonEntity(input.substr(1));
  if (entity == nullptr) entity = FindEntity(input.substr(1));
  if (entity == nullptr) return reference;
  const std::size_t length = entity->name.size() + 1;
  if (in_attribute && entity->name.back() != ';' && length < input.size() &&
      (input[length] == '=' || IsAlnum(input[length]))) {
    return reference;
  }
  reference.length = length;
  reference.text_size = entity->text.size();
  std::memcpy(reference.text, entity->text.data(), entity->text.size());
  return reference;
}

void AppendDecoded(std::string_view raw, bool in_attribute, std::string* out) {
  std::size_t at = 0;
  while (at < raw.size()) {
    std::size_t stop = at;
    while (stop < raw.size() && raw[stop] != '&' && raw[stop] != '\r' && raw[stop] != '\0') ++stop;
    out->append(raw, at, stop - at);
    if (stop == raw.size()) return;
    at = stop + 1;
    if (raw[stop] == '\0') {
      out->append("\xEF\xBF\xBD");
    } else if (raw[stop] == '\r') {
      out->push_back('\n');
      if (at < raw.size() && raw[at] == '\n') ++at;
    } else {
      const CharacterReference reference = ReadCharacterReference(raw.substr(stop), in_attribute);
      if (reference.length == 0) {
        out->push_back('&');
      } else {
        out->append(reference.view());
        at = stop + reference.length;
      }
    }
  }
}

}  // namespace crawler

#include "quantity.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>

namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;  // In lower case.
  std::uint64_t factor;
};

constexpr std::uint64_t kKilo = 1000, kKibi = 1024;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Of units with the same factor the first is printed.
constexpr Unit kSizeUnits[] = {
    {"b", 1},
    {"kb", kKilo},
    {"k", kKilo},
    {"kib", kKibi},
    {"mb", kKilo* kKilo},
    {"m", kKilo* kKilo},
    {"mib", kKibi* kKibi},
    {"gb", kKilo* kKilo* kKilo},
    {"g", kKilo* kKilo* kKilo},
    {"gib", kKibi* kKibi* kKibi},
    {"tb", kKilo* kKilo* kKilo* kKilo},
    {"t", kKilo* kKilo* kKilo* kKilo},
    {"tib", kKibi* kKibi* kKibi* kKibi},
};
constexpr Unit kTimeUnits[] = {
    {"ms", 1}, {"s", 1'000}, {"min", 60'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view TakeDigits(std::string_view* text) {
  const auto end = std::find_if_not(text->begin(), text->end(), IsDigit);
  const std::string_view digits = text->substr(0, static_cast<std::size_t>(end - text->begin()));
  text->remove_prefix(digits.size());
  return digits;
}

std::uint64_t FactorOf(std::string_view name, std::span<const Unit> units) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const Unit& known) { return known.name == lower; });
  return unit == units.end() ? 0 : unit->factor;
}

// 0.`digits` of `factor`, rounded up.
std::uint64_t Part(std::string_view digits, std::uint64_t factor) {
  constexpr std::size_t kExactDigits = 18;  // Of which every product with a factor fits.
  const bool more =
      digits.size() > kExactDigits && digits.find_first_not_of('0', kExactDigits) != digits.npos;
  Wide numerator = 0, denominator = 1;
  for (const char digit : digits.substr(0, kExactDigits)) {
    numerator = numerator * 10 + static_cast<unsigned>(digit - '0');
    denominator *= 10;
  }
  const Wide product = numerator * factor;
  const bool rounds_up = more || product % denominator != 0;
  return static_cast<std::uint64_t>(product / denominator) + (rounds_up ? 1 : 0);
}

std::optional<std::uint64_t> Parse(std::string_view text, std::span<const Unit> units,
                                   std::uint64_t bare_factor) {
  const std::string_view whole = TakeDigits(&text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = TakeDigits(&text);
    if (fraction.empty()) return std::nullopt;
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  std::uint64_t factor = bare_factor;
  if (!text.empty()) {
    if (text.starts_with(' ')) text.remove_prefix(1);
    factor = FactorOf(text, units);
    if (factor == 0) return std::nullopt;
  }
  Wide value = 0;
  for (const char digit : whole) {
    value = std::min<Wide>(value * 10 + static_cast<unsigned>(digit - '0'), kMost);
  }
  value = value * factor + Part(fraction, factor);
  return static_cast<std::uint64_t>(std::min<Wide>(value, kMost));
}

// Like `number` and the largest unit that leaves no fraction.
std::string Text(std::uint64_t number, std::span<const Unit> units) {
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (number != 0 && number % unit.factor == 0 && unit.factor > best->factor) best = &unit;
  }
  return std::to_string(number / best->factor) + std::string(best->name);
}

}  // namespace

std::optional<std::uint64_t> ParseSize(std::string_view text) { return Parse(text, kSizeUnits, 1); }

std::optional<std::chrono::milliseconds> ParseTime(std::string_view text) {
  const std::optional<std::uint64_t> time = Parse(text, kTimeUnits, 1'000);
  if (!time) return std::nullopt;
  constexpr std::uint64_t kLongest = std::chrono::milliseconds::max().count();
  return std::chrono::milliseconds(std::min(*time, kLongest));
}

std::optional<std::uint64_t> ParseCount(std::string_view text) {
  const bool digits = std::all_of(text.begin(), text.end(), IsDigit);
  return digits ? Parse(text, {}, 1) : std::nullopt;
}

std::string SizeText(std::uint64_t bytes) {
  std::string text = Text(bytes, kSizeUnits);
  // As people write them: kB, MB, MiB.
  const std::size_t unit = text.find_first_not_of("0123456789");
  for (std::size_t i = unit; i < text.size(); ++i) {
    const bool small = text[i] == 'i' || text.compare(i, 2, "kb") == 0;
    if (!small) text[i] = static_cast<char>(text[i] - 'a' + 'A');
  }
  return text;
}

std::string TimeText(std::chrono::milliseconds time) {
  if (time.count() == 0) return "0s";
  return Text(static_cast<std::uint64_t>(time.count()), kTimeUnits);
}

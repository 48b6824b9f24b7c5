#include "option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "numbers.hpp"
#include "quantity.hpp"
#include "report_text.hpp"

namespace {

using Kind = Quantity::Kind;

constexpr const char* kBetweenWords = "|";  // In the name of the check of IsOneOf().

std::optional<std::uint64_t> ParseAs(Kind kind, const std::string& text) {
  switch (kind) {
    case Kind::kCount:
      return ParseCount(text);
    case Kind::kSize:
      return ParseSize(text);
    case Kind::kTime:
      break;
  }
  const auto time = ParseTime(text);
  if (!time) return std::nullopt;
  return static_cast<std::uint64_t>(time->count());
}

std::string TextOf(Kind kind, std::uint64_t value) {
  switch (kind) {
    case Kind::kCount:
      return Thousands(value);
    case Kind::kSize:
      return value == 0 ? "0" : SizeText(value);
    case Kind::kTime:
      break;
  }
  return value == 0 ? "0" : TimeText(std::chrono::milliseconds(value));
}

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kCount:
      return "number";
    case Kind::kSize:
      return "size";
    case Kind::kTime:
      break;
  }
  return "time";
}

// "from 1 to 100,000"
std::string RangeText(const Quantity& quantity) {
  const bool no_limit = quantity.least == 0 && quantity.zero == Quantity::Zero::kNoLimit;
  return fmt::format("from {}{} to {}", TextOf(quantity.kind, quantity.least),
                     no_limit ? " (no limit)" : "", TextOf(quantity.kind, quantity.most));
}

std::string Examples(const Quantity& quantity) {
  switch (quantity.kind) {
    case Kind::kCount:
      return std::to_string(std::clamp<std::uint64_t>(10, quantity.least, quantity.most));
    case Kind::kSize:
      return "500kB, 10MB or 1GiB";
    case Kind::kTime:
      break;
  }
  return "500ms, 2s or 1.5h";
}

std::string Refusal(const Quantity& quantity, const std::string& given) {
  const std::optional<std::uint64_t> value = ParseAs(quantity.kind, given);
  if (value && *value >= quantity.least && *value <= quantity.most) return "";
  const std::string shown = Printable(given.substr(0, 40));
  const std::string why = !value        ? fmt::format("'{}' is no {}", shown, NameOf(quantity.kind))
                          : *value == 0 ? std::string("cannot be 0")
                                        : fmt::format("{} is out of range", shown);
  return fmt::format("{}; it takes a {} {}, e.g. {}", why, NameOf(quantity.kind),
                     RangeText(quantity), Examples(quantity));
}

}  // namespace

std::string QuantityText(const Quantity& quantity, std::uint64_t value) {
  if (value == 0 && quantity.zero == Quantity::Zero::kNoLimit) return "no limit";
  return TextOf(quantity.kind, value);
}

CLI::Option* AddQuantity(CLI::App& command, const char* name, const char* help,
                         const Quantity& quantity, const std::string& standard,
                         std::function<void(std::uint64_t)> take) {
  const char* const kind = quantity.kind == Kind::kCount  ? "N"
                           : quantity.kind == Kind::kSize ? "SIZE"
                                                          : "TIME";
  return command
      .add_option_function<std::string>(
          name,
          [quantity, take = std::move(take)](const std::string& given) {
            if (const auto value = ParseAs(quantity.kind, given)) take(*value);
          },
          help)
      ->type_name(kind)
      ->default_str(standard)
      ->check(
          CLI::Validator([quantity](const std::string& given) { return Refusal(quantity, given); },
                         RangeText(quantity)));
}

CLI::Validator IsOneOf(const std::vector<std::string>& words) {
  CLI::Validator check(
      [words](const std::string& given) {
        if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
        return fmt::format("'{}' is none of {}", Printable(given.substr(0, 40)),
                           fmt::join(words, ", "));
      },
      "");
  check.name(fmt::format("{}", fmt::join(words, kBetweenWords)));  // For WordsOf().
  return check;
}

std::vector<std::string> WordsOf(const CLI::Option& option) {
  try {
    // get_validator() is not const, but changes nothing; without one it throws.
    const std::string names = const_cast<CLI::Option&>(option).get_validator(0)->get_name();
    return names.empty() ? std::vector<std::string>() : CLI::detail::split(names, kBetweenWords[0]);
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

CLI::Validator IsHostDelay() {
  return CLI::Validator(
      [](const std::string& given) {
        const std::size_t equals = given.rfind('=');
        const bool whole = equals != std::string::npos && equals > 0;
        if (whole) return Refusal(TimeOf(0, kYear), given.substr(equals + 1));
        return fmt::format("'{}' is no HOST=TIME, e.g. example.org=5s or *.example.org=500ms",
                           Printable(given.substr(0, 40)));
      },
      "");
}

#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The changes that a command line makes to some Target, in the order of the options.
template <typename Target>
using ChangesTo = std::vector<std::function<void(Target&)>>;

template <typename Target>
void ApplyChanges(const ChangesTo<Target>& changes, Target* target) {
  for (const auto& change : changes) change(*target);
}

/// The values that an option takes, and how they are written.
struct Quantity {
  enum class Kind : std::uint8_t { kCount, kSize, kTime };
  /// The meaning of 0, where it is allowed. With kNothing the words of the help say it.
  enum class Zero : std::uint8_t { kNoLimit, kNothing };
  Kind kind = Kind::kCount;
  std::uint64_t least = 0, most = 0;  ///< Bytes, milliseconds.
  Zero zero = Zero::kNothing;
};

/// The largest budgets that can be given.
constexpr std::uint64_t kMostCount = 1'000'000'000'000, kMostSize = 1'000'000'000'000'000;
constexpr std::uint64_t kDay = 86'400'000, kYear = 365 * kDay;

constexpr Quantity CountOf(std::uint64_t least, std::uint64_t most,
                           Quantity::Zero zero = Quantity::Zero::kNothing) {
  return {Quantity::Kind::kCount, least, most, zero};
}
constexpr Quantity SizeOf(std::uint64_t least, std::uint64_t most,
                          Quantity::Zero zero = Quantity::Zero::kNothing) {
  return {Quantity::Kind::kSize, least, most, zero};
}
constexpr Quantity TimeOf(std::uint64_t least, std::uint64_t most,
                          Quantity::Zero zero = Quantity::Zero::kNothing) {
  return {Quantity::Kind::kTime, least, most, zero};
}
/// Limits of which 0 is none.
constexpr Quantity kCountLimit = CountOf(0, kMostCount, Quantity::Zero::kNoLimit);
constexpr Quantity kSizeLimit = SizeOf(0, kMostSize, Quantity::Zero::kNoLimit);
constexpr Quantity kTimeLimit = TimeOf(0, kYear, Quantity::Zero::kNoLimit);

/// Adds an option with a quantity to `command`; `take` gets what is given. An empty `standard` (the
/// default) is not shown.
CLI::Option* AddQuantity(CLI::App& command, const char* name, const char* help,
                         const Quantity& quantity, const std::string& standard,
                         std::function<void(std::uint64_t)> take);
/// The default of a quantity, as help shows it.
std::string QuantityText(const Quantity& quantity, std::uint64_t value);

/// Whether a value follows the name of the option; not for a flag.
inline bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// The value of an option with a quantity that is a field of an options struct.
template <typename Field>
std::uint64_t NumberOf(const Field& field) {
  if constexpr (std::is_same_v<Field, std::chrono::milliseconds>) {
    return static_cast<std::uint64_t>(field.count());
  } else {
    return static_cast<std::uint64_t>(field);
  }
}

/// Refuses all but these words, and says which there are.
CLI::Validator IsOneOf(const std::vector<std::string>& words);
/// The words of an option that takes one of some; empty for others.
std::vector<std::string> WordsOf(const CLI::Option& option);
/// HOST=TIME.
CLI::Validator IsHostDelay();

/// Adds arguments and options to a command, each with its name, value, default and help. From what
/// it adds come the parser, --help, docs/reference.md, manual pages and completion. A field is
/// named by a function from Target& to a reference, or by a member; the default is that of a
/// Target. Ownership: borrows the command; `changes`, or `target`, get what is parsed.
template <typename Target>
class OptionTable {
 public:
  enum class Defaults : std::uint8_t { kShown, kHidden };
  OptionTable(CLI::App& command, std::shared_ptr<ChangesTo<Target>> changes,
              Defaults defaults = Defaults::kShown)
      : command_(command),
        take_([changes = std::move(changes)](Change change) {
          changes->push_back(std::move(change));
        }),
        defaults_(defaults) {}
  /// Values go into `target` at once.
  OptionTable(CLI::App& command, std::shared_ptr<Target> target)
      : command_(command),
        take_([target = std::move(target)](const Change& change) { change(*target); }),
        defaults_(Defaults::kShown) {}

  /// The heading of the options that follow.
  void Group(const char* name) { command_.option_defaults()->group(name); }

  /// A word without a name, which must be given.
  template <typename Field>
  CLI::Option* Argument(const char* name, const char* help, Field field) {
    return Text(name, "", help, field)->required();
  }
  /// Any number of words without a name.
  template <typename Field>
  CLI::Option* Arguments(const char* name, const char* help, Field field) {
    return Given<std::vector<std::string>>(
        name, "", help, "", [field](Target& target, const std::vector<std::string>& given) {
          std::invoke(field, target) = given;
        });
  }

  template <typename Field>
  CLI::Option* Number(const char* name, const char* help, const Quantity& quantity, Field field) {
    Target standard;
    return Number(name, help, quantity,
                  QuantityText(quantity, NumberOf(std::invoke(field, standard))),
                  [field](Target& target, std::uint64_t value) {
                    auto& place = std::invoke(field, target);
                    place = std::remove_reference_t<decltype(place)>(value);
                  });
  }
  /// With a default in words, and a value that does not go into a field as it is.
  template <typename Apply>
  CLI::Option* Number(const char* name, const char* help, const Quantity& quantity,
                      const std::string& standard, Apply apply) {
    return AddQuantity(command_, name, help, quantity, Shown(standard),
                       [take = take_, apply](std::uint64_t value) {
                         take([apply, value](Target& to) { apply(to, value); });
                       });
  }

  template <typename Field>
  CLI::Option* Text(const char* name, const char* kind, const char* help, Field field,
                    const std::string& standard = "") {
    return Given<std::string>(
        name, kind, help, standard,
        [field](Target& target, const std::string& value) { std::invoke(field, target) = value; });
  }
  /// May be given several times.
  template <typename Apply>
  CLI::Option* Texts(const char* name, const char* kind, const char* help, Apply apply) {
    return Given<std::vector<std::string>>(name, kind, help, "", apply)->allow_extra_args(false);
  }

  /// One of some words. An empty `standard` is the word of the default.
  template <typename Field, typename Value>
  CLI::Option* Choice(const char* name, const char* kind, const char* help,
                      std::vector<std::pair<std::string, Value>> values, Field field,
                      std::string standard = "") {
    Target defaults;
    std::vector<std::string> words;
    for (const auto& [word, value] : values) {
      words.push_back(word);
      if (standard.empty() && value == std::invoke(field, defaults)) standard = word;
    }
    return Given<std::string>(name, kind, help, standard,
                              [field, values](Target& target, const std::string& given) {
                                for (const auto& [word, value] : values) {
                                  if (word == given) std::invoke(field, target) = value;
                                }
                              })
        ->check(IsOneOf(words));
  }

  template <typename Field, typename Value>
  CLI::Option* Flag(const char* name, const char* help, Field field, Value value) {
    return command_.add_flag_callback(
        name,
        [take = take_, field, value] {
          take([field, value](Target& target) { std::invoke(field, target) = value; });
        },
        help);
  }
  template <typename Field>
  CLI::Option* Flag(const char* name, const char* help, Field field) {
    return Flag(name, help, field, true);
  }

 private:
  using Change = std::function<void(Target&)>;

  std::string Shown(const std::string& standard) const {
    return defaults_ == Defaults::kShown ? standard : std::string();
  }

  template <typename Value, typename Apply>
  CLI::Option* Given(const char* name, const char* kind, const char* help,
                     const std::string& standard, Apply apply) {
    return command_
        .add_option_function<Value>(
            name,
            [take = take_, apply](const Value& value) {
              take([apply, value](Target& target) { apply(target, value); });
            },
            help)
        ->type_name(kind)
        ->default_str(Shown(standard));
  }

  CLI::App& command_;
  const std::function<void(Change)> take_;
  const Defaults defaults_;
};

#include "config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include "option_table.hpp"
#include "report_text.hpp"
#include "toml_entries.hpp"
#include "unknown_command.hpp"

namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

// Whether a key or the name of a header usually holds a secret.
bool NamesSecret(std::string_view name) {
  return ContainsAny(LowerCase(name),
                     {"password", "passwd", "secret", "token", "bearer", "basic-auth", "basic_auth",
                      "authorization", "api-key", "apikey", "api_key", "cookie", "session"});
}

bool IsVariableName(std::string_view text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) == 0) &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool HasCredentials(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return false;
  const std::string_view authority =
      url.substr(begin + 3, url.find_first_of("/?#", begin + 3) - (begin + 3));
  return authority.find('@') != std::string_view::npos;
}

constexpr const char* kEnvironment =
    "put it into an environment variable and name that with header-from, basic-auth-from or "
    "bearer-from";

// Why a value must not be in a file; empty if it may.
std::string SecretIn(std::string_view key, std::string_view value) {
  if (key == "header" && NamesSecret(value.substr(0, value.find(':')))) {
    return fmt::format("this header holds a secret, which a file must not; {}", kEnvironment);
  }
  if (key.ends_with("-from") && !IsVariableName(value)) {
    return "takes the name of an environment variable, not its value";
  }
  if (!HasCredentials(value)) return "";
  return key == "proxy" ? "user and password must not be in a file; give --proxy \"$VARIABLE\" on "
                          "the command line, from an environment variable"
                        : fmt::format("user and password must not be in a file; {}", kEnvironment);
}

// Keys of the file are the names of these options, without dashes, and of the arguments.
std::vector<std::pair<std::string, const CLI::Option*>> KeysOf(const CLI::App& command) {
  std::vector<std::pair<std::string, const CLI::Option*>> keys;
  for (const CLI::Option* option : command.get_options({})) {
    const std::string name = option->get_single_name();
    const bool about_files = name == "config" || name == "file" || option == command.get_help_ptr();
    if (!option->get_group().empty() && !about_files) keys.emplace_back(name, option);
  }
  return keys;
}

bool TakesNumbers(const CLI::Option& option) {
  const std::string kind = option.get_type_name().substr(0, option.get_type_name().find(':'));
  return kind == "N" || kind == "SIZE" || kind == "TIME";
}

// The type of the option's value, in the words of TOML.
std::string Expected(const CLI::Option& option) {
  if (!TakesValue(option)) return "true or false";
  const std::string kind = option.get_type_name().substr(0, option.get_type_name().find(':'));
  if (kind == "N") return "a number, e.g. 10";
  if (kind == "SIZE") return "a size, e.g. \"10MB\", or a number of bytes";
  if (kind == "TIME") return "a time, e.g. \"2s\", or a number of seconds";
  return option.get_expected_max() > 1 ? "a text or a list of texts" : "a text";
}

bool Fits(const TomlEntry& entry, const CLI::Option& option) {
  switch (entry.kind) {
    case TomlEntry::Kind::kFlag:
      return !TakesValue(option);
    case TomlEntry::Kind::kText:
      return TakesValue(option);
    case TomlEntry::Kind::kNumber:
      return TakesValue(option) && TakesNumbers(option);
    case TomlEntry::Kind::kTexts:
      return TakesValue(option) && option.get_expected_max() > 1;
    case TomlEntry::Kind::kOther:
      break;
  }
  return false;
}

// Why the option does not take one of the values; empty if it takes them.
std::string Invalid(const CLI::Option& option, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    for (int i = 0;; ++i) {
      try {
        std::string checked = value;
        // The validators of an option are numbered; behind the last one it throws.
        std::string refusal = (*const_cast<CLI::Option&>(option).get_validator(i))(checked);
        if (!refusal.empty()) return refusal;
      } catch (const CLI::OptionNotFound&) {
        break;
      }
    }
  }
  return "";
}

/// The arguments that a file stands for.
class ConfigReader {
 public:
  ConfigReader(const CLI::App& command, const GivenOptions& given, ConfigOrigins* origins)
      : keys_(KeysOf(command)), given_(given), origins_(*origins) {}

  /// Returns why the file cannot be used.
  std::string Read() {
    std::string bytes;
    if (std::string error = ReadBytes(&bytes); !error.empty()) return error;
    const TomlEntries file = ParseTomlEntries(bytes);
    if (!file.error.empty()) return At(file.line, "no TOML: " + file.error);
    for (const TomlEntry& entry : file.entries) {
      if (std::string error = Take(entry); !error.empty()) return error;
    }
    return "";
  }
  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  std::string At(std::uint32_t line, std::string_view what) const {
    return fmt::format("{}:{}: {}", origins_.file, line, what);
  }

  std::string ReadBytes(std::string* bytes) const {
    std::ifstream file(origins_.file, std::ios::binary);
    bytes->resize(kMaxTomlBytes + 1);
    if (file) file.read(bytes->data(), static_cast<std::streamsize>(bytes->size()));
    if (!file.is_open() || file.bad()) {
      return fmt::format("cannot read {}: {}", origins_.file,
                         std::generic_category().message(errno));
    }
    bytes->resize(static_cast<std::size_t>(file.gcount()));
    if (bytes->size() <= kMaxTomlBytes) return "";
    return fmt::format("{} is larger than 1 MiB, so it is no configuration", origins_.file);
  }

  std::string Unknown(const TomlEntry& entry) const {
    if (NamesSecret(entry.key)) {
      return At(entry.line,
                fmt::format("{}: a file must not hold secrets; {}", entry.key, kEnvironment));
    }
    std::vector<std::string> names;
    for (const auto& [name, option] : keys_) names.push_back(name);
    const std::string_view nearest = NearestWord(names, entry.key);
    return At(entry.line,
              fmt::format("unknown key {}{}", Shortened(entry.key, 60),
                          nearest.empty() ? std::string("; keys are the names of the options of "
                                                        "`crawler help crawl`, without dashes")
                                          : fmt::format(". Did you mean {}?", nearest)));
  }

  std::string Take(const TomlEntry& entry) {
    const auto key = std::find_if(keys_.begin(), keys_.end(),
                                  [&](const auto& known) { return known.first == entry.key; });
    if (key == keys_.end()) return Unknown(entry);
    const CLI::Option& option = *key->second;
    if (!Fits(entry, option)) {
      return At(entry.line,
                fmt::format("{} takes {}, not {}", entry.key, Expected(option), entry.type));
    }
    for (const std::string& value : entry.values) {
      const std::string secret = SecretIn(entry.key, value);
      if (!secret.empty()) return At(entry.line, entry.key + ": " + secret);
    }
    if (!TakesValue(option)) {
      if (entry.values.front() == "true") Use(option, entry, {"--" + entry.key});
      return "";
    }
    if (std::string refusal = Invalid(option, entry.values); !refusal.empty()) {
      return At(entry.line, entry.key + ": " + refusal);
    }
    std::vector<std::string> words;
    for (const std::string& value : entry.values) {
      // On a command line it would be an option.
      if (option.get_positional() && value.starts_with('-')) {
        return At(entry.line, fmt::format("{} takes no option: '{}'", entry.key, value));
      }
      if (!option.get_positional()) words.push_back("--" + entry.key);
      words.push_back(value);
    }
    Use(option, entry, words);
    return "";
  }

  void Use(const CLI::Option& option, const TomlEntry& entry,
           const std::vector<std::string>& words) {
    const bool overridden =
        option.get_positional() ? !given_.words.empty() : given_.Has(&option) || IsExcluded(option);
    if (overridden) return;
    origins_.lines[entry.key] = entry.line;
    arguments_.insert(arguments_.end(), words.begin(), words.end());
  }

  bool IsExcluded(const CLI::Option& option) const {
    const std::set<CLI::Option*> excludes = option.get_excludes();
    return std::any_of(excludes.begin(), excludes.end(),
                       [this](const CLI::Option* other) { return given_.Has(other); });
  }

  const std::vector<std::pair<std::string, const CLI::Option*>> keys_;
  const GivenOptions& given_;
  ConfigOrigins& origins_;
  std::vector<std::string> arguments_;
};

}  // namespace

std::string ApplyConfig(const CLI::App& app, std::vector<std::string>* arguments,
                        ConfigOrigins* origins) {
  const bool shown = !arguments->empty() && arguments->front() == "config";
  if (!shown && (arguments->empty() || arguments->front() != "crawl")) return "";
  const CLI::App& command = *app.get_subcommand(arguments->front());
  const GivenOptions given = ReadGivenOptions(command, {arguments->begin() + 1, arguments->end()});
  if (shown) {
    if (given.words.size() != 1) return "";  // None, or too many, which the parser refuses.
    origins->file = given.words.front();
  } else {
    origins->file = given.ValueOf("--config");
  }
  if (origins->file.empty()) return "";
  ConfigReader reader(command, given, origins);
  if (std::string error = reader.Read(); !error.empty()) return error;
  arguments->insert(arguments->begin() + 1, reader.arguments().begin(), reader.arguments().end());
  return "";
}

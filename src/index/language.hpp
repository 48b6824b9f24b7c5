#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "index/analyzer.hpp"

namespace crawler {

/// The analyzer's data about a language.
struct Language {
  LanguageCode code;
  const char* stemmer = nullptr;  ///< Snowball's name; null: words stay as they are.
  bool latin = true;        ///< If not, words in ASCII are foreign to it and taken for English.
  bool elides = false;      ///< l'homme is "homme".
  std::uint8_t number = 0;  ///< In Languages().
};

/// Language 0 is the unknown one.
inline constexpr std::size_t kMaxLanguages = 64;

/// Never fails: the unknown language for a code that is not known.
const Language& FindLanguage(LanguageCode code);

/// The code as the index writes it: of "de-AT" "de", of "nb" "no", of "iw" "he". Empty if it is no
/// language code.
LanguageCode NormalLanguageCode(std::string_view tag);

}  // namespace crawler

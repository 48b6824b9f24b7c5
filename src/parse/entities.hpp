#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crawler {

/// A character reference as the HTML standard reads it at one place of the input.
struct CharacterReference {
  std::size_t length = 0;  ///< Bytes it takes, with its '&'; 0 when there is none.
  char text[8] = {};       ///< The characters it stands for, in UTF-8.
  std::size_t text_size = 0;

  std::string_view view() const { return std::string_view(text, text_size); }
};

/// Reads the character reference at the start of `input`, which begins with '&'. The longest name
/// matches; in an attribute, a name without ';' before '=', a letter or a digit does not count.
CharacterReference ReadCharacterReference(std::string_view input, bool in_attribute);

/// Appends `raw`, the text of an attribute value or of RCDATA, as the standard reads it: character
/// references resolved, CR and CRLF made LF, NUL made U+FFFD.
void AppendDecoded(std::string_view raw, bool in_attribute, std::string* out);

}  // namespace crawler

#pragma once

#include <string>
#include <string_view>

namespace crawler {

// Text of the web on a terminal. It must not move the cursor, change the title, or make text look
// like other text: control characters (C1 ones included), marks that change the direction of
// writing, line separators and invisible characters are shown as escapes.

/// Appends `text` in printable form: "\x1b" for control characters of one byte and for bytes that
/// are not UTF-8, "\u202e" for others.
void AppendPrintable(std::string_view text, std::string* out);

/// Replaces the same characters in a JSON text in UTF-8 by JSON escapes, which mean the same.
/// Bytes that are not UTF-8 stay, and so do the line feeds between values.
std::string PrintableJson(std::string_view json);

}  // namespace crawler

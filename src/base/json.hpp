#pragma once

#include <string>
#include <string_view>

namespace crawler {

/// Appends `text`, which is UTF-8, as a JSON string, quotes included. Bytes that are not UTF-8 are
/// copied as they are.
void AppendJson(std::string_view text, std::string* out);

/// As AppendJson(), for bytes of any encoding: bytes outside of ASCII become \u0080 to \u00ff, so
/// that the result is always valid JSON.
void AppendJsonBytes(std::string_view bytes, std::string* out);

/// As AppendJson(), into a buffer. Returns the end of the JSON string.
/// Requires: room for 6 * text.size() + 2 bytes at `at`.
char* WriteJson(std::string_view text, char* at);

}  // namespace crawler

#pragma once

#include <string>
#include <string_view>

namespace crawler {

/// Appends `text`, which is UTF-8, as a JSON string, quotes included.
void AppendJson(std::string_view text, std::string* out);

/// The same for bytes of any encoding: bytes outside of ASCII become \u0080 to \u00ff, so that the
/// result is always valid JSON.
void AppendJsonBytes(std::string_view bytes, std::string* out);

}  // namespace crawler

/// Text of the web made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "crawler/crawler.h"

namespace crawler {

/// `text` with control characters (C1 ones included), marks that change the direction of writing,
/// line separators, invisible characters and bytes that are not UTF-8 shown as escapes ("\x1b",
/// "\u202e"). Text of the web must not be able to move the cursor or to look like other text.
CRAWLER_EXPORT std::string ToPrintableText(std::string_view text);

/// A JSON text in UTF-8 in which these characters are JSON escapes; its meaning stays the same.
CRAWLER_EXPORT std::string ToPrintableJson(std::string_view json);

}  // namespace crawler

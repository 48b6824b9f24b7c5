#pragma once

#include <string>
#include <string_view>

#include "crawler/data.hpp"

namespace crawler {

/// Appends `text` as UTF-8. Bytes that are not UTF-8, control characters apart from tab, line feed
/// and carriage return, and noncharacters become U+FFFD: what remains is allowed in XML 1.0.
void AppendClean(std::string_view text, std::string* out);

/// Appends `text` as character data or attribute value of XML.
void AppendXml(std::string_view text, std::string* out);

/// MakeRowWriter() of crawler/data.hpp. Hands on one piece of text per row.
RowSink WriteRows(DataFormat format, TextSink write, bool for_terminal);

}  // namespace crawler

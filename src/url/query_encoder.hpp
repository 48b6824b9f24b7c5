#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace crawler {

/// Writes the query of a URL in the encoding of the document that contains the link, as browsers
/// do: `?q=é` in a windows-1252 page asks for `?q=%E9`.
/// Threads: one thread at a time for each encoder.
class QueryEncoder {
 public:
  /// For the encoding with this name of the WHATWG Encoding Standard ("windows-1252", "Big5", …;
  /// any case). Null for UTF-8, the UTF-16s, "replacement" and unknown names, whose queries are
  /// written in UTF-8.
  static std::unique_ptr<QueryEncoder> ForEncoding(std::string_view name);

  virtual ~QueryEncoder() = default;

  /// Appends `query` (UTF-8, without the '?') in this encoding, percent-encoded. A character the
  /// encoding lacks becomes "%26%23<number>%3B".
  virtual void Append(std::string_view query, std::string* out) const = 0;
};

}  // namespace crawler

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/analyzer.hpp"

namespace crawler {

/// What a heading is the heading of: `os.path.join(path, *paths)` of "os.path.join", "path.join"
/// and "join", "27.2. Streaming Replication" of "Streaming Replication". Slices of `heading`; none
/// if it names nothing. Any bytes will do.
std::vector<std::string_view> NamesOfHeading(std::string_view heading);

/// How a name is stored: `term`, which no word is, has it at position `place`. Names that share a
/// term differ by their places; that two have the same is rare enough.
struct NameTerm {
  std::string term;  ///< Empty if the name has no words, or more than a heading has.
  std::uint32_t place = 0;
  friend auto operator<=>(const NameTerm&, const NameTerm&) = default;
};

/// Pages are indexed by the names of their headings, so that a query that is such a name finds them
/// first. Names are compared by words, whatever their case and the signs between them, but not
/// stemmed: `vars` is not `var`.
/// Threads: one at a time.
class NameTerms {
 public:
  /// The same for ever, since it is stored.
  NameTerm Of(std::string_view name);

 private:
  Analyzer analyzer_;
  std::vector<Token> tokens_;
  std::string words_;
};

/// Begins the terms of names; it is below every term of a word.
inline constexpr char kNameTermMark = '\x01';

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace crawler {

enum class QueryField : std::uint8_t { kTitle, kInUrl, kSite, kLang, kAfter };

/// A field as one may write it, for messages: "site:example.org".
std::string QueryFieldExample(QueryField field);

/// A piece of a query.
struct QueryToken {
  enum class Kind : std::uint8_t {
    kEnd,
    kWord,    ///< text: the word, with its star if it has one.
    kPhrase,  ///< text: between the quotation marks, blanks collapsed.
    kField,   ///< field; text: its name as written. What it asks for is the next token.
    kAnd,
    kOr,
    kNot,   ///< text: "NOT" or "-"
    kMust,  ///< text: "+"
    kOpen,
    kClose,
  };

  Kind kind = Kind::kEnd;
  QueryField field = QueryField::kTitle;
  bool attached = false;  ///< Of a field: the next token follows the colon at once.
  std::size_t at = 0;     ///< Number of the character in the query, from 1.
  std::string text;
};

/// Takes a query apart. Punctuation on its own is left out: nothing can be found by it.
/// Lifetime: the query must outlive it.
class QueryLexer {
 public:
  explicit QueryLexer(std::string_view query) : query_(query) {}

  /// The next token; kEnd again and again at the end. kInvalidArgument, with a message for the
  /// person who wrote the query, for a quotation mark without its other one and for what looks like
  /// a field with a typing mistake.
  Status Next(QueryToken* token);

 private:
  std::size_t BlankAt(std::size_t at) const;
  std::size_t QuoteAt(std::size_t at) const;
  std::size_t ChunkEnd(std::size_t begin) const;
  std::size_t CharacterAt(std::size_t offset) const;
  Status TakePhrase(std::size_t quote_size, QueryToken* token);
  Status TakeField(std::string_view chunk, QueryToken* token, bool* found);

  std::string_view query_;
  std::size_t at_ = 0;
  bool value_ = false;  // The value of a field comes next: no operator, no field.
};

}  // namespace crawler

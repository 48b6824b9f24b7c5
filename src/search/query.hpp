#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace crawler {

/// A query as a tree. What people write and what it means is in docs/search.md:
///   vector push_back        most of the words: any will do, pages with more of them come first
///   +vector, a AND b        words that must be there
///   "move constructor"      a phrase; so is a word that falls into several terms (std::vector)
///   cat OR dog, (a b) OR c  either
///   NOT boost, -boost       without
///   alloc*                  words that begin so
///   title:vector  inurl:container  site:example.org  lang:de  after:2024-01-31
struct QueryNode {
  enum class Kind : std::uint8_t {
    kWord,    ///< text; as written, not yet analysed.
    kPhrase,  ///< text
    kPrefix,  ///< text, without the star.
    kAnd,     ///< children, two or more. Words and prefixes that are not `must` (and not of the
              ///< title) need not all be there; everything else has to be.
    kOr,      ///< children, two or more
    kNot,     ///< children[0]
    kSite,    ///< text: a host or a domain, or the beginning of a URL without scheme; its
              ///< subdomains too.
    kInUrl,   ///< text: part of the URL, in any case.
    kLang,    ///< text: "de"
    kAfter,   ///< time: pages that changed, or were crawled, then or later.
  };
  enum class In : std::uint8_t { kAnywhere, kTitle };

  Kind kind = Kind::kWord;
  In in = In::kAnywhere;  ///< Of words, phrases and prefixes.
  bool must = false;      ///< Of words and prefixes: written with + or beside AND.
  std::string text;
  std::int64_t time = 0;  ///< Milliseconds since 1970.
  std::vector<QueryNode> children;

  bool IsText() const {
    return kind == Kind::kWord || kind == Kind::kPhrase || kind == Kind::kPrefix;
  }
  /// Whether pages may do without it if they have other words beside it.
  bool IsPlainWord() const {
    return (kind == Kind::kWord || kind == Kind::kPrefix) && in == In::kAnywhere && !must;
  }
  friend bool operator==(const QueryNode&, const QueryNode&) = default;
};

/// Longest query, most terms and deepest nesting that are read; more is an error that says so.
inline constexpr std::size_t kMaxQueryBytes = 4096;
inline constexpr std::size_t kMaxQueryTerms = 64;
inline constexpr std::size_t kMaxQueryDepth = 16;

/// Errors: kInvalidArgument with a message for the person who wrote the query: what is wrong, at
/// which character, and what would be right. A query of only negations or filters is allowed if it
/// has at least one filter that is not negated.
Result<QueryNode> ParseQuery(std::string_view query);

/// The query in a form that ParseQuery() reads to the same tree.
std::string FormatQuery(const QueryNode& query);

}  // namespace crawler

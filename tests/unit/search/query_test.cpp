#include "search/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace crawler {
namespace {

using testing::HasSubstr;
using Kind = QueryNode::Kind;

// The tree in brackets: (and a (or b c)).
std::string Tree(const QueryNode& node) {
  const std::string in = node.in == QueryNode::In::kTitle ? "title:" : "";
  std::string children;
  for (const QueryNode& child : node.children) children += " " + Tree(child);
  switch (node.kind) {
    case Kind::kWord:
      return in + node.text;
    case Kind::kPhrase:
      return in + "'" + node.text + "'";
    case Kind::kPrefix:
      return in + node.text + "*";
    case Kind::kAnd:
      return "(and" + children + ")";
    case Kind::kOr:
      return "(or" + children + ")";
    case Kind::kNot:
      return "(not" + children + ")";
    case Kind::kSite:
      return "site=" + node.text;
    case Kind::kInUrl:
      return "inurl=" + node.text;
    case Kind::kLang:
      return "lang=" + node.text;
    case Kind::kAfter:
      return "after=" + std::to_string(node.time);
  }
  return "?";
}

std::string Parse(std::string_view query) {
  const Result<QueryNode> result = ParseQuery(query);
  return result.ok() ? Tree(*result) : "error: " + result.status().message();
}

TEST(Query, WordsAndPhrases) {
  EXPECT_EQ(Parse("vector"), "vector");
  EXPECT_EQ(Parse("  vector\tpush_back "), "(and vector push_back)");
  EXPECT_EQ(Parse("\"move  constructor\" a"), "(and 'move constructor' a)");
  EXPECT_EQ(Parse("“move constructor”"), "'move constructor'");
  EXPECT_EQ(Parse("„zwei Wörter“ «deux mots»"), "(and 'zwei Wörter' 'deux mots')");
  EXPECT_EQ(Parse("\"mixed marks”"), "'mixed marks'");
  EXPECT_EQ(Parse("東京　大阪"), "(and 東京 大阪)");
  EXPECT_EQ(Parse("a\"b\"c"), "(and a 'b' c)");
  EXPECT_EQ(Parse("alloc*"), "alloc*");
  EXPECT_EQ(Parse("push_back()"), "push_back()");
  EXPECT_EQ(Parse("c++ C# .net"), "(and c++ C# .net)");
  EXPECT_EQ(Parse("--max-ram well-known"), "(and --max-ram well-known)");
}

// As Hebrew abbreviations are typed: between two letters the mark is one of them.
TEST(Query, AMarkWithinAHebrewWordOpensNothing) {
  EXPECT_EQ(Parse("צה\"ל"), "צה\"ל");
  EXPECT_EQ(Parse("דו\"ח שנתי"), "(and דו\"ח שנתי)");
  EXPECT_EQ(Parse("\"דו\"ח שנתי\""), "'דו\"ח שנתי'");
  EXPECT_EQ(Parse("\"ח\""), "'ח'");
}

TEST(Query, Operators) {
  EXPECT_EQ(Parse("a AND b"), "(and a b)");
  EXPECT_EQ(Parse("a OR b"), "(or a b)");
  EXPECT_EQ(Parse("a b OR c d"), "(or (and a b) (and c d))");
  EXPECT_EQ(Parse("a (b OR c) d"), "(and a (or b c) d)");
  EXPECT_EQ(Parse("(a b) (c (d e))"), "(and a b c d e)");
  EXPECT_EQ(Parse("a OR (b OR c)"), "(or a b c)");
  EXPECT_EQ(Parse("a NOT b"), "(and a (not b))");
  EXPECT_EQ(Parse("a -bc -\"c d\" -(e f)"), "(and a (not bc) (not 'c d') (not (and e f)))");
  // An option of a command.
  EXPECT_EQ(Parse("unittest -k"), "(and unittest -k)");
  // Inches.
  EXPECT_EQ(Parse("5\" screen"), "(and 5 screen)");
  EXPECT_EQ(Parse("a NOT NOT b"), "(and a b)");
  EXPECT_EQ(Parse("a AND NOT b"), "(and a (not b))");
  // Only in capitals.
  EXPECT_EQ(Parse("a or b and not c"), "(and a or b and not c)");
  EXPECT_EQ(Parse("\"OR\""), "'OR'");
}

TEST(Query, Fields) {
  EXPECT_EQ(Parse("title:vector"), "title:vector");
  EXPECT_EQ(Parse("Title:\"a b\" intitle:c*"), "(and title:'a b' title:c*)");
  EXPECT_EQ(Parse("title:(a OR b) c"), "(and (or title:a title:b) c)");
  EXPECT_EQ(Parse("-title:a b"), "(and (not title:a) b)");
  EXPECT_EQ(Parse("site:Example.ORG"), "site=example.org");
  EXPECT_EQ(Parse("site:https://example.org/Docs/"), "site=example.org/Docs/");
  EXPECT_EQ(Parse("site:*.example.org/"), "site=example.org");
  EXPECT_EQ(Parse("site:bücher.example"), "site=xn--bcher-kva.example");
  EXPECT_EQ(Parse("site:localhost:8080/a"), "site=localhost:8080/a");
  EXPECT_EQ(Parse("inurl:Container"), "inurl=Container");
  EXPECT_EQ(Parse("lang:DE lang:pt-BR"), "(and lang=de lang=pt)");
  EXPECT_EQ(Parse("after:2024-01-31"), "after=1706659200000");
  EXPECT_EQ(Parse("after:2024"), Parse("after:2024-01-01"));
  EXPECT_EQ(Parse("after:2024-02"), Parse("after:2024-02-01"));
  EXPECT_EQ(Parse("site:example.org -lang:de"), "(and site=example.org (not lang=de))");
}

TEST(Query, WhatOnlyLooksLikeAField) {
  EXPECT_EQ(Parse("std::vector"), "std::vector");
  EXPECT_EQ(Parse("title::iterator"), "title::iterator");
  EXPECT_EQ(Parse("http://example.org/a"), "http://example.org/a");
  EXPECT_EQ(Parse("site://x"), "site://x");
  EXPECT_EQ(Parse("foo:bar size:10 tile:3 long:x"), "(and foo:bar size:10 tile:3 long:x)");
  EXPECT_EQ(Parse("key: value"), "(and key: value)");
  EXPECT_EQ(Parse("10:30"), "10:30");
  EXPECT_EQ(Parse("title:site:x"), "title:site:x");
}

TEST(Query, PunctuationIsLeftOut) {
  EXPECT_EQ(Parse("a & b | c - d + e"), "(and a b c d e)");
  EXPECT_EQ(Parse("a -& \"--\" b"), "(and a b)");
  EXPECT_EQ(Parse("* a"), "a");
}

TEST(Query, MistakesAreExplained) {
  EXPECT_THAT(Parse(""), HasSubstr("nothing to search for"));
  EXPECT_THAT(Parse(" & "), HasSubstr("nothing to search for"));
  EXPECT_THAT(Parse("a \"b c"), HasSubstr("never closed (character 3)"));
  EXPECT_THAT(Parse("äö \"b"), HasSubstr("(character 4)"));  // Characters, not bytes.
  EXPECT_THAT(Parse("a (b"), HasSubstr("( is never closed (character 3)"));
  EXPECT_THAT(Parse("a b)"), HasSubstr(") without its ( (character 4)"));
  EXPECT_THAT(Parse(") a"), HasSubstr(") without its ( (character 1)"));
  EXPECT_THAT(Parse("a ()"), HasSubstr("nothing between the brackets (character 3)"));
  EXPECT_THAT(Parse("a OR"),
              HasSubstr("OR needs something to search for on both sides (character 3)"));
  EXPECT_THAT(Parse("OR a"),
              HasSubstr("OR needs something to search for on both sides (character 1)"));
  EXPECT_THAT(Parse("a AND OR b"), HasSubstr("(character 7)"));
  EXPECT_THAT(Parse("a NOT"),
              HasSubstr("NOT needs something to search for after it (character 3)"));
  EXPECT_THAT(Parse("(a -)"), "a");
  EXPECT_THAT(Parse("fo*o"), HasSubstr("as in fo*"));
  EXPECT_THAT(Parse("*foo"), HasSubstr("end of a word"));
  EXPECT_THAT(Parse("title: vector"), HasSubstr("title: says nothing (character 1); write title:"));
  EXPECT_THAT(Parse("a site:"), HasSubstr("site: says nothing (character 3)"));
  EXPECT_THAT(Parse("title:(site:x)"), HasSubstr("cannot stand within title:( )"));
  EXPECT_THAT(Parse("lang:german"), HasSubstr("lang:german is not understood"));
  EXPECT_THAT(Parse("after:yesterday"), HasSubstr("after:2024-01-31"));
  EXPECT_THAT(Parse("after:2023-02-29"), HasSubstr("no date"));
  EXPECT_THAT(Parse("after:2024-1-1"), HasSubstr("no date"));
  EXPECT_THAT(Parse("titel:foo"), HasSubstr("did you mean title:?"));
  EXPECT_THAT(Parse("sites:x"), HasSubstr("did you mean site:?"));
  EXPECT_THAT(Parse("lnag:de"), HasSubstr("did you mean lang:?"));
  EXPECT_THAT(Parse("innurl:x"), HasSubstr("did you mean inurl:?"));
}

// docs/search.md: a * stands for the end of a word; a phrase is of whole words. As punctuation, as
// C has it, it is left out.
TEST(Query, AStarWithinAPhraseIsExplained) {
  EXPECT_THAT(Parse("a \"alloc* memory\""), HasSubstr("within quotation marks (character 3)"));
  EXPECT_THAT(Parse("\"move construct*\""), HasSubstr("construct* outside"));
  EXPECT_THAT(Parse("\"al*oc\""), HasSubstr("within quotation marks"));
  EXPECT_THAT(Parse("title:\"größe*\""), HasSubstr("größe* outside"));
  EXPECT_EQ(Parse("\"int *p\""), "'int *p'");
  EXPECT_EQ(Parse("\"a * b\""), "'a * b'");
  EXPECT_EQ(Parse("inurl:\"a*b\""), "inurl=a*b");
}

TEST(Query, OnlyNegationsFindNothing) {
  EXPECT_THAT(Parse("-ab"), HasSubstr("must not have"));
  EXPECT_THAT(Parse("-ab -site:example.org"), HasSubstr("must not have"));
  EXPECT_THAT(Parse("a OR NOT b"), HasSubstr("must not have"));
  EXPECT_EQ(Parse("-ab site:example.org"), "(and (not ab) site=example.org)");
  EXPECT_EQ(Parse("lang:de"), "lang=de");
}

TEST(Query, IsBounded) {
  EXPECT_THAT(Parse(std::string(kMaxQueryBytes + 1, 'a')), HasSubstr("too long"));
  EXPECT_FALSE(Parse(std::string(kMaxQueryBytes, 'a')).starts_with("error"));
  std::string many;
  for (std::size_t i = 0; i < kMaxQueryTerms; ++i) many += "w ";
  EXPECT_FALSE(Parse(many).starts_with("error"));
  EXPECT_THAT(Parse(many + "w"), HasSubstr("too many words"));
  EXPECT_THAT(Parse(std::string(40, '(') + "a" + std::string(40, ')')),
              HasSubstr("nested too deeply"));
  std::string nots;
  for (int i = 0; i < 40; ++i) nots += "NOT ";
  EXPECT_THAT(Parse(nots + "a"), HasSubstr("nested too deeply"));
  // Exactly.
  const auto nested = [](std::size_t levels) {
    return Parse(std::string(levels, '(') + "a" + std::string(levels, ')'));
  };
  EXPECT_FALSE(nested(kMaxQueryDepth).starts_with("error"));
  EXPECT_THAT(nested(kMaxQueryDepth + 1), HasSubstr("nested too deeply"));
}

// FormatQuery() writes what ParseQuery() reads to the same tree, for queries of any pieces.
TEST(Query, RoundTrip) {
  const std::vector<std::string> pieces = {"a",
                                           "b1",
                                           "OR",
                                           "AND",
                                           "NOT",
                                           "-",
                                           "--x",
                                           "+",
                                           "++i",
                                           "(",
                                           ")",
                                           "\"",
                                           "“",
                                           "”",
                                           " ",
                                           " ",
                                           " ",
                                           "*",
                                           "title:",
                                           "site:",
                                           "inurl:",
                                           "lang:",
                                           "after:",
                                           "after:2024-02-29",
                                           "lang:de",
                                           "é",
                                           "std::x",
                                           "x()",
                                           "site:E.org/P",
                                           "inurl:\"a (b\"",
                                           ":",
                                           "&",
                                           "/",
                                           "\xFF",
                                           "\n",
                                           "titel:x",
                                           "title:(",
                                           "//",
                                           "://",
                                           "title:(a b)"};
  std::mt19937 random(5);  // NOLINT: the same queries each time.
  int parsed = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string query;
    const std::size_t size = 1 + random() % 9;
    for (std::size_t i = 0; i < size; ++i) query += pieces[random() % pieces.size()];
    const Result<QueryNode> tree = ParseQuery(query);
    if (!tree.ok()) {
      ASSERT_EQ(tree.status().code(), StatusCode::kInvalidArgument);
      ASSERT_FALSE(tree.status().message().empty());
      continue;
    }
    ++parsed;
    const std::string written = FormatQuery(*tree);
    const Result<QueryNode> again = ParseQuery(written);
    ASSERT_TRUE(again.ok()) << query << " -> " << written << ": " << again.status().message();
    ASSERT_TRUE(*again == *tree) << query << " -> " << written << ": " << Tree(*tree) << " vs "
                                 << Tree(*again);
  }
  EXPECT_GT(parsed, 10000);
}

}  // namespace
}  // namespace crawler

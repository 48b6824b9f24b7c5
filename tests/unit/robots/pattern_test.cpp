#include "robots/pattern.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

namespace crawler {
namespace {

std::string Path(std::string_view text) {
  std::string out;
  return AppendComparablePath(text, &out) ? out : std::string(text);
}

std::string Pattern(std::string_view text) {
  std::string out;
  AppendComparablePattern(text, &out);
  return out;
}

bool Matches(std::string_view pattern, std::string_view path) {
  return PatternMatches(Pattern(pattern), Path(path));
}

// RFC 9309, 2.2.2, the table of examples.
TEST(Pattern, PercentEncodingMakesNoDifference) {
  EXPECT_TRUE(Matches("/foo/bar?baz=quz", "/foo/bar?baz=quz"));
  EXPECT_TRUE(Matches("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"));
  EXPECT_TRUE(Matches("/foo/bar/\xe3\x83\x84", "/foo/bar/%E3%83%84"));
  EXPECT_TRUE(Matches("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"));
  EXPECT_TRUE(Matches("/foo/bar/%62%61%7A", "/foo/bar/baz"));
  EXPECT_TRUE(Matches("/foo/bar/baz", "/foo/bar/%62%61%7a"));
}

TEST(Pattern, ReservedCharactersAreNotTheirEncoding) {
  EXPECT_FALSE(Matches("/a%2fb", "/a/b"));
  EXPECT_FALSE(Matches("/a/b", "/a%2fb"));
  EXPECT_TRUE(Matches("/a%2fb", "/a%2Fb"));
  EXPECT_TRUE(Matches("/%zz", "/%zz"));
  EXPECT_TRUE(Matches("/%", "/%"));
}

// RFC 9309, 2.2.3.
TEST(Pattern, SpecialCharacters) {
  EXPECT_TRUE(Matches("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"));
  EXPECT_FALSE(Matches("/path/file-with-a-%2A.html", "/path/file-with-a-b.html"));
  EXPECT_TRUE(Matches("/path/foo-%24", "/path/foo-$"));
  EXPECT_TRUE(Matches("/this/*/exactly$", "/this/path/exactly"));
  EXPECT_FALSE(Matches("/this/*/exactly$", "/this/path/exactly/not"));
  EXPECT_TRUE(Matches("/a$b", "/a$b"));
  EXPECT_FALSE(Matches("/a$b", "/a"));
}

TEST(Pattern, PrefixesAndWildcards) {
  EXPECT_TRUE(Matches("/", "/anything"));
  EXPECT_TRUE(Matches("/fish", "/fish.html"));
  EXPECT_FALSE(Matches("/fish", "/Fish"));
  EXPECT_TRUE(Matches("/fish*", "/fish"));
  EXPECT_TRUE(Matches("*.php", "/x/y.php?z"));
  EXPECT_FALSE(Matches("/*.php$", "/x.php?z"));
  EXPECT_TRUE(Matches("/*.php$", "/x.php.php"));
  EXPECT_TRUE(Matches("/a*b*c$", "/aXbXbXc"));
  EXPECT_FALSE(Matches("/ab*ba$", "/aba"));
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_TRUE(Matches("**$", "/x"));
  EXPECT_TRUE(Matches("$", ""));
  EXPECT_FALSE(Matches("$", "/"));
  EXPECT_FALSE(Matches("fish", "/fish"));
}

// The definition, tried every way.
bool NaiveMatches(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return true;
  if (pattern == "$") return path.empty();
  if (pattern[0] == '*') {
    for (std::size_t skip = 0; skip <= path.size(); ++skip) {
      if (NaiveMatches(pattern.substr(1), path.substr(skip))) return true;
    }
    return false;
  }
  return !path.empty() && path[0] == pattern[0] && NaiveMatches(pattern.substr(1), path.substr(1));
}

TEST(Pattern, AgreesWithTheDefinition) {
  std::mt19937 random(9309);
  const auto text = [&random](std::string_view alphabet, unsigned most) {
    std::string made;
    for (unsigned n = random() % (most + 1); n > 0; --n) {
      made.push_back(alphabet[random() % alphabet.size()]);
    }
    return made;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string pattern = text("ab*", 7);
    if (random() % 3 == 0) pattern.push_back('$');
    const std::string path = text("ab", 8);
    ASSERT_EQ(PatternMatches(pattern, path), NaiveMatches(pattern, path)) << pattern << " " << path;
  }
}

TEST(Pattern, HostilePatternsEndQuickly) {
  std::string stars, path;
  for (int i = 0; i < 5000; ++i) stars += "*a";
  path.assign(9998, 'a');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(PatternMatches(stars, path));
  EXPECT_FALSE(PatternMatches(stars + "b$", path));
  EXPECT_FALSE(PatternMatches("/*" + std::string(5000, 'a') + "b", "/" + path));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace crawler

#include "url/scope.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/url/parsed_url.hpp"
namespace crawler {
namespace {

std::unique_ptr<Scope> MakeScope(ScopeOptions options, std::string_view seed) {
  auto scope = Scope::Create(std::move(options));
  EXPECT_TRUE(scope.ok()) << scope.status().ToString();
  (*scope)->AddSeed(Parsed(seed));
  return std::move(scope).value();
}

// "allow" or "refuse", the rule, the detail.
std::string Check(const Scope& scope, std::string_view text) {
  const Url url = Parsed(text);
  const ScopeVerdict verdict = scope.Check(url);
  return std::string(verdict.allowed ? "allow" : "refuse") + ", " +
         std::string(ScopeRuleName(verdict.rule)) + ": " + std::string(verdict.detail);
}

TEST(Scope, Reach) {
  const char* seed = "https://www.example.co.uk/docs/index.html";
  struct {
    Reach reach;
    const char* url;
    bool allowed;
  } const cases[] = {
      {Reach::kPath, "https://www.example.co.uk/docs/a/b", true},
      {Reach::kPath, "https://www.example.co.uk/docs", false},
      {Reach::kPath, "https://www.example.co.uk/", false},
      {Reach::kPath, "https://example.co.uk/docs/a", false},
      {Reach::kHost, "http://www.example.co.uk:8080/x", true},
      {Reach::kHost, "https://example.co.uk/", false},
      {Reach::kDomain, "https://a.example.co.uk/", true},
      {Reach::kDomain, "https://other.co.uk/", false},
      {Reach::kWeb, "https://other.org/", true},
  };
  for (const auto& c : cases) {
    ScopeOptions options;
    options.reach = c.reach;
    const auto scope = MakeScope(options, seed);
    const Url url = Parsed(c.url);
    EXPECT_EQ(scope->Check(url).allowed, c.allowed) << c.url;
    EXPECT_EQ(scope->Check(url).rule, ScopeRule::kReach);
  }
}

TEST(Scope, SeveralSeeds) {
  const auto scope = MakeScope({}, "http://a/");
  scope->AddSeed(Parsed("http://b/"));
  scope->AddSeed(Parsed("mailto:c"));
  EXPECT_EQ(Check(*scope, "http://b/x"), "allow, reach: b");
  EXPECT_EQ(Check(*scope, "http://c/x"), "refuse, reach: c");
}

TEST(Scope, Patterns) {
  ScopeOptions options;
  options.include = {"\\.html$", "/keep/"};
  options.exclude = {"[?&]print=1", "/private/"};
  const auto scope = MakeScope(options, "http://h/");
  EXPECT_EQ(Check(*scope, "http://h/a.html"), "allow, include pattern: \\.html$");
  EXPECT_EQ(Check(*scope, "http://h/keep/a"), "allow, include pattern: /keep/");
  EXPECT_EQ(Check(*scope, "http://h/a.pdf"), "refuse, include pattern: no include pattern matches");
  EXPECT_EQ(Check(*scope, "http://h/private/a.html"), "refuse, exclude pattern: /private/");
  EXPECT_EQ(Check(*scope, "http://other/a.html"), "refuse, reach: other");
}

TEST(Scope, AWrongPatternIsNamed) {
  ScopeOptions options;
  options.exclude = {"(unclosed"};
  const auto scope = Scope::Create(options);
  ASSERT_FALSE(scope.ok());
  EXPECT_EQ(scope.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(scope.status().message().find("(unclosed"), std::string::npos);
}

TEST(Scope, SchemesAndLength) {
  ScopeOptions options;
  options.http = false;
  options.max_url_length = 20;
  const auto scope = MakeScope(options, "https://h/");
  EXPECT_EQ(Check(*scope, "http://h/"), "refuse, scheme: http");
  EXPECT_EQ(Check(*scope, "ftp://h/"), "refuse, scheme: ftp");
  EXPECT_EQ(Check(*scope, "mailto:x"), "refuse, scheme: mailto");
  EXPECT_EQ(Check(*scope, "https://h/0123456789"), "allow, reach: h");
  EXPECT_EQ(Check(*scope, "https://h/01234567890"), "refuse, URL length: ");
}

TEST(Scope, Traps) {
  ScopeOptions options;
  options.max_path_segments = 8;
  const auto scope = MakeScope(options, "http://h/");
  EXPECT_EQ(Check(*scope, "http://h/a/b/a/b/a/b"), "allow, reach: h");
  EXPECT_EQ(Check(*scope, "http://h/a/b/a/b/a/b/a"), "refuse, repeated path segment: a");
  EXPECT_EQ(Check(*scope, "http://h/1/2/3/4/5/6/7/8"), "allow, reach: h");
  EXPECT_EQ(Check(*scope, "http://h/1//2//3//4//5//6//7//8"), "allow, reach: h");
  EXPECT_EQ(Check(*scope, "http://h/1/2/3/4/5/6/7/8/9"), "refuse, too many path segments: 9");
}

TEST(Scope, LimitsOfZeroAreNone) {
  ScopeOptions options;
  options.max_path_segments = 0;
  options.max_segment_repeats = 0;
  const auto scope = MakeScope(options, "http://h/");
  std::string deep = "http://h";
  for (int i = 0; i < 500; ++i) deep += "/a";
  EXPECT_EQ(Check(*scope, deep), "allow, reach: h");
}

}  // namespace
}  // namespace crawler

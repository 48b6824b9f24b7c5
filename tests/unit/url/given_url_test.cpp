#include "url/given_url.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

std::string ProblemOf(std::string_view text) {
  const Result<Url> url = ParseGivenUrl(text);
  if (url.ok()) return "";
  EXPECT_EQ(url.status().code(), StatusCode::kInvalidArgument);
  return url.status().message();
}

TEST(GivenUrl, HttpAndHttpsPass) {
  EXPECT_EQ(ParseGivenUrl("HTTPS://Example.org")->href(), "https://example.org/");
  EXPECT_EQ(ParseGivenUrl("http://127.1:8080/x")->href(), "http://127.0.0.1:8080/x");
}

TEST(GivenUrl, AMissingSchemeIsSuggested) {
  const struct {
    const char *given, *meant;
  } cases[] = {
      {"example.org", "https://example.org/"},
      {"www.example.org/docs/?a=b", "https://www.example.org/docs/?a=b"},
      {"//example.org/x", "https://example.org/x"},
      {"localhost", "http://localhost/"},
      {"localhost:8080", "http://localhost:8080/"},
      {"example.org:8080/x", "http://example.org:8080/x"},
      {"127.0.0.1:8000/x", "http://127.0.0.1:8000/x"},
      {"[::1]:8000", "http://[::1]:8000/"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ProblemOf(c.given),
              "'" + std::string(c.given) + "' has no scheme; did you mean " + c.meant + " ?");
  }
}

TEST(GivenUrl, OtherSchemesAreNamed) {
  EXPECT_NE(ProblemOf("file:///tmp/x.html").find("is a file of this machine"), std::string::npos);
  EXPECT_NE(ProblemOf("FILE:x").find("is a file of this machine"), std::string::npos);
  EXPECT_EQ(ProblemOf("ftp://example.org/"),
            "'ftp://example.org/' has the scheme ftp:, and only http and https URLs are fetched");
  EXPECT_EQ(ProblemOf("mailto:a@example.org"),
            "'mailto:a@example.org' has the scheme mailto:, and only http and https URLs are "
            "fetched");
}

TEST(GivenUrl, WhatIsNoUrlIsSaid) {
  for (const char* text : {"", "nonsense", "two words", "/etc/passwd", "a.b c", "\xff"}) {
    EXPECT_NE(ProblemOf(text).find("is not an http or https URL; write it whole"),
              std::string::npos)
        << text << ": " << ProblemOf(text);
  }
  EXPECT_EQ(ProblemOf("https://"), "'https://' is not a valid URL");
  EXPECT_EQ(ProblemOf("http://a b/"), "'http://a b/' is not a valid URL");
}

}  // namespace
}  // namespace crawler

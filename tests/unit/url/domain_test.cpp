#include "url/domain.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

// https://publicsuffix.org/list/
TEST(RegistrableDomain, ByThePublicSuffixList) {
  EXPECT_EQ(RegistrableDomain("www.example.co.uk"), "example.co.uk");
  EXPECT_EQ(RegistrableDomain("example.com"), "example.com");
  EXPECT_EQ(RegistrableDomain("a.b.example.github.io"), "example.github.io");
  EXPECT_EQ(RegistrableDomain("www.city.kobe.jp"), "city.kobe.jp");  // An exception rule.
  EXPECT_EQ(RegistrableDomain("www.example.com."), "example.com");
}

TEST(RegistrableDomain, UnlistedTopLevelCountsAsOneLabel) {
  EXPECT_EQ(RegistrableDomain("a.b.intranet-zone"), "b.intranet-zone");
}

TEST(RegistrableDomain, SuffixesAndOddNamesHaveNone) {
  for (const char* host :
       {"", ".", "com", "co.uk", "localhost", ".com", ".example.com", "a..example.com", "com."}) {
    EXPECT_EQ(RegistrableDomain(host), "") << host;
  }
  EXPECT_EQ(RegistrableDomain(std::string(300, 'a') + ".com"), "");
}

TEST(SiteOf, FallsBackToTheHost) {
  const auto site = [](std::string_view text) {
    static Url url;
    ParseUrl(text, nullptr, &url);
    return SiteOf(url);
  };
  EXPECT_EQ(site("http://www.example.org:81/"), "example.org");
  EXPECT_EQ(site("http://192.0.2.1/"), "192.0.2.1");
  EXPECT_EQ(site("http://[2001:db8::1]/"), "[2001:db8::1]");
  EXPECT_EQ(site("http://localhost/"), "localhost");
  EXPECT_EQ(site("http://github.io/"), "github.io");
}

}  // namespace
}  // namespace crawler

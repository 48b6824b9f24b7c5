#include "url/normalize.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

std::string Normalize(std::string_view input, const NormalizeOptions& options = {}) {
  Url url;
  ParseUrl(input, nullptr, &url);
  NormalizeUrl(&url, options);
  const std::string once(url.href());
  NormalizeUrl(&url, options);
  EXPECT_EQ(url.href(), once) << "not idempotent";
  Url again;
  ParseUrl(once, nullptr, &again);
  EXPECT_EQ(again.href(), once) << "not what the parser makes of it";
  EXPECT_EQ(again.path(), url.path());
  EXPECT_EQ(again.query(), url.query());
  EXPECT_EQ(again.has_query(), url.has_query());
  return once;
}

// RFC 3986, 6.2.2 and 6.2.3.
TEST(NormalizeUrl, SyntaxBasedForms) {
  EXPECT_EQ(Normalize("HTTP://Example.COM:80/a/./b/../c#frag"), "http://example.com/a/c");
  EXPECT_EQ(Normalize("http://example.com"), "http://example.com/");
  EXPECT_EQ(Normalize("http://h/%7Euser/%41%2d%5f%2e%7e"), "http://h/~user/A-_.~");
  EXPECT_EQ(Normalize("http://h/a%2fb%c3%a9?x=%3d%61#f"), "http://h/a%2Fb%C3%A9?x=%3Da");
}

TEST(NormalizeUrl, KeepsWhatAServerMayTellApart) {
  for (const char* same :
       {"http://h//a//b", "http://h/a/", "http://h/?", "http://h/a?b&a", "http://h/a?b=&&c",
        "http://h./", "http://h/a;v=1", "http://h/A", "http://h/%2F", "http://h/a+b?c+d",
        "http://h/100%", "http://h/%zz", "http://h/index.html"}) {
    EXPECT_EQ(Normalize(same), same);
  }
}

// Nobody is ever sent them, so they cannot make another page.
TEST(NormalizeUrl, DropsUserAndPassword) {
  EXPECT_EQ(Normalize("http://u:p@h/"), "http://h/");
  EXPECT_EQ(Normalize("https://u@h:8443/a?b=c@d#e"), "https://h:8443/a?b=c@d");
  EXPECT_EQ(Normalize("http://:p@[::1]:81/%7e?%7e"), "http://[::1]:81/~?~");
  EXPECT_EQ(Normalize("http://a:b@c@h/x@y"), "http://h/x@y");
  Url url;
  ParseUrl("http://user:password@h:81/p?q#f", nullptr, &url);
  url.RemoveCredentials();
  EXPECT_EQ(url.href(), "http://h:81/p?q#f");
  EXPECT_FALSE(url.has_credentials());
  EXPECT_EQ(url.host_and_port(), "h:81");
  EXPECT_EQ(url.path_and_query(), "/p?q");
  EXPECT_EQ(url.fragment(), "f");
  EXPECT_EQ(url.Origin(), url.before_path());
}

// "%%34%31" holds a stray '%' and two encoded digits; "%41" would be an 'A' that nobody wrote.
TEST(NormalizeUrl, NeverMakesATriplet) {
  EXPECT_EQ(Normalize("http://h/%%34%31"), "http://h/%%341");
  EXPECT_EQ(Normalize("http://h/%4%31"), "http://h/%4%31");
  EXPECT_EQ(Normalize("http://h/%%41"), "http://h/%%41");
  EXPECT_EQ(Normalize("http://h/%%7a%41"), "http://h/%zA");
  EXPECT_EQ(Normalize("http://h/%25%34%31"), "http://h/%2541");
  EXPECT_EQ(Normalize("http://h/%2541"), "http://h/%2541");
  EXPECT_EQ(Normalize("http://h/%?%34%31"), "http://h/%?41");
}

TEST(NormalizeUrl, OtherSchemesOnlyLoseTheFragment) {
  EXPECT_EQ(Normalize("mailto:%41@b#c"), "mailto:%41@b");
  EXPECT_EQ(Normalize("ftp://h/%41#c"), "ftp://h/%41");
}

TEST(NormalizeUrl, InvalidStaysEmpty) {
  Url url;
  NormalizeUrl(&url, {});
  EXPECT_EQ(url.href(), "");
}

TEST(NormalizeUrl, DropsTrackingIfAsked) {
  const NormalizeOptions options{.drop_tracking = true};
  EXPECT_EQ(Normalize("http://h/?utm_source=a&id=1&UTM_Medium=b&fbclid=c", options),
            "http://h/?id=1");
  EXPECT_EQ(Normalize("http://h/?gclid=c", options), "http://h/");
  EXPECT_EQ(Normalize("http://h/?gclid", options), "http://h/");
  EXPECT_EQ(Normalize("http://h/?%67clid=1&a", options), "http://h/?a");
  EXPECT_EQ(Normalize("http://h/?utmost=1&gclidx=2&PHPSESSID=3", options),
            "http://h/?utmost=1&gclidx=2&PHPSESSID=3");
  EXPECT_EQ(Normalize("http://h/?", options), "http://h/?");
}

TEST(NormalizeUrl, DropsSessionIdsIfAsked) {
  const NormalizeOptions options{.drop_session_ids = true};
  EXPECT_EQ(Normalize("http://h/a;jsessionid=1F?b&PHPSESSID=2", options), "http://h/a?b");
  EXPECT_EQ(Normalize("http://h/a;JSESSIONID=1;jsessionid=2?b", options), "http://h/a?b");
  EXPECT_EQ(Normalize("http://h/a;jsessionid=1/b;v=2?sid=3", options),
            "http://h/a;jsessionid=1/b;v=2?sid=3");
  EXPECT_EQ(Normalize("http://h/?ASPSESSIONIDQQ=1&session_id=2&utm_x=3", options),
            "http://h/?utm_x=3");
}

TEST(NormalizeUrl, DroppingASessionIdLeavesNoDotSegment) {
  const NormalizeOptions options{.drop_session_ids = true};
  EXPECT_EQ(Normalize("http://h/a/.;jsessionid=1", options), "http://h/a/.;jsessionid=1");
  EXPECT_EQ(Normalize("http://h/a/..;jsessionid=1?b", options), "http://h/a/..;jsessionid=1?b");
}

TEST(NormalizeUrl, SortsTheQueryIfAsked) {
  const NormalizeOptions options{.sort_query = true};
  EXPECT_EQ(Normalize("http://h/?b=1&a=2&b=0&a=1", options), "http://h/?a=2&a=1&b=1&b=0");
  EXPECT_EQ(Normalize("http://h/?b&&a", options), "http://h/?&a&b");
}

}  // namespace
}  // namespace crawler

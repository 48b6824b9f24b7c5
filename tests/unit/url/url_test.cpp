#include "url/url.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

// The href of `input` on `base`, or "failure".
std::string Parse(std::string_view input, std::string_view base = {}) {
  Url base_url, url;
  if (!base.empty()) ParseUrl(base, nullptr, &base_url);
  const UrlKind kind = ParseUrl(input, base.empty() ? nullptr : &base_url, &url);
  return kind == UrlKind::kInvalid ? "failure" : std::string(url.href());
}

TEST(Url, KnowsItsParts) {
  Url url;
  ASSERT_EQ(ParseUrl("HTTPS://User:Pa%20ss@Host.Example:8443/a/b?c=d#e", nullptr, &url),
            UrlKind::kFollowable);
  EXPECT_EQ(url.href(), "https://User:Pa%20ss@host.example:8443/a/b?c=d#e");
  EXPECT_EQ(url.scheme(), "https");
  EXPECT_TRUE(url.has_credentials());
  EXPECT_EQ(url.username(), "User");
  EXPECT_EQ(url.password(), "Pa%20ss");
  EXPECT_EQ(url.host(), "host.example");
  EXPECT_EQ(url.host_and_port(), "host.example:8443");
  EXPECT_EQ(url.host_kind(), Url::HostKind::kName);
  EXPECT_TRUE(url.has_port());
  EXPECT_EQ(url.port(), 8443);
  EXPECT_EQ(url.path(), "/a/b");
  EXPECT_EQ(url.query(), "c=d");
  EXPECT_EQ(url.path_and_query(), "/a/b?c=d");
  EXPECT_EQ(url.fragment(), "e");
  EXPECT_EQ(url.href_without_fragment(), "https://User:Pa%20ss@host.example:8443/a/b?c=d");
  EXPECT_EQ(url.Origin(), "https://host.example:8443");
}

TEST(Url, AbsentPartsAreEmpty) {
  Url url;
  ParseUrl("http://h", nullptr, &url);
  EXPECT_EQ(url.href(), "http://h/");
  EXPECT_FALSE(url.has_credentials());
  EXPECT_EQ(url.username(), "");
  EXPECT_EQ(url.password(), "");
  EXPECT_FALSE(url.has_port());
  EXPECT_EQ(url.port(), 80);
  EXPECT_EQ(url.path(), "/");
  EXPECT_FALSE(url.has_query());
  EXPECT_FALSE(url.has_fragment());
  EXPECT_EQ(url.Origin(), "http://h");
}

TEST(Url, EmptyQueryAndFragmentAreNotAbsent) {
  Url url;
  ParseUrl("http://h/?#", nullptr, &url);
  EXPECT_EQ(url.href(), "http://h/?#");
  EXPECT_TRUE(url.has_query());
  EXPECT_TRUE(url.has_fragment());
  EXPECT_EQ(url.path_and_query(), "/?");
  url.RemoveFragment();
  EXPECT_EQ(url.href(), "http://h/?");
}

TEST(Url, OtherSchemesAreUrlsNotToFollow) {
  Url url;
  for (const char* input : {"mailto:a@b", "javascript:void(0)", "data:text/html,x", "ftp://h/",
                            "ws://h/", "file:///etc/passwd", "tel:+1", "about:blank"}) {
    EXPECT_EQ(ParseUrl(input, nullptr, &url), UrlKind::kOtherScheme) << input;
    EXPECT_EQ(url.scheme(), std::string_view(input).substr(0, url.scheme().size()));
    EXPECT_FALSE(url.followable());
  }
}

TEST(Url, AReusedOutputForgetsWhatItHeld) {
  Url url;
  ParseUrl("https://u:p@h:81/p?q#f", nullptr, &url);
  ASSERT_EQ(ParseUrl("http://", nullptr, &url), UrlKind::kInvalid);
  EXPECT_EQ(url.href(), "");
  EXPECT_EQ(url.host(), "");
  EXPECT_EQ(url.path(), "");
  EXPECT_EQ(url.port(), 0);
  ParseUrl("http://x/", nullptr, &url);
  EXPECT_FALSE(url.has_query() || url.has_fragment() || url.has_port() || url.has_credentials());
}

// https://url.spec.whatwg.org/#relative-state
TEST(ParseUrl, ResolvesRelativeReferences) {
  const char* base = "http://u:p@h:81/a/b/c?q#f";
  EXPECT_EQ(Parse("", base), "http://u:p@h:81/a/b/c?q");
  EXPECT_EQ(Parse("#x", base), "http://u:p@h:81/a/b/c?q#x");
  EXPECT_EQ(Parse("?x", base), "http://u:p@h:81/a/b/c?x");
  EXPECT_EQ(Parse("d", base), "http://u:p@h:81/a/b/d");
  EXPECT_EQ(Parse("../d", base), "http://u:p@h:81/a/d");
  EXPECT_EQ(Parse("../../../d", base), "http://u:p@h:81/d");
  EXPECT_EQ(Parse("./", base), "http://u:p@h:81/a/b/");
  EXPECT_EQ(Parse("..", base), "http://u:p@h:81/a/");
  EXPECT_EQ(Parse("/d", base), "http://u:p@h:81/d");
  EXPECT_EQ(Parse("//x/d", base), "http://x/d");
  EXPECT_EQ(Parse("http:d", base), "http://u:p@h:81/a/b/d");
  EXPECT_EQ(Parse("https:d", base), "https://d/");
  EXPECT_EQ(Parse("d:e", base), "d:e");
  EXPECT_EQ(Parse("./d:e", base), "http://u:p@h:81/a/b/d:e");
}

TEST(ParseUrl, WithoutBaseARelativeReferenceFails) {
  for (const char* input : {"", "d", "/d", "//h/", "?x", "#x"}) EXPECT_EQ(Parse(input), "failure");
  Url invalid, url;
  EXPECT_EQ(ParseUrl("d", &invalid, &url), UrlKind::kInvalid);
  EXPECT_EQ(Parse("d", "mailto:x"), "failure");
  EXPECT_EQ(Parse("#d", "mailto:x"), "mailto:x#d");
}

TEST(ParseUrl, ReadsSlashesAndControlsAsBrowsersDo) {
  EXPECT_EQ(Parse(" \t\x01http://h/a\nb\r\t \x1f"), "http://h/ab");
  EXPECT_EQ(Parse("http:\\\\h\\a\\..\\b"), "http://h/b");
  EXPECT_EQ(Parse("http:////h/a"), "http://h/a");
  EXPECT_EQ(Parse("\\\\x\\y", "https://h/a"), "https://x/y");
  EXPECT_EQ(Parse("ht\ntp://h"), "http://h/");
}

TEST(ParseUrl, DotSegmentsInAllSpellings) {
  EXPECT_EQ(Parse("http://h/a/%2e/b/%2E%2e/c"), "http://h/a/c");
  EXPECT_EQ(Parse("http://h/a/.%2E"), "http://h/");
  EXPECT_EQ(Parse("http://h/a/..."), "http://h/a/...");
  EXPECT_EQ(Parse("http://h/a/.b/..c/%2ed"), "http://h/a/.b/..c/%2ed");
  EXPECT_EQ(Parse("http://h/a//../b"), "http://h/a/b");
}

TEST(ParseUrl, EncodesEachPartByItsOwnSet) {
  EXPECT_EQ(Parse("http://h/ \"<>^`{}|?'\"<> #\" <>`"),
            "http://h/%20%22%3C%3E%5E%60%7B%7D|?%27%22%3C%3E%20#%22%20%3C%3E%60");
  EXPECT_EQ(Parse("http://a b:c;d@h/"), "http://a%20b:c%3Bd@h/");
  EXPECT_EQ(Parse("http://h/\xc3\xa9?\xc3\xa9#\xc3\xa9"), "http://h/%C3%A9?%C3%A9#%C3%A9");
  EXPECT_EQ(Parse("http://h/%zz%"), "http://h/%zz%");
}

// https://encoding.spec.whatwg.org/#utf-8-decoder: one U+FFFD for each maximal part.
TEST(ParseUrl, BytesThatAreNotUtf8BecomeReplacements) {
  const std::string r = "%EF%BF%BD";
  EXPECT_EQ(Parse("http://h/\xff"), "http://h/" + r);
  EXPECT_EQ(Parse("http://h/\xe2\x82"), "http://h/" + r);
  EXPECT_EQ(Parse("http://h/\xe2\x82z"), "http://h/" + r + "z");
  EXPECT_EQ(Parse("http://h/\xf0\x9f\x92\xc3\xa9"), "http://h/" + r + "%C3%A9");
  EXPECT_EQ(Parse("http://h/\xc0\xaf"), "http://h/" + r + r);          // Overlong.
  EXPECT_EQ(Parse("http://h/\xed\xa0\x80"), "http://h/" + r + r + r);  // A surrogate.
  EXPECT_EQ(Parse("http://h\xff/"), "failure");
}

TEST(ParseUrl, HostsAreDomains) {
  EXPECT_EQ(Parse("http://EX%41mple.COM/"), "http://example.com/");
  EXPECT_EQ(Parse("http://b\xc3\xbc"
                  "cher.de/"),
            "http://xn--bcher-kva.de/");
  EXPECT_EQ(Parse("http://fa\xc3\x9f.de/"), "http://xn--fa-hia.de/");  // Not transitional.
  EXPECT_EQ(Parse("http://XN--Pokxncvks/"), "http://xn--pokxncvks/");
  for (const char* host :
       {"a b", "a<b", "a^b", "a|b", "%", "a%00b", "[", "a]", "\xef\xbf\xbd", "\xc2\xad", "a%23b"}) {
    EXPECT_EQ(Parse("http://" + std::string(host) + "/"), "failure") << host;
  }
}

// ICU 72 of Unicode 15 does not know these mappings of Unicode 15.1 and 16 itself.
TEST(ParseUrl, DomainsMapAsUnicode16Does) {
  EXPECT_EQ(Parse("http://\xe1\xba\x9e.de/"), "http://xn--zca.de/");    // Capital sharp s
  EXPECT_EQ(Parse("http://\xe1\x82\xa0.com/"), "http://xn--rkj.com/");  // Georgian An
  EXPECT_EQ(Parse("http://a\xe1\xa0\x8e"
                  "b.com/"),
            "http://ab.com/");  // U+180E
  EXPECT_EQ(Parse("http://a\xf3\xa0\x80\x81"
                  "b.com/"),
            "failure");  // A language tag
}

TEST(ParseUrl, HostsOfAnyLengthEndQuickly) {
  EXPECT_EQ(Parse("http://" + std::string(100000, 'a') + "/").size(), 100008u);
  std::string unicode;
  for (int i = 0; i < 3000; ++i) unicode += "\xc3\xbc";
  EXPECT_EQ(Parse("http://" + unicode + "/"), "failure");
}

// https://url.spec.whatwg.org/#concept-ipv4-parser
TEST(ParseUrl, Ipv4InAllItsSpellings) {
  for (const char* host : {"127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0x7F000001",
                           "127.0.0.1.", "%3127.1",
                           "127\xe3\x80\x82"
                           "1"}) {
    EXPECT_EQ(Parse("http://" + std::string(host) + "/"), "http://127.0.0.1/") << host;
  }
  EXPECT_EQ(Parse("http://0x/"), "http://0.0.0.0/");
  EXPECT_EQ(Parse("http://256/"), "http://0.0.1.0/");
  for (const char* host : {"256.0.0.1", "1.2.3.4.5", "4294967296", "1.2.3.0x100", "a.1", "1..1",
                           "1.2.3.09", "99999999999999999999999999"}) {
    EXPECT_EQ(Parse("http://" + std::string(host) + "/"), "failure") << host;
  }
  EXPECT_EQ(Parse("http://1.2.3.4a/"), "http://1.2.3.4a/");
}

// https://url.spec.whatwg.org/#concept-ipv6-parser
TEST(ParseUrl, Ipv6) {
  EXPECT_EQ(Parse("http://[1:0::0:2]/"), "http://[1::2]/");
  EXPECT_EQ(Parse("http://[::FFFF:1.2.3.4]:80/"), "http://[::ffff:102:304]/");
  EXPECT_EQ(Parse("http://[1:0:0:2:0:0:0:3]/"), "http://[1:0:0:2::3]/");
  EXPECT_EQ(Parse("http://[::]/"), "http://[::]/");
  EXPECT_EQ(Parse("http://[1::]/"), "http://[1::]/");
  EXPECT_EQ(Parse("http://[0:1:0:1:0:1:0:1]/"), "http://[0:1:0:1:0:1:0:1]/");
  for (const char* host :
       {"[]", "[:1]", "[1]", "[::1", "[1::2::3]", "[1:2:3:4:5:6:7:8:9]", "[::1%25e]", "[12345::]",
        "[::1.2.3]", "[::1.2.3.256]", "[::01.2.3.4]", "[1:2:3:4:5:6:7:]", "[1:2:3:4:5:6:7:1.2.3.4]",
        "[::1.2.3.4.]", "[::1]a", "[1:2:3:4:5:6:7::8]"}) {
    EXPECT_EQ(Parse("http://" + std::string(host) + "/"), "failure") << host;
  }
}

TEST(ParseUrl, Ports) {
  EXPECT_EQ(Parse("https://h:443/"), "https://h/");
  EXPECT_EQ(Parse("http://h:443/"), "http://h:443/");
  EXPECT_EQ(Parse("http://h:/"), "http://h/");
  EXPECT_EQ(Parse("http://h:000081/"), "http://h:81/");
  EXPECT_EQ(Parse("http://h:65535/"), "http://h:65535/");
  for (const char* port : {"65536", "8a", "-1", " 80", "80:80"}) {
    EXPECT_EQ(Parse("http://h:" + std::string(port) + "/"), "failure") << port;
  }
}

TEST(ParseUrl, TheHostStandsBehindTheLastAt) {
  EXPECT_EQ(Parse("http://a@b@c/"), "http://a%40b@c/");
  EXPECT_EQ(Parse("http://a:b@c:d@e/"), "http://a:b%40c%3Ad@e/");
  EXPECT_EQ(Parse("http://h\\@x/"), "http://h/@x/");
  EXPECT_EQ(Parse("http://@h/"), "http://h/");
  EXPECT_EQ(Parse("http://a@/"), "failure");
}

TEST(ParseUrl, PathsThatLookLikeHostsAreGuarded) {
  EXPECT_EQ(Parse("x:/.//p"), "x:/.//p");
  EXPECT_EQ(Parse("..//p", "x:/a/b"), "x:/.//p");
  EXPECT_EQ(Parse("q", "x:/.//p"), "x:/.//q");
  EXPECT_EQ(Parse("../q", "x:/.//p"), "x:/q");
  Url url;
  ParseUrl("x:/.//p?q", nullptr, &url);
  EXPECT_EQ(url.path(), "//p");
  EXPECT_EQ(url.host_and_port(), "");
}

TEST(ParseUrl, TooLongIsInvalid) {
  std::string longest = "http://h/" + std::string(kMaxUrlInput - 9, 'a');
  EXPECT_EQ(Parse(longest), longest);
  longest.push_back('a');
  EXPECT_EQ(Parse(longest), "failure");
}

TEST(ParseUrl, ItsResultIsAFixpoint) {
  for (const char* input : {"http://h/%2e%2E/\xff?'\"#`", "x:/.//p", "non-special:a  ?q",
                            "file:///C|/a", "http://1.1/", "https://[::1]:1/"}) {
    const std::string once = Parse(input);
    EXPECT_EQ(Parse(once), once);
  }
}

}  // namespace
}  // namespace crawler

#include "robots/robots_txt.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

using std::chrono::milliseconds;

bool Allowed(std::string_view body, std::string_view product, std::string_view path) {
  return RobotsTxt::Parse(body, product).Check(path).allowed;
}

TEST(RobotsTxt, TheVerdictNamesItsLine) {
  const RobotsTxt robots = RobotsTxt::Parse(
      "# hello\r\nUser-agent: *\r\n\r\n  Disallow : /private # keep out\r\nAllow: /private/open\n",
      "TestBot");
  RobotsVerdict verdict = robots.Check("/private/x");
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(verdict.line, 4);
  EXPECT_EQ(verdict.rule, "Disallow : /private");
  verdict = robots.Check("/private/open");
  EXPECT_TRUE(verdict.allowed);
  EXPECT_EQ(verdict.line, 5);
  EXPECT_EQ(verdict.rule, "Allow: /private/open");
  verdict = robots.Check("/");
  EXPECT_TRUE(verdict.allowed);
  EXPECT_EQ(verdict.line, 0);
  EXPECT_EQ(verdict.rule, "");
}

// RFC 9309, 2.2.1.
TEST(RobotsTxt, ProductTokens) {
  EXPECT_EQ(ProductToken("ExampleBot/0.1 (+https://example.org)"), "ExampleBot");
  EXPECT_EQ(ProductToken("Foo_bar-Baz2"), "Foo_bar-Baz");
  EXPECT_EQ(ProductToken("*"), "");
  const char* body = "User-agent: ExampleBot\nDisallow: /\nUser-agent: *\nDisallow:\n";
  EXPECT_FALSE(Allowed(body, "examplebot", "/"));
  EXPECT_FALSE(Allowed(body, "EXAMPLEBOT/2.0 (x)", "/"));
  EXPECT_TRUE(Allowed(body, "ExampleBot-News", "/"));
  EXPECT_TRUE(Allowed(body, "Example", "/"));
  EXPECT_TRUE(Allowed(body, "", "/"));
  EXPECT_FALSE(Allowed("User-agent: *foo\nUser-agent: * bar\nDisallow: /", "x", "/"));
}

TEST(RobotsTxt, GroupsAreMerged) {
  const char* body =
      "user-agent: a\ndisallow: /x\n\nuser-agent: b\ndisallow: /\n\nuser-agent: A\ndisallow: /y\n";
  EXPECT_FALSE(Allowed(body, "a", "/x"));
  EXPECT_FALSE(Allowed(body, "a", "/y"));
  EXPECT_TRUE(Allowed(body, "a", "/z"));
}

TEST(RobotsTxt, OwnGroupsReplaceThoseForAll) {
  const char* body = "User-agent: *\nDisallow: /\nUser-agent: a\nCrawl-delay: 1\n";
  EXPECT_TRUE(Allowed(body, "a", "/"));
  EXPECT_FALSE(Allowed(body, "b", "/"));
}

TEST(RobotsTxt, SeveralAgentsShareAGroup) {
  const char* body = "User-agent: a\nUser-agent: b\n\n# c\nDisallow: /x\nUser-agent: c\nAllow: /\n";
  EXPECT_FALSE(Allowed(body, "a", "/x"));
  EXPECT_FALSE(Allowed(body, "b", "/x"));
  EXPECT_TRUE(Allowed(body, "c", "/x"));
}

// RFC 9309, 2.2.4: other records must not end a group.
TEST(RobotsTxt, OtherRecordsEndNoGroup) {
  const char* body =
      "User-agent: a\nSitemap: https://h/s.xml\nHost: h\nUser-agent: b\nDisallow: /\n";
  EXPECT_FALSE(Allowed(body, "a", "/"));
  EXPECT_FALSE(Allowed(body, "b", "/"));
}

TEST(RobotsTxt, RulesBeforeAnyAgentAreNobodys) {
  EXPECT_TRUE(Allowed("Disallow: /\nUser-agent: a\nDisallow: /x\n", "a", "/"));
}

// RFC 9309, 2.2.2.
TEST(RobotsTxt, TheLongestMatchDecidesAndAllowWinsATie) {
  const char* body = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\n";
  EXPECT_FALSE(Allowed(body, "x", "/a"));
  EXPECT_TRUE(Allowed(body, "x", "/a/b"));
  EXPECT_FALSE(Allowed(body, "x", "/a/b/c"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /p\nAllow: /p\n", "x", "/p"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow:\n", "x", "/p"));
  EXPECT_TRUE(Allowed("User-agent: *\nAllow: /$\nDisallow: /\n", "x", "/"));
  EXPECT_FALSE(Allowed("User-agent: *\nAllow: /$\nDisallow: /\n", "x", "/p"));
}

TEST(RobotsTxt, QueriesBelongToThePath) {
  const char* body = "User-agent: *\nDisallow: /*?print=\n";
  Url url;
  ParseUrl("http://h/a?print=1#x", nullptr, &url);
  EXPECT_FALSE(RobotsTxt::Parse(body, "x").Check(url).allowed);
  EXPECT_TRUE(Allowed(body, "x", "/a"));
}

TEST(RobotsTxt, AllowingTheIndexAllowsItsFolder) {
  const char* body = "User-agent: *\nAllow: /d/index.html\nDisallow: /\n";
  EXPECT_TRUE(Allowed(body, "x", "/d/"));
  EXPECT_TRUE(Allowed(body, "x", "/d/index.html"));
  EXPECT_FALSE(Allowed(body, "x", "/d/other"));
}

TEST(RobotsTxt, LineEndsAndByteOrderMarks) {
  for (const char* end : {"\n", "\r", "\r\n"}) {
    const std::string e = end;
    const RobotsTxt robots =
        RobotsTxt::Parse("\xef\xbb\xbfUser-agent: *" + e + e + "Disallow: /x" + e, "a");
    EXPECT_FALSE(robots.Check("/x").allowed);
    EXPECT_EQ(robots.Check("/x").line, 3);
  }
  EXPECT_FALSE(Allowed("\xef\xbbUser-agent: *\nDisallow: /", "a", "/"));
  EXPECT_TRUE(Allowed("\xef\x11User-agent: *\nDisallow: /", "a", "/"));
}

TEST(RobotsTxt, ErrorsAreSurvived) {
  EXPECT_FALSE(Allowed("<html>\nuser-agent *\nwhat is this\ndissallow /x\n:\n:y\n", "a", "/x"));
  EXPECT_TRUE(Allowed("user-agent *\ndisallow /x and more\n", "a", "/x"));
  EXPECT_FALSE(Allowed("USERAGENT: a\nDISALLOW: /\n", "a", "/"));
  std::string noise = "User-agent: *\nDisallow: /x\n";
  for (int c = 0; c < 256; ++c) noise.append(3, static_cast<char>(c));
  EXPECT_FALSE(Allowed(noise, "a", "/x"));
  EXPECT_TRUE(Allowed("", "a", "/"));
  EXPECT_TRUE(Allowed(std::string_view("\0\0\0", 3), "a", "/"));
}

TEST(RobotsTxt, CrawlDelays) {
  const auto delay = [](std::string_view body, std::string_view product) {
    return RobotsTxt::Parse(body, product).crawl_delay();
  };
  EXPECT_EQ(delay("User-agent: *\nCrawl-delay: 2.5 # s\n", "a"), milliseconds(2500));
  EXPECT_EQ(delay("User-agent: *\nCrawl-delay: 3\nUser-agent: a\nDisallow: /x\n", "a"),
            std::nullopt);
  // The longest of several, and no more than a day.
  EXPECT_EQ(delay("User-agent: a\nCrawl-delay: 2\nCrawl-delay: 9\nCrawl-delay: 4\n", "a"),
            milliseconds(9000));
  for (const std::string& value : {std::string("999999999999"), std::string("1e9"),
                                   std::string("1e999"), std::string(400, '9')}) {
    EXPECT_EQ(delay("User-agent: a\nCrawl-delay: " + value, "a"), std::chrono::hours(24)) << value;
  }
  for (const char* value : {"0.5e-999", "1e-999", "0.0e0"}) {
    EXPECT_EQ(delay("User-agent: a\nCrawl-delay: " + std::string(value), "a"), milliseconds(0));
  }
  for (const char* value : {"", "x", "-1", "1.2.3", "10a", "nan", "inf", "e9"}) {
    EXPECT_EQ(delay("User-agent: *\nCrawl-delay: " + std::string(value), "a"), std::nullopt)
        << value;
  }
}

TEST(RobotsTxt, ADelayOfItsOwnForEachAgent) {
  const char* body = "User-agent: *\nCrawl-delay: 1\nUser-agent: a\nCrawl-delay: 12\n";
  EXPECT_EQ(RobotsTxt::Parse(body, "a").crawl_delay(), milliseconds(12000));
  EXPECT_EQ(RobotsTxt::Parse(body, "b").crawl_delay(), milliseconds(1000));
}

TEST(RobotsTxt, SitemapsBelongToNobody) {
  const RobotsTxt robots = RobotsTxt::Parse(
      "Sitemap: https://h/1.xml\nUser-agent: a\nDisallow: /\nsitemap:  /2.xml  # x\nSitemap:\n",
      "b");
  EXPECT_EQ(robots.sitemaps(), (std::vector<std::string>{"https://h/1.xml", "/2.xml"}));
}

// RFC 9309, 2.5.
TEST(RobotsTxt, OnlyTheBeginningOfAHugeFileIsRead) {
  std::string body = "User-agent: *\nDisallow: /first\n";
  const std::string filler = "# " + std::string(98, '.') + "\n";
  while (body.size() + filler.size() + 100 < kMaxRobotsBytes) body += filler;
  body += "Disallow: /last-whole\n";
  body += "#" + std::string(kMaxRobotsBytes - body.size() - 12, '.') + "\n";
  body += "Disallow: /cut-in-two\nDisallow: /beyond\n";
  EXPECT_FALSE(Allowed(body, "a", "/first"));
  EXPECT_FALSE(Allowed(body, "a", "/last-whole"));
  EXPECT_TRUE(Allowed(body, "a", "/cut-in-two"));  // Read as "Disallow: /" it would refuse all.
  EXPECT_TRUE(Allowed(body, "a", "/beyond"));
}

TEST(RobotsTxt, LongLinesAreCut) {
  const std::string path = "/" + std::string(20000, 'a');
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: " + path, "a", path.substr(0, 18000)));
}

TEST(RobotsTxt, ManyRules) {
  std::string body = "User-agent: *\n";
  for (int i = 0; i < 20000; ++i) body += "Disallow: /p" + std::to_string(i) + "$\n";
  const RobotsTxt robots = RobotsTxt::Parse(body, "a");
  EXPECT_EQ(robots.Check("/p0").line, 2);
  EXPECT_EQ(robots.Check("/p12345").line, 12347);
  EXPECT_EQ(robots.Check("/p19999").line, 20001);
  EXPECT_TRUE(robots.Check("/p20000").allowed);
}

}  // namespace
}  // namespace crawler

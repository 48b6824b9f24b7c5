#include "parse/page_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Srcset(std::string_view text) {
  std::vector<std::string> urls;
  SrcsetReader reader(text);
  while (const auto url = reader.Next()) urls.emplace_back(*url);
  return urls;
}

// HTML 4.8.4.2.2, parsing a srcset attribute.
TEST(Srcset, SplitsAtCommasBehindBlanksOnly) {
  EXPECT_THAT(Srcset("a 1x, b 2x"), ElementsAre("a", "b"));
  EXPECT_THAT(Srcset("a, b"), ElementsAre("a", "b"));
  EXPECT_THAT(Srcset("a,b"), ElementsAre("a,b"));
  EXPECT_THAT(Srcset("a,,, b"), ElementsAre("a", "b"));
  EXPECT_THAT(Srcset(" ,\n, a 1x ,, b"), ElementsAre("a", "b"));
  EXPECT_THAT(Srcset("data:image/png;base64,AA 1x, b"),
              ElementsAre("data:image/png;base64,AA", "b"));
  EXPECT_THAT(Srcset("a ( , ) 1x, b"), ElementsAre("a", "b"));
  EXPECT_THAT(Srcset("a (x, b"), ElementsAre("a"));
  EXPECT_THAT(Srcset(""), IsEmpty());
  EXPECT_THAT(Srcset(", ,"), IsEmpty());
}

// HTML 4.2.5.3, shared declarative refresh steps.
TEST(MetaRefresh, Target) {
  EXPECT_EQ(MetaRefreshTarget("5; url=/x"), "/x");
  EXPECT_EQ(MetaRefreshTarget(" 0 ,URL = '/x y' z"), "/x y");
  EXPECT_EQ(MetaRefreshTarget("5 /x"), "/x");
  EXPECT_EQ(MetaRefreshTarget("5;\"/x\"y"), "/x");
  EXPECT_EQ(MetaRefreshTarget("5;url=\"/x"), "/x");
  EXPECT_EQ(MetaRefreshTarget("5; urx"), "urx");
  EXPECT_EQ(MetaRefreshTarget("5; url x"), "url x");
  EXPECT_EQ(MetaRefreshTarget("5.5.;url=x"), "x");
  EXPECT_EQ(MetaRefreshTarget(".;url=x"), "x");
  EXPECT_EQ(MetaRefreshTarget("5"), std::nullopt);
  EXPECT_EQ(MetaRefreshTarget("5;"), std::nullopt);
  EXPECT_EQ(MetaRefreshTarget("5x;url=y"), std::nullopt);
  EXPECT_EQ(MetaRefreshTarget("url=y"), std::nullopt);
  EXPECT_EQ(MetaRefreshTarget(""), std::nullopt);
}

TEST(Rel, WordsInAnyOrderAndCase) {
  EXPECT_EQ(ParseRel("noopener  NoFollow\tx"), kRelNoopener | kRelNofollow | kRelOther);
  EXPECT_EQ(ParseRel("shortcut icon"), kRelOther | kRelIcon);
  EXPECT_EQ(ParseRel("ugc sponsored"), kRelUgc | kRelSponsored);
  EXPECT_EQ(ParseRel(""), 0u);
}

TEST(RobotsContent, Directives) {
  EXPECT_EQ(ParseRobotsContent("NOINDEX, nofollow"),
            (RobotsDirectives{.noindex = true, .nofollow = true}));
  EXPECT_EQ(ParseRobotsContent("none"), (RobotsDirectives{.noindex = true, .nofollow = true}));
  EXPECT_EQ(ParseRobotsContent("index,follow,all,max-snippet:-1"), RobotsDirectives{});
  EXPECT_EQ(ParseRobotsContent("noarchive noimageindex"),
            (RobotsDirectives{.noarchive = true, .noimageindex = true}));
  EXPECT_EQ(ParseRobotsContent("noindexed"), RobotsDirectives{});
}

TEST(XRobotsTag, NamesOfRobotsHoldUntilTheNext) {
  const RobotsDirectives noindex{.noindex = true};
  EXPECT_EQ(ParseXRobotsTag("noindex", "me"), noindex);
  EXPECT_EQ(ParseXRobotsTag("me: noindex", "Me"), noindex);
  EXPECT_EQ(ParseXRobotsTag("other: noindex, nofollow", "me"), RobotsDirectives{});
  EXPECT_EQ(ParseXRobotsTag("other: nofollow, me: noindex", "me"), noindex);
  EXPECT_EQ(ParseXRobotsTag("noindex, other: nofollow", "me"), noindex);
  EXPECT_EQ(ParseXRobotsTag("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", "me"), noindex);
  EXPECT_EQ(ParseXRobotsTag("max-snippet: 20, noindex", "me"), noindex);
}

// RFC 8288, 3 and appendix B.
TEST(LinkHeader, TargetsAndParameters) {
  const auto links = ParseLinkHeader(
      "</a>; rel=\"next nofollow\"; rel=prev; title=\"a, b; <c>\", <b>;REL=canonical ,"
      "<c>; hreflang=de; type=\"text/html\"; rel=alternate; anchor=\"#x\"");
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].target, "/a");
  EXPECT_EQ(links[0].rel, "next nofollow");
  EXPECT_EQ(links[1].target, "b");
  EXPECT_EQ(links[1].rel, "canonical");
  EXPECT_EQ(links[2].hreflang, "de");
  EXPECT_EQ(links[2].type, "text/html");
  EXPECT_TRUE(links[2].has_anchor);
}

TEST(LinkHeader, NonsenseGivesWhatCanBeRead) {
  EXPECT_THAT(ParseLinkHeader(""), IsEmpty());
  EXPECT_THAT(ParseLinkHeader("no link at all; rel=x"), IsEmpty());
  EXPECT_THAT(ParseLinkHeader("<unclosed; rel=x"), IsEmpty());
  EXPECT_EQ(ParseLinkHeader("<a>;;;=;rel").size(), 1u);
  EXPECT_EQ(ParseLinkHeader("<a>; rel=\"open").at(0).rel, "open");
}

}  // namespace
}  // namespace crawler

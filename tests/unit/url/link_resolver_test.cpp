#include "url/link_resolver.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/url/parsed_url.hpp"
#include "url/query_encoder.hpp"

namespace crawler {
namespace {

TEST(LinkResolver, ResolvesAndNormalises) {
  LinkResolver links;
  links.Reset(Parsed("http://h/a/b"));
  EXPECT_EQ(links.Resolve("%7Ec#top").url->href(), "http://h/a/~c");
  EXPECT_EQ(links.Resolve("").url->href(), "http://h/a/b");
  EXPECT_EQ(links.Resolve("http://[").url->kind(), UrlKind::kInvalid);
  EXPECT_EQ(links.Resolve("mailto:x").url->kind(), UrlKind::kOtherScheme);
}

TEST(LinkResolver, RemembersWithinAPage) {
  LinkResolver links;
  links.Reset(Parsed("http://h/"));
  const LinkResolver::Link first = links.Resolve("x");
  const LinkResolver::Link other = links.Resolve("y");
  const LinkResolver::Link again = links.Resolve("x");
  EXPECT_TRUE(first.first);
  EXPECT_TRUE(other.first);
  EXPECT_FALSE(again.first);
  EXPECT_EQ(first.url, again.url);
  EXPECT_EQ(again.number, 0u);
  EXPECT_EQ(other.number, 1u);
  links.Reset(Parsed("http://other/"));
  const LinkResolver::Link fresh = links.Resolve("x");
  EXPECT_TRUE(fresh.first);
  EXPECT_EQ(fresh.url->href(), "http://other/x");
}

TEST(LinkResolver, FragmentsMakeNoOtherLink) {
  LinkResolver links;
  links.Reset(Parsed("http://h/p?q"));
  EXPECT_TRUE(links.Resolve("x#a").first);
  EXPECT_FALSE(links.Resolve("x#b").first);
  EXPECT_FALSE(links.Resolve("x").first);
  EXPECT_EQ(links.Resolve("#a").url->href(), "http://h/p?q");
  EXPECT_FALSE(links.Resolve("").first);
  // A blank is part of the path only where something follows it.
  EXPECT_EQ(links.Resolve("y #a").url->href(), "http://h/y%20");
  EXPECT_EQ(links.Resolve("y ").url->href(), "http://h/y");
  EXPECT_EQ(links.Resolve("a\n#b").url->href(), "http://h/a");
  links.Reset(Parsed("data:x"));
  EXPECT_EQ(links.Resolve("#a").url->href(), "data:x");
  EXPECT_EQ(links.Resolve("").url->kind(), UrlKind::kInvalid);
}

TEST(LinkResolver, NumbersUrlsNotHrefs) {
  LinkResolver links;
  links.Reset(Parsed("http://h/a/b"));
  EXPECT_EQ(links.Resolve("c").number, 0u);
  EXPECT_EQ(links.Resolve("http://[").number, LinkResolver::kNoUrl);
  EXPECT_EQ(links.Resolve("/").number, 1u);
  for (const std::string_view same :
       {"./c", "/a/c", "HTTP://H:80/a/%63", "http://h/a/c", "x/../c"}) {
    const LinkResolver::Link link = links.Resolve(same);
    EXPECT_EQ(link.number, 0u) << same;
    EXPECT_FALSE(link.first) << same;
    EXPECT_EQ(link.url->href(), "http://h/a/c");
  }
  EXPECT_FALSE(links.Resolve("http://[").first);
  EXPECT_EQ(links.Resolve("mailto:x").number, 2u);
  EXPECT_EQ(links.Resolve("MAILTO:x#y").number, 2u);
}

TEST(LinkResolver, ManyLinksStayTheirOwn) {
  LinkResolver links;
  for (const int count : {20000, 10, 3000}) {
    links.Reset(Parsed("http://h/"));
    std::vector<const Url*> urls;
    for (int i = 0; i < count; ++i) urls.push_back(links.Resolve("p" + std::to_string(i)).url);
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      EXPECT_EQ(urls[static_cast<std::size_t>(i)]->href(), "http://h/p" + number);
      EXPECT_FALSE(links.Resolve("p" + number).first);
    }
  }
}

TEST(LinkResolver, WritesQueriesInThePagesEncoding) {
  LinkResolver links;
  const auto encoder = QueryEncoder::ForEncoding("windows-1252");
  links.Reset(Parsed("http://h/"), encoder.get());
  EXPECT_EQ(links.Resolve("?\xc3\xa9").url->href(), "http://h/?%E9");
  links.Reset(Parsed("http://h/"));
  EXPECT_EQ(links.Resolve("?\xc3\xa9").url->href(), "http://h/?%C3%A9");
}

}  // namespace
}  // namespace crawler

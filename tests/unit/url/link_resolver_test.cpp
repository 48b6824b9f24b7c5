#include "url/link_resolver.hpp"

#include <gtest/gtest.h>

#include <string>

#include "url/query_encoder.hpp"

namespace crawler {
namespace {

Url Parsed(std::string_view text) {
  Url url;
  EXPECT_NE(ParseUrl(text, nullptr, &url), UrlKind::kInvalid);
  return url;
}

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
